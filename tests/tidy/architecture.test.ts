// ARCHITECTURE.md, CONTRIBUTING.md and the decision records name files and folders that exist, lead to what is there, and leave no record out.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const records = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`)

/** Files and folders by their path in the repository, each with a slash before it; folders with one behind it. */
const paths = ['src', 'web', 'sdk', 'tests'].flatMap((folder) => [
  `/${folder}/`,
  ...readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name).slice(root.length)
    return entry.isDirectory() ? `${path}/` : path
  }),
])

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', ...records])('%s', (path) => {
  const text = read(path)

  test('names files and folders that exist', () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, name]) => name!)
    expect(named.filter((name) => !paths.some((each) => each.endsWith(`/${name}`)))).toEqual([])
  })

  test('leads to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link!)
    const missing = links.filter((link) => !existsSync(join(root, dirname(path), normalize(link))))
    expect(missing).toEqual([])
  })
})

test('ARCHITECTURE.md leads to every record', () => {
  const text = read('ARCHITECTURE.md')
  expect(records.length).toBeGreaterThan(9)
  expect(records.filter((path) => !text.includes(`](${path})`))).toEqual([])
})

test('a record says what was decided, in which need, what was measured and what it costs', () => {
  for (const path of records) {
    const parts = [...read(path).matchAll(/^## .*$/gm)].map(([heading]) => heading)
    expect([path, ...parts]).toEqual([path, '## Context', '## Decision', '## Measured', '## Costs'])
  }
})
