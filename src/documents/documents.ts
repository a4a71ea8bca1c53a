// The files that are made from the code, so that they cannot contradict it: documents in docs/, and the packages' types.

import { allSettings } from '../config/config.ts'
import { version } from '../kernel/version.ts'
import { readAssets } from '../pages/assets.ts'
import { pageInventory } from '../pages/inventory.ts'
import { inventoryDocument } from '../pages/inventory-document.ts'
import { events, routes, streams } from '../routes.ts'
import { dashboardGuide } from './dashboard-guide.ts'
import { errorsDocument } from './errors-document.ts'
import { openApiDocument } from './openapi/openapi.ts'
import { packageTypes, sdkTypes } from './sdk-types.ts'
import { testCardsDocument } from './test-cards-document.ts'

/** The texts by their path in the repository. The scripts of pages must be built before. */
export function generatedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': `${JSON.stringify(openApiDocument(routes, events, streams), null, 2)}\n`,
    'docs/errors.md': errorsDocument(),
    'docs/dashboard.md': dashboardGuide(),
    'docs/operations/settings.md': settingsDocument(),
    'docs/test-cards.md': testCardsDocument(),
    'docs/SCRIPT_INVENTORY.md': inventoryDocument(pageInventory(readAssets()), version()),
    'sdk/src/api-types.ts': sdkTypes(),
    ...packageTypes(),
  }
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
