// Writes what is generated: docs/openapi.json, docs/errors.md, docs/operations/settings.md, docs/SCRIPT_INVENTORY.md, roles in
// docs/dashboard.md, docs/test-cards.md, SDK types. `npm run docs` after changing a route, an event, a setting, a test card, a page
// or anything in web/.

import { writeFileSync } from 'node:fs'
import { generatedDocuments } from '../src/documents/documents.ts'

for (const [path, text] of Object.entries(generatedDocuments())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
