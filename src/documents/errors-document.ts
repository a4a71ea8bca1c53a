// The page of all refusals, from the catalogue.

import { statusOf } from '../http/dialects.ts'
import { refusalsOf } from '../http/route.ts'
import { describedRoute, type Stream } from '../http/stream.ts'
import { apiRefusals, statusesOf } from '../kernel/errors.ts'
import { routes, streams } from '../routes.ts'

/** The text of docs/errors.md. */
export function errorsDocument(): string {
  const described = [...routes, ...streams.map((stream) => describedRoute(stream as Stream<never>))]
  const rows = apiRefusals.map(([code, { status, when }]) => {
    const where = described.filter((route) => refusalsOf(route).includes(code))
    const [, ...also] = statusesOf(code)
    const statuses = new Set(where.map(({ dialect }) => statusOf(dialect, { code, status })))
    return `| \`${code}\` | ${inWords([...statuses, ...also])} | ${when} |`
  })
  return `# Refusals

All refusals of the API. Branch on the code, never on \`message\`. The [reference](openapi.json) has those of each route. \`npm run docs\` makes
this page from the code. A request is refused for the first thing that is wrong, in this order:

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

| error | status | when |
|---|---|---|
${rows.join('\n')}
`
}

function inWords(statuses: number[]): string {
  const last = statuses.at(-1)
  return statuses.length < 2 ? `${last}` : `${statuses.slice(0, -1).join(', ')} or ${last}`
}
