// The documents in docs/ that are made from the code, so that they cannot say otherwise.

import { version } from './cli/version.ts'
import { catalogue } from './errors.ts'
import { statusOf } from './http/dialects.ts'
import { openApiDocument } from './http/openapi.ts'
import { refusalsOf } from './http/route.ts'
import { readAssets } from './pages/assets.ts'
import { pageInventory } from './pages/inventory.ts'
import { inventoryDocument } from './pages/inventory-document.ts'
import { routes } from './routes.ts'

/** The texts by their path in the repository. The pages' scripts must have been built. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${JSON.stringify(openApiDocument(routes), null, 2)}\n`,
    'docs/errors.md': errorsDocument(),
    'docs/SCRIPT_INVENTORY.md': inventoryDocument(pageInventory(readAssets()), version()),
  }
}

function errorsDocument(): string {
  const rows = Object.entries(catalogue).map(([code, { status, when }]) => {
    const where = routes.filter((route) => refusalsOf(route).some((each) => each === code))
    const places =
      where.length === routes.length
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

| error | status | when | routes |
|---|---|---|---|
${rows.join('\n')}
`
}
