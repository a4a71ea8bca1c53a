// Makes the calls that come as lines of JSON through stripe-go: `libraries BASE_URL`.
// Its parameters and services have types, so they are found and filled by the names that the library itself sends.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
)

type Step struct {
	Call    string
	ID      string
	Params  map[string]any
	Options map[string]string
	Key     string
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var step Step
		if err := json.Unmarshal(line, &step); err != nil {
			panic(err)
		}
		object, err := run(step)
		if err != nil {
			answers.Encode(map[string]any{"error": told(err)})
		} else {
			answers.Encode(map[string]any{"object": object})
		}
	}
}

func run(step Step) (any, error) {
	switch step.Call {
	case "library":
		return map[string]string{"version": version(), "api_version": stripe.APIVersion}, nil
	case "webhooks.construct_event":
		text := func(name string) string { return step.Params[name].(string) }
		event, err := webhook.ConstructEvent([]byte(text("payload")), text("signature"), text("secret"))
		return event, err
	}
	config := &stripe.BackendConfig{URL: stripe.String(os.Args[1]), MaxNetworkRetries: stripe.Int64(2),
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}}
	client := stripe.NewClient(step.Key, stripe.WithBackends(stripe.NewBackendsWithConfig(config)))
	call := strings.Replace(step.Call, "line_items.list", "list_line_items", 1)
	names := strings.Split(call, ".")
	last := len(names) - 1
	method := reflect.ValueOf(client).Elem().FieldByName("V1" + serviceName(names[:last])).MethodByName(pascal(names[last]))

	params := reflect.New(method.Type().In(method.Type().NumIn() - 1).Elem())
	fill(params.Elem(), step.Params)
	for name, value := range step.Options {
		params.Elem().FieldByName(pascal(name)).Set(reflect.ValueOf(stripe.String(value)))
	}
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if method.Type().NumIn() == 3 {
		args = append(args, reflect.ValueOf(step.ID))
	} else if step.ID != "" {
		params.Elem().FieldByName("Session").Set(reflect.ValueOf(stripe.String(step.ID)))
	}
	results := method.Call(append(args, params))
	if len(results) == 1 {
		return allOf(results[0])
	}
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

// Every object of every page, as the library goes through them.
func allOf(list reflect.Value) (any, error) {
	all := []any{}
	var failure error
	pages := list.MethodByName("All").Call([]reflect.Value{reflect.ValueOf(context.Background())})[0]
	for object, err := range pages.Seq2() {
		if !err.IsNil() {
			failure = err.Interface().(error)
			break
		}
		all = append(all, object.Interface())
	}
	return all, failure
}

// Sets the fields of parameters by the names under which the library sends them.
func fill(target reflect.Value, value any) {
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		fill(target.Elem(), value)
	case reflect.Struct:
		for name, part := range value.(map[string]any) {
			fill(fieldFor(target, name, part), part)
		}
	case reflect.Slice:
		for _, part := range value.([]any) {
			each := reflect.New(target.Type().Elem()).Elem()
			fill(each, part)
			target.Set(reflect.Append(target, each))
		}
	case reflect.Map:
		target.Set(reflect.MakeMap(target.Type()))
		for name, part := range value.(map[string]any) {
			target.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(part))
		}
	default:
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
	}
}

// A range and a number may have a field each under one name.
func fieldFor(target reflect.Value, name string, value any) reflect.Value {
	_, hasMembers := value.(map[string]any)
	for at := range target.NumField() {
		field := target.Type().Field(at)
		isNumber := field.Type == reflect.TypeFor[*int64]()
		if tag, _, _ := strings.Cut(field.Tag.Get("form"), ","); tag == name && !(hasMembers && isNumber) {
			return target.Field(at)
		}
		if field.Anonymous {
			if inner := fieldFor(target.Field(at), name, value); inner.IsValid() {
				return inner
			}
		}
	}
	return reflect.Value{}
}

func told(err error) map[string]any {
	var failure *stripe.Error
	if !errors.As(err, &failure) {
		isUnsigned := errors.Is(err, webhook.ErrNoValidSignature) || errors.Is(err, webhook.ErrTooOld)
		class := map[bool]string{true: "SignatureVerificationError", false: fmt.Sprintf("%T", err)}[isUnsigned]
		return map[string]any{"class": class, "message": err.Error()}
	}
	// Only some kinds have a type of their own here.
	class := ""
	if failure.Err != nil {
		class = reflect.TypeOf(failure.Err).Elem().Name()
	}
	return map[string]any{"class": class, "code": failure.Code, "param": failure.Param,
		"status": failure.HTTPStatusCode, "type": failure.Type, "message": failure.Msg, "request_id": failure.RequestID}
}

// checkout.sessions as the client's fields have it: CheckoutSessions.
func serviceName(names []string) string {
	return pascal(strings.Join(names, "_"))
}

func pascal(name string) string {
	parts := strings.Split(name, "_")
	for at, part := range parts {
		parts[at] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if strings.HasPrefix(module.Path, "github.com/stripe/stripe-go/") {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}
