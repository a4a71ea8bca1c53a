// The files that are made from the code, so that they cannot contradict it: documents in docs/, and the SDK's types.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { allSettings } from '../config/config.ts'
import { statusOf } from '../http/dialects.ts'
import { refusalsOf } from '../http/route.ts'
import { describedRoute, type Stream } from '../http/stream.ts'
import { apiRefusals, statusesOf } from '../kernel/errors.ts'
import { version } from '../kernel/version.ts'
import { readAssets } from '../pages/assets.ts'
import { pageInventory } from '../pages/inventory.ts'
import { inventoryDocument } from '../pages/inventory-document.ts'
import { events, routes, streams } from '../routes.ts'
import { dashboardGuide } from './dashboard-guide.ts'
import { openApiDocument } from './openapi/openapi.ts'
import { sdkTypes } from './sdk-types.ts'
import { testCardsDocument } from './test-cards-document.ts'

/** The texts by their path in the repository. The scripts of pages must be built before. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${JSON.stringify(openApiDocument(routes, events, streams), null, 2)}\n`,
    'docs/errors.md': errorsDocument(),
    'docs/dashboard.md': dashboardGuide(),
    'docs/operations/settings.md': settingsDocument(),
    'docs/shop.md': shopGuide(),
    'docs/test-cards.md': testCardsDocument(),
    'docs/SCRIPT_INVENTORY.md': inventoryDocument(pageInventory(readAssets()), version()),
    'sdk/src/api-types.ts': sdkTypes(),
  }
}

function errorsDocument(): string {
  const described = [
    ...routes.filter(({ alias_of }) => !alias_of),
    ...streams.map((stream) => describedRoute(stream as Stream<never>)),
  ]
  const long: string[] = []
  const rows = apiRefusals.map(([code, { status, when }]) => {
    const where = described.filter((route) => refusalsOf(route).includes(code))
    const [, ...also] = statusesOf(code)
    const names = where.map(({ method, path }) => `\`${method} ${path}\``)
    // A request may be malformed on any route.
    const is_anywhere = where.length === described.length || also.length > 0
    const is_long = !is_anywhere && names.length > routes_max
    if (is_long) long.push(`### Routes of \`${code}\`\n\n${names.map((name) => `- ${name}\n`).join('')}`)
    const listed = is_long ? `[${names.length} routes](#routes-of-${code})` : names.join('<br>')
    const places = is_anywhere ? 'every route' : listed
    const statuses = new Set(where.map(({ dialect }) => statusOf(dialect, { code, status })))
    const shown = inWords([...statuses, ...also])
    return `| \`${code}\` | ${shown} | ${when} | ${places} |`
  })
  return `# Refusals

These are all refusals of the API. Branch on the code, never on \`message\`. \`npm run docs\` makes this page from the code.

The service checks a request in this order, and refuses it for the first thing that is wrong:

1. Its key or client secret. For a page: its publishable key or handle, then the integration, then the \`Origin\`. If the body names
   the publishable key, the service reads the body here.
2. On webhook routes and streams: how often the account makes such requests.
3. Its idempotency key, then whether the id in its path can exist. If the key has an answer already, the request gets that answer
   now, whatever else is wrong with it.
4. Whether the account may act. On routes that take a client secret, this comes after the body.
5. Its query and body. Of several faults, \`card_data_rejected\` comes before \`metadata_too_large\`, and that before any other.
6. What it demands of the account: an amount that can be verified, a mode, a complete profile.
7. The state of its session, payment, hold or delivery.

After all that, the service checks how often a page creates sessions or a shopper enters cards (\`rate_limit_exceeded\`), and last
whether the card is valid.

| where | the body of a refusal |
|---|---|
| checkout and payment routes | \`{error, message, request_id}\` |
| webhook routes: what is wrong with the key | \`{code}\` |
| webhook routes: idempotency and rate limit; list of deliveries | \`{error, message}\` |
| webhook endpoints: create, list, delete | \`{error, message, allowed}\`; \`allowed\` is null unless the error is \`unknown_event_type\` |
| replay of a delivery | \`{error}\` |
| compatible routes | \`{error: {type, code, message, param, ripper_code}}\`; the code below is \`ripper_code\`. \`param\` is there if one parameter is to blame |

| error | status | when | routes |
|---|---|---|---|
${rows.join('\n')}

## Routes of refusals that many give

${long.join('\n')}`
}

/** A cell of the table names no more routes than these: a reader must find the next row. */
const routes_max = 3

function inWords(statuses: number[]): string {
  const last = statuses.at(-1)
  return statuses.length < 2 ? `${last}` : `${statuses.slice(0, -1).join(', ')} or ${last}`
}

/** The text of docs/operations/settings.md, from the records that the service reads settings by. */
function settingsDocument(): string {
  const rows = allSettings.map(({ name, meaning, fallback, secret }) => {
    const marked = secret ? `${meaning} (secret)` : meaning
    return `| \`${name}\` | ${tableCell(marked)} | ${tableCell(fallback)} |\n`
  })
  return `# Settings

The service reads these variables of the environment once, at its start. \`npx ripper config\` lists them with their values, secrets without.
A value that cannot be read stops the start, with a message that names the variable. \`npx ripper doctor\` finds names that are misspelt.
In [a container](../install.md#a-container) a file in \`/run/secrets\` with the name of a setting becomes that setting; [systemd](../install.md#systemd)
reads \`/etc/ripper/environment\`. Commands need the same settings as the service. \`npm run docs\` makes this page from the code.

| setting | what it is | default |
|---|---|---|
${rows.join('')}`
}

function tableCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const shop_begin = '<!-- shop.mjs -->\n```js\n'

/** docs/shop.md with the file that its code block shows. */
function shopGuide(): string {
  const [before] = readFileSync(`${docs}shop.md`, 'utf8').split(shop_begin)
  return `${before}${shop_begin}${readFileSync(`${docs}examples/shop.mjs`, 'utf8')}\`\`\`\n`
}
