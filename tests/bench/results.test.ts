// The figures that are kept of benchmarks, and the page that says what each benchmark measures.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readResult, resultNames } from '../../bench/report.ts'

const root = resolve(import.meta.dirname, '../..')

test('each kept table has cells below all of its headings, a day and a machine', () => {
  expect(resultNames().length).toBeGreaterThan(25)
  for (const { name, headings, rows, notes } of resultNames().map(readResult)) {
    expect([name, rows.filter((row) => row.length !== headings.length)]).toEqual([name, []])
    expect(notes?.at(-1)).toMatch(/^Measured on \d{4}-\d\d-\d\d: \d+ cores/)
  }
})

test('bench/README.md says of each benchmark what it measures', () => {
  const [, list] = /^const benchmarks: [^\n]* = \{\n([\s\S]*?)^\}/m.exec(
    readFileSync(join(root, 'bench/run.ts'), 'utf8'),
  )!
  const names = [...list!.matchAll(/^ {2}'?([\w-]+)/gm)].map(([, name]) => name)
  const text = readFileSync(join(root, 'bench/README.md'), 'utf8')
  const [, table] = text.split('| benchmark | what it measures |\n|---|---|\n')
  const named = table!
    .split('\n\n')[0]!
    .split('\n')
    .map((row) => /^\| `([\w-]+)` \|/.exec(row)?.[1])
  expect(named).toEqual(names)
})
