// The files that are made from the code, so that they cannot say otherwise: documents in docs/, and the SDK's types.

import { version } from './cli/version.ts'
import { catalogue } from './errors.ts'
import { statusOf } from './http/dialects.ts'
import { openApiDocument } from './http/openapi.ts'
import { refusalsOf } from './http/route.ts'
import { describedRoute, type Stream } from './http/stream.ts'
import { readAssets } from './pages/assets.ts'
import { pageInventory } from './pages/inventory.ts'
import { inventoryDocument } from './pages/inventory-document.ts'
import { events, routes, streams } from './routes.ts'
import { sdkTypes } from './sdk-types.ts'

/** The texts by their path in the repository. The pages' scripts must have been built. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${JSON.stringify(openApiDocument(routes, events, streams), null, 2)}\n`,
    'docs/errors.md': errorsDocument(),
    'docs/SCRIPT_INVENTORY.md': inventoryDocument(pageInventory(readAssets()), version()),
    'sdk/src/api-types.ts': sdkTypes(),
  }
}

function errorsDocument(): string {
  const described = [
    ...routes.filter(({ alias_of }) => !alias_of),
    ...streams.map((stream) => describedRoute(stream as Stream<never>)),
  ]
  const rows = Object.entries(catalogue).map(([code, { status, when }]) => {
    const where = described.filter((route) => refusalsOf(route).some((each) => each === code))
    const places =
      where.length === described.length
        ? 'every route'
        : where.map(({ method, path }) => `\`${method} ${path}\``).join('<br>')
    const statuses = new Set(where.map(({ dialect }) => statusOf(dialect, { code, status })))
    return `| \`${code}\` | ${[...statuses].join(' or ')} | ${when} | ${places} |`
  })
  return `# Refusals

Every refusal of the API, in order of precedence: a request that breaks several rules gets the one that stands higher.
Branch on the code, never on \`message\`. Made from the code by \`npm run docs\`.

| where | the body of a refusal |
|---|---|
| checkout and payment routes | \`{error, message, request_id}\` |
| webhook routes: what is wrong with the key | \`{code}\` |
| webhook routes: idempotency and rate limit; list of deliveries | \`{error, message}\` |
| webhook endpoints: create, list, delete | \`{error, message, allowed}\`; \`allowed\` is null but for \`unknown_event_type\` |
| replay of a delivery | \`{error}\` |
| compatible routes | \`{error: {type, code, message, param, ripper_code}}\`; the code below is \`ripper_code\`, and \`param\` is there where one parameter is to blame |

| error | status | when | routes |
|---|---|---|---|
${rows.join('\n')}
`
}
