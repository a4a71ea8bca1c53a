// No step of a checkout costs more, or less, than the table in the repository says: whoever changes what a step costs keeps it anew.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Cost, Costs } from '../../bench/costs.ts'
import { freshDatabase } from '../support/database.ts'
import { runFile } from '../support/programs.ts'

const program = resolve(import.meta.dirname, '../../bench/costs.ts')
const kept = resolve(import.meta.dirname, '../../bench/costs.json')

/** By which share a count may differ. Ids and times have their lengths, pages of indexes split, and the heap is sampled. */
const margins: Record<keyof Cost, number> = { statements: 0, sent: 0.03, received: 0.03, log: 0.1, heap: 0.25 }

test('what each step of a checkout costs', async () => {
  const database = await freshDatabase('empty')
  const { status, stdout, stderr } = await runFile(program, ['--print', database.url]).finally(database.drop)
  expect([status, stderr]).toEqual([0, ''])
  const counted: Costs = JSON.parse(stdout)
  const expected: Costs = JSON.parse(readFileSync(kept, 'utf8'))
  expect(Object.keys(counted)).toEqual(Object.keys(expected))
  const others = Object.entries(expected).flatMap(([step, cost]) =>
    Object.entries(margins).flatMap(([what, margin]) => {
      const [now, before] = [counted[step]![what as keyof Cost], cost[what as keyof Cost]]
      const is_near = Math.abs(now - before) <= Math.max(before * margin, margin && 64)
      return is_near ? [] : [`${step}: ${what} is ${now}, and the table has ${before}`]
    }),
  )
  const words = 'Where it is meant: node bench/costs.ts keeps the new counts.'
  expect(others, words).toEqual([])
}, 120_000)
