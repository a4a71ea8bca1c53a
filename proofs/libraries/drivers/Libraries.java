// Makes the calls that come as lines of JSON through stripe-java: `java -cp JARS Libraries.java BASE_URL`.
// Its parameters and services have types, so they are found by name and filled by the names that the library itself sends.

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.ToNumberPolicy;
import com.stripe.Stripe;
import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.Event;
import com.stripe.model.StripeCollection;
import com.stripe.model.StripeObject;
import com.stripe.net.ApiRequestParams;
import com.stripe.net.RequestOptions;
import com.stripe.net.Webhook;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

public class Libraries {
  static final Gson gson = new GsonBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();

  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = lines.readLine()) != null; ) {
      var answer = new JsonObject();
      try {
        answer.add("object", run(JsonParser.parseString(line).getAsJsonObject(), args[0]));
      } catch (InvocationTargetException error) {
        if (!(error.getCause() instanceof StripeException cause)) throw error;
        answer.add("error", told(cause));
      } catch (StripeException error) {
        answer.add("error", told(error));
      }
      System.out.println(answer);
    }
  }

  static JsonElement run(JsonObject step, String base_url) throws Exception {
    var call = step.get("call").getAsString();
    var params = step.has("params") ? step.getAsJsonObject("params") : new JsonObject();
    if (call.equals("library")) {
      return gson.toJsonTree(Map.of("version", Stripe.VERSION, "api_version", Stripe.API_VERSION));
    }
    if (call.equals("webhooks.construct_event")) {
      var texts = List.of("payload", "signature", "secret").stream().map((name) -> params.get(name).getAsString());
      var of = texts.toArray(String[]::new);
      return typed(Webhook.constructEvent(of[0], of[1], of[2]));
    }
    var key = step.has("key") ? step.get("key").getAsString() : "none";
    Object service = StripeClient.builder().setApiKey(key).setApiBase(base_url).setMaxNetworkRetries(2).build().v1();
    var names = new ArrayList<>(Arrays.asList(call.split("\\.")));
    var method = camel(names.remove(names.size() - 1));
    for (var name : names) service = service.getClass().getMethod(camel(name)).invoke(service);

    var ids = step.has("id") ? List.of(step.get("id").getAsString()) : List.<String>of();
    var act = widest(service.getClass(), method);
    var given = new ArrayList<Object>(ids);
    for (var type : act.getParameterTypes()) {
      if (ApiRequestParams.class.isAssignableFrom(type)) given.add(gson.fromJson(params, type));
      if (type == RequestOptions.class) given.add(options(step.getAsJsonObject("options")));
    }
    var object = act.invoke(service, given.toArray());
    if (!(object instanceof StripeCollection<?> pages)) return json((StripeObject) object);
    var all = new com.google.gson.JsonArray();
    for (var each : pages.autoPagingIterable()) all.add(json((StripeObject) each));
    return all;
  }

  /** The method of that name that takes parameters and options. */
  static Method widest(Class<?> service, String name) {
    return Arrays.stream(service.getMethods())
        .filter((each) -> each.getName().equals(name))
        .max((one, other) -> one.getParameterCount() - other.getParameterCount())
        .orElseThrow();
  }

  static RequestOptions options(JsonObject given) throws Exception {
    var options = RequestOptions.builder();
    if (given == null) return options.build();
    for (var name : given.keySet()) {
      var set = options.getClass().getMethod(camel("set_" + name), String.class);
      set.invoke(options, given.get(name).getAsString());
    }
    return options.build();
  }

  /** An event with the object that the library made of its data; without one where the library does not trust the version. */
  static JsonElement typed(Event event) {
    var told = json(event).getAsJsonObject();
    var object = event.getDataObjectDeserializer().getObject();
    told.getAsJsonObject("data").remove("object");
    object.ifPresent((one) -> told.getAsJsonObject("data").add("object", json(one)));
    return told;
  }

  static JsonElement json(StripeObject object) {
    return JsonParser.parseString(object.toJson());
  }

  static JsonObject told(StripeException error) {
    var told = new JsonObject();
    told.addProperty("class", error.getClass().getSimpleName());
    told.addProperty("code", error.getCode());
    told.addProperty("status", error.getStatusCode());
    told.addProperty("message", error.getMessage());
    told.addProperty("request_id", error.getRequestId());
    if (error.getStripeError() == null) return told;
    told.addProperty("param", error.getStripeError().getParam());
    told.addProperty("type", error.getStripeError().getType());
    return told;
  }

  static String camel(String name) {
    var parts = name.split("_");
    for (var at = 1; at < parts.length; at++) {
      parts[at] = parts[at].substring(0, 1).toUpperCase() + parts[at].substring(1);
    }
    return String.join("", parts);
  }
}
