// All Markdown of the repository together: a document says a thing once, so the sum only goes down.

import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
/** In thousands of bytes: what all documents weigh now, rounded up. A number here only ever goes down. */
const all_kb = 293
const readme_kb = 7

const folders = ['bench', 'bin', 'deploy', 'docs', 'proofs', 'scripts', 'sdk', 'src', 'tests', 'web']

function documents(): { path: string; bytes: number }[] {
  const inside = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  return [...readdirSync(root), ...inside]
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => ({ path, bytes: statSync(join(root, path)).size }))
}

test(`all Markdown has at most ${all_kb} kB, and the README ${readme_kb}`, () => {
  const files = documents()
  expect(files.length).toBeGreaterThan(40)
  const sum = files.reduce((total, { bytes }) => total + bytes, 0)
  expect(sum).toBeLessThanOrEqual(all_kb * 1000)
  // As a ratchet: whoever makes them smaller lowers the number.
  expect(sum).toBeGreaterThan((all_kb - 5) * 1000)
  expect(files.find(({ path }) => path === 'README.md')!.bytes).toBeLessThanOrEqual(readme_kb * 1000)
})
