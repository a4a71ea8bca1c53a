// Poolers that mix up connections are recognised, and others are not.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../tests/support/database.ts'
import { realClock } from '../../../tests/support/world.ts'
import { findPooling, type Glimpse, type Pooling, poolingOf } from './pooler.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

test('the server itself keeps connections apart', async () => {
  await expect(findPooling(fresh.url, { clock: realClock })).resolves.toBe('by_session')
  const unprepared = `${fresh.url}${fresh.url.includes('?') ? '&' : '?'}prepare=false`
  await expect(findPooling(unprepared, { clock: realClock })).resolves.toBe('by_session')
})

const own = (backend: number): Glimpse => ({ backend, known_names: ['r0123456789ab_1'] })
const translated = (backend: number): Glimpse => ({ ...own(backend), known_names: ['P_1'] })
const unnamed = (backend: number): Glimpse => ({ backend, known_names: [] })

test.each<[string, Glimpse[], Glimpse[], Pooling]>([
  ['by the session', [own(1), own(1)], [own(2), own(2)], 'by_session'],
  ['by the session, not prepared', [unnamed(1), unnamed(1)], [unnamed(2), unnamed(2)], 'by_session'],
  ['both on one backend', [own(1), own(1)], [own(1), own(1)], 'unsafe'],
  ['in turns', [own(1), own(2)], [own(3), own(4)], 'unsafe'],
  ['one of them moved', [own(1), own(1)], [own(2), own(3)], 'unsafe'],
  ['not prepared', [unnamed(1), unnamed(1)], [unnamed(1), unnamed(1)], 'unsafe'],
  ['names translated', [translated(1), translated(1)], [translated(1), translated(1)], 'by_transaction'],
  ['in turns, names translated', [translated(1), translated(2)], [translated(1), own(9)], 'unsafe'],
])('%s', (_, one, other, expected) => {
  expect(poolingOf(one, other)).toBe(expected)
})
