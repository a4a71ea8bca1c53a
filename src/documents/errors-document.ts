// The page of all refusals, from the catalogue and from what each route may refuse with.

import { isWebhook, statusOf } from '../http/dialects.ts'
import { refusalsOf } from '../http/route.ts'
import { describedRoute, type Stream } from '../http/stream.ts'
import { apiRefusals, statusesOf } from '../kernel/errors.ts'
import { routes, streams } from '../routes.ts'

type Described = Pick<(typeof routes)[number], 'method' | 'path' | 'dialect' | 'access'>
type Group = { name: string; which: string; has(route: Described): boolean }

const takesKey = ({ access, dialect }: Described) =>
  (access.kind === 'secret_key' || access.kind === 'bearer_key') && !isWebhook(dialect)
const isOfShopper = ({ access, method }: Described) => access.kind === 'client_secret' && method === 'POST'

/** Routes that mostly refuse alike, so that a cell names the group and not each of its routes. The largest come first. */
const groups: Group[] = [
  { name: 'payment routes', which: 'those that take a secret key, but the webhook routes', has: takesKey },
  {
    name: 'payment routes with an id',
    which: 'those with `{session_id}`, `{payment_id}` or `{refund_id}` in their path',
    has: (route) => takesKey(route) && route.path.includes('{'),
  },
  {
    name: 'webhook routes',
    which: '`/v1/webhooks/…` and `GET /v1/events/stream`',
    has: ({ dialect }) => isWebhook(dialect),
  },
  {
    name: 'client-secret routes',
    which: '`state`, `card_references`, `authenticate` and `confirm` below `/v1/checkout/sessions/{session_id}/`',
    has: ({ access }) => access.kind === 'client_secret',
  },
  {
    name: 'creates',
    which: '`POST` of a session or payment intent, by a server or by a page',
    has: ({ method, path }) => method === 'POST' && /\/(sessions|payment_intents)$/.test(path),
  },
  { name: 'shopper’s steps', which: '`card_references`, `authenticate`, `confirm`', has: isOfShopper },
  { name: 'hold routes', which: '`/v1/payments/{payment_id}/hold/…`', has: ({ path }) => path.includes('/hold/') },
  {
    name: 'webhook changes',
    which: 'webhook routes with `POST` or `DELETE`',
    has: ({ dialect, method }) => isWebhook(dialect) && method !== 'GET',
  },
  {
    name: 'server’s creates',
    which: '`POST /v1/checkout/sessions`, `POST /v1/payment_intents`',
    has: (route) => takesKey(route) && /\/(sessions|payment_intents)$/.test(route.path) && route.method === 'POST',
  },
  {
    name: 'page’s creates',
    which: '`POST /v1/checkout/public/sessions`, `POST /v1/checkout/handles/{handle}/sessions`',
    has: ({ access, method, path }) => access.kind === 'open' && method === 'POST' && path.endsWith('/sessions'),
  },
  {
    name: 'refund creates',
    which: '`POST /v1/payments/{payment_id}/refunds`, `POST /v1/refunds`',
    has: ({ method, path }) => method === 'POST' && path.endsWith('/refunds'),
  },
  {
    name: 'compatible creates',
    which: '`POST /v1/payment_intents`, `POST /v1/refunds`',
    has: ({ dialect, method }) => dialect === 'compatible' && method === 'POST',
  },
  {
    name: 'card steps',
    which: '`card_references`, `authenticate`',
    has: (route) => isOfShopper(route) && !route.path.endsWith('/confirm'),
  },
  { name: 'confirm', which: '`POST …/confirm`', has: (route) => isOfShopper(route) && route.path.endsWith('/confirm') },
  {
    name: 'replay',
    which: '`POST /v1/webhooks/deliveries/{delivery_id}/replay`',
    has: ({ dialect }) => dialect === 'webhook_replay',
  },
]

/** The text of docs/errors.md. */
export function errorsDocument(): string {
  const described = [
    ...routes.filter(({ alias_of }) => !alias_of),
    ...streams.map((stream) => describedRoute(stream as Stream<never>)),
  ]
  const rows = apiRefusals.map(([code, { status, when }]) => {
    const where = described.filter((route) => refusalsOf(route).includes(code))
    const [, ...also] = statusesOf(code)
    // A request may be malformed on any route.
    const isEverywhere = where.length === described.length || also.length > 0
    const statuses = new Set(where.map(({ dialect }) => statusOf(dialect, { code, status })))
    const places = isEverywhere ? 'every route' : placesOf(where, described)
    return `| \`${code}\` | ${inWords([...statuses, ...also])} | ${when} | ${places} |`
  })
  return `# Refusals

These are all refusals of the API. Branch on the code, never on \`message\`. The [reference](openapi.json) says which each route has.
\`npm run docs\` makes this page from the code.

The service refuses a request for the first thing that is wrong, in this order:

1. Its key or client secret. For a page: its publishable key or handle, then the integration, then the \`Origin\`. If the body names
   the publishable key, the service reads the body here.
2. On webhook routes and streams: how often the account makes such requests.
3. Its idempotency key, then whether the id in its path can exist. If the key has an answer already, the request gets that answer
   now, whatever else is wrong with it.
4. Whether the account may act. On client-secret routes this comes after the body.
5. Its query and body. Of several faults, \`card_data_rejected\` comes before \`metadata_too_large\`, and that before any other.
6. What it demands of the account: an amount that can be verified, a mode, a complete profile.
7. The state of its session, payment, hold or delivery.
8. How often a page creates sessions or a shopper enters cards (\`rate_limit_exceeded\`), and last whether the card is valid.

| where | the body of a refusal |
|---|---|
| checkout and payment routes | \`{error, message, request_id}\` |
| webhook routes: what is wrong with the key | \`{code}\` |
| webhook routes: idempotency and rate limit; list of deliveries | \`{error, message}\` |
| webhook endpoints: create, list, delete | \`{error, message, allowed}\`; \`allowed\` is null unless the error is \`unknown_event_type\` |
| replay of a delivery | \`{error}\` |
| compatible routes | \`{error: {type, code, message, param, ripper_code}}\`; the code below is \`ripper_code\`. \`param\` is there if one parameter is to blame |

The last table names routes by these words; the compatible routes belong to them, too:

| word | routes |
|---|---|
${groups.map(({ name, which }) => `| ${name} | ${which} |`).join('\n')}

| error | status | when | routes |
|---|---|---|---|
${rows.join('\n')}
`
}

/** Groups that refuse so as a whole, then the routes that are in none of these. */
function placesOf(where: Described[], all: Described[]): string {
  const named: string[] = []
  const left = new Set(where)
  for (const { name, has } of groups) {
    const own = all.filter(has)
    if (own.some((route) => !where.includes(route)) || !own.some((route) => left.has(route))) continue
    named.push(name)
    for (const route of own) left.delete(route)
  }
  return [...named, ...[...left].map(({ method, path }) => `\`${method} ${path}\``)].join(', ')
}

function inWords(statuses: number[]): string {
  const last = statuses.at(-1)
  return statuses.length < 2 ? `${last}` : `${statuses.slice(0, -1).join(', ')} or ${last}`
}
