import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { generatedDocuments } from '../../src/documents/documents.ts'

test.each(Object.entries(generatedDocuments()))('%s says what the code says', (path, text) => {
  expect(readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')).toBe(text)
})

test('the table of refusals names groups of routes, and no more than a few routes one by one', () => {
  const cells = readFileSync(resolve(import.meta.dirname, '../../docs/errors.md'), 'utf8').match(/^\| `.*$/gm)!
  expect(cells.length).toBeGreaterThan(40)
  expect(cells.filter((row) => (row.match(/`(GET|POST|DELETE) /g) ?? []).length > 5)).toEqual([])
})
