// Writes the generated documents: docs/openapi.json and docs/errors.md. `npm run docs` after changing a route.

import { writeFileSync } from 'node:fs'
import { generatedDocuments } from '../src/documents.ts'

for (const [path, text] of Object.entries(generatedDocuments())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
