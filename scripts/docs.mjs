// Writes the generated documents: docs/openapi.json, docs/errors.md and docs/SCRIPT_INVENTORY.md. `npm run docs` after
// changing a route, a page or anything in web/.

import { writeFileSync } from 'node:fs'
import { generatedDocuments } from '../src/documents.ts'

for (const [path, text] of Object.entries(generatedDocuments())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
