package ripper

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// VerifyWebhook returns the event of a webhook. It takes the body as it came, before anything parsed it, and the
// endpoint's signing secret.
func VerifyWebhook(body []byte, header http.Header, secret string) (*WebhookEvent, error) {
	return Verifier{Secrets: []string{secret}}.Verify(body, header)
}

// Verifier verifies that this service signed a webhook, with this body, not long ago.
type Verifier struct {
	// Several while one is being rotated.
	Secrets []string
	// How much the signature's time may differ from now, either way; 300 seconds where it is 0.
	Tolerance time.Duration
	// The clock, where it is nil.
	Now func() time.Time
}

// Verify returns the event, or a SignatureError.
func (v Verifier) Verify(body []byte, header http.Header) (*WebhookEvent, error) {
	if v.Tolerance < 0 {
		return nil, &UsageError{"Tolerance must be above 0."}
	}
	if err := judgeSecrets(v.Secrets); err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, &SignatureError{"body_missing", "There is no body. Read it with io.ReadAll before anything else does."}
	}
	t, signatures, err := readSignature(header)
	if err != nil {
		return nil, err
	}
	if !matches(signatures, v.Secrets, t, body) {
		var compact bytes.Buffer
		if json.Compact(&compact, body) == nil && matches(signatures, v.Secrets, t, compact.Bytes()) {
			return nil, &SignatureError{"body_changed", "The body was parsed and written anew, with other white space. Pass the bytes as they came."}
		}
		return nil, &SignatureError{"signature_mismatch", "The signature does not match the secret. Usually the secret is another endpoint's, or it was rotated. Otherwise the body is not byte for byte what came."}
	}
	if err := v.judgeTime(t); err != nil {
		return nil, err
	}
	event := &WebhookEvent{}
	if json.Unmarshal(body, event) != nil {
		return nil, &SignatureError{"body_not_json", "The signature is right, but the body is not the JSON of an event."}
	}
	return event, nil
}

// GenerateTestHeader makes a Rip-Signature for tests of a receiver. Several secrets sign as in a rotation.
func GenerateTestHeader(body []byte, at time.Time, secrets ...string) string {
	t := strconv.FormatInt(at.Unix(), 10)
	parts := []string{"t=" + t}
	for _, secret := range secrets {
		parts = append(parts, "v1="+hex.EncodeToString(signature(secret, t, body)))
	}
	return strings.Join(parts, ",")
}

// HMAC-SHA-256 of `<t>.<body>`, keyed with the whole secret.
func signature(secret, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Compares every pair, even after one has matched, so that the time it takes reveals nothing.
func matches(signatures [][]byte, secrets []string, t string, body []byte) bool {
	isOne := false
	for _, secret := range secrets {
		own := signature(secret, t, body)
		for _, sent := range signatures {
			isOne = hmac.Equal(own, sent) || isOne
		}
	}
	return isOne
}

var timeShape = regexp.MustCompile(`^t=([0-9]{1,12})$`)
var signatureShape = regexp.MustCompile(`^v1=([0-9a-f]{64})$`)
var joinedShape = regexp.MustCompile(`,\s*t=`)

func readSignature(header http.Header) (string, [][]byte, error) {
	var values []string
	for name, each := range header {
		if strings.EqualFold(name, "Rip-Signature") {
			values = append(values, each...)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if strings.TrimSpace(strings.Join(values, "")) == "" {
		return "", nil, &SignatureError{"header_missing", "There is no Rip-Signature. Pass all headers of the request."}
	}
	if len(values) > 1 || joinedShape.MatchString(values[0]) {
		return "", nil, &SignatureError{"header_repeated", "There is more than one Rip-Signature. A webhook has one."}
	}
	parts := strings.Split(values[0], ",")
	t := timeShape.FindStringSubmatch(strings.TrimSpace(parts[0]))
	var signatures [][]byte
	for _, part := range parts[1:] {
		if sent := signatureShape.FindStringSubmatch(strings.TrimSpace(part)); sent != nil {
			bytes, _ := hex.DecodeString(sent[1])
			signatures = append(signatures, bytes)
		}
	}
	if t == nil || len(signatures) == 0 {
		return "", nil, &SignatureError{"header_malformed", "Rip-Signature must read t=<unix seconds>,v1=<64 hexadecimal digits>. Pass it as it came."}
	}
	return t[1], signatures, nil
}

func judgeSecrets(secrets []string) error {
	malformed := func(fault string) error {
		return &SignatureError{"secret_malformed", "The signing secret is the endpoint's signing_secret, rip_whsec_…, from the answer that created it. " + fault}
	}
	if len(secrets) == 0 || slices.Contains(secrets, "") {
		return malformed("There is none. Is its environment variable set?")
	}
	for _, secret := range secrets {
		switch {
		case strings.TrimSpace(secret) != secret:
			return malformed("It has white space around it, perhaps a line break.")
		case strings.HasPrefix(secret, "rip_sk_") || strings.HasPrefix(secret, "rip_pk_"):
			return malformed("This is an API key.")
		case !strings.HasPrefix(secret, "rip_whsec_"):
			return malformed("This one lacks the prefix, which is part of the secret.")
		}
	}
	return nil
}

func (v Verifier) judgeTime(t string) error {
	tolerance, now := v.Tolerance, time.Now()
	if tolerance == 0 {
		tolerance = 300 * time.Second
	}
	if v.Now != nil {
		now = v.Now()
	}
	seconds, _ := strconv.ParseInt(t, 10, 64)
	age := float64(now.UnixMilli())/1000 - float64(seconds)
	if math.Abs(age) <= tolerance.Seconds() {
		return nil
	}
	far := math.Ceil(math.Abs(age))
	if age > 0 {
		return &SignatureError{"timestamp_too_old", fmt.Sprintf("The webhook was signed %.0f s ago; %s are tolerated. Every attempt has a new signature.", far, tolerance)}
	}
	return &SignatureError{"timestamp_in_future", fmt.Sprintf("The webhook was signed %.0f s from now; %s are tolerated. Is this machine's clock behind?", far, tolerance)}
}
