// Makes the calls that come as lines of JSON through stripe-node: `node node.mjs MODULE BASE_URL`.

import { createInterface } from 'node:readline'

const [module, base_url] = process.argv.slice(2)
const { default: Stripe } = await import(module)
const { hostname: host, port, protocol } = new URL(base_url)
const address = { host, port: Number(port), protocol: protocol.slice(0, -1), maxNetworkRetries: 2 }

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answerTo(JSON.parse(line))))
}

async function answerTo(step) {
  try {
    return { object: await run(step) }
  } catch (error) {
    const { code, param, statusCode: status, rawType: type, message, requestId: request_id } = error
    return { error: { class: error.constructor.name, code, param, status, type, message, request_id } }
  }
}

function run({ call, id, params = {}, options = {}, key }) {
  const stripe = new Stripe(key ?? 'none', address)
  switch (call) {
    case 'library':
      return { version: Stripe.PACKAGE_VERSION, api_version: stripe.getConstant('DEFAULT_API_VERSION') }
    case 'webhooks.construct_event':
      return stripe.webhooks.constructEvent(params.payload, params.signature, params.secret)
  }
  const parts = call.replace('line_items.list', 'list_line_items').split('.').map(camel)
  const method = parts.pop()
  const resource = parts.reduce((parent, name) => parent[name], stripe)
  const act = resource[method] ?? (method === 'delete' ? resource.del : undefined)
  const more = Object.entries(options).map(([name, value]) => [camel(name), value])
  // Older majors do not know empty options for what they are.
  const last = more.length > 0 ? [Object.fromEntries(more)] : []
  const given = act.call(resource, ...(id ? [id] : []), params, ...last)
  return method.startsWith('list') ? allOf(given) : given
}

async function allOf(pages) {
  const all = []
  for await (const one of pages) all.push(one)
  return all
}

function camel(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
}
