import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { generatedDocuments } from '../../src/documents/documents.ts'

test.each(Object.entries(generatedDocuments()))('%s says what the code says', (path, text) => {
  expect(readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')).toBe(text)
})
