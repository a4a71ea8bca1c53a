# Makes the calls that come as lines of JSON through stripe-ruby: `ruby ruby.rb FOLDER BASE_URL`.

require "json"

folder, $base_url = ARGV
$LOAD_PATH.unshift(*Dir["#{folder}/lib"], *Dir["#{folder}/gems/stripe-*/lib"])
require "stripe"

$stdout.sync = true
Stripe.max_network_retries = 2
# The next page of a list goes to this address, whatever the client was given.
Stripe.api_base = $base_url

def run(call:, id: nil, params: {}, options: {}, key: "none")
  case call
  when "library"
    return { version: Stripe::VERSION, api_version: Stripe::ApiVersion::CURRENT }
  when "webhooks.construct_event"
    return Stripe::Webhook.construct_event(*params.values_at(:payload, :signature, :secret)).to_hash
  end
  *names, method = call.split(".")
  client = Stripe::StripeClient.new(key, api_base: $base_url)
  service = names.reduce(client.v1) { |parent, name| parent.public_send(name) }
  given = service.public_send(method, *id, params, options)
  method == "list" ? given.auto_paging_each.map(&:to_hash) : given.to_hash
end

def answer_to(step)
  { object: run(**step) }
rescue Stripe::StripeError => error
  { error: {
    class: error.class.name.split("::").last,
    code: error.code,
    param: error.respond_to?(:param) ? error.param : nil,
    status: error.http_status,
    type: error.error&.type,
    message: error.message,
    request_id: error.request_id,
  } }
end

$stdin.each_line { |line| puts JSON.generate(answer_to(JSON.parse(line, symbolize_names: true))) }
