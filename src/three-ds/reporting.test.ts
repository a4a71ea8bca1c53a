import { beforeEach, expect, test } from 'vitest'
import { type FakeWorld, fakeWorld } from '../../tests/adapters/three-ds-fixtures.ts'
import type { ManualClock } from '../../tests/support/clock.ts'
import { openReporting, type Reporting } from './reporting.ts'
import { ProviderUnavailable } from './three-ds.ts'

let world: FakeWorld
let clock: ManualClock
let reporting: Reporting
beforeEach(() => {
  world = fakeWorld({ post: () => Promise.reject(new Error('nobody posts')) })
  clock = world.clock as ManualClock
  reporting = openReporting({ name: 'vendor:conn_1', world })
})

const fail = async (error: Error, step = 'fetch') => {
  const failing = reporting(step, () => Promise.reject(error))
  await expect(failing).rejects.toBe(error)
}
const away = (reason: string) => new ProviderUnavailable(reason)
const loggedFields = () => world.lines.map(({ fields }) => fields)

test('the first failure is logged at once, and those of a minute in one line', async () => {
  await fail(away('silent'), 'preauth')
  const first = { connection: 'vendor:conn_1', step: 'preauth', reason: 'silent' }
  expect(world.lines).toEqual([{ level: 'error', message: '3-D Secure provider cannot be used', fields: first }])
  for (let time = 0; time < 40; time++) await fail(away('silent'))
  await clock.advance(59_999)
  await fail(away('silent'))
  expect(loggedFields()).toEqual([first])
  await clock.advance(1)
  await fail(away('refused'))
  expect(loggedFields()[1]).toEqual({ ...first, step: 'fetch', reason: 'refused', times: 42 })
  await clock.advance(60_000)
  await fail(away('silent'))
  expect(loggedFields()[2]).toEqual({ ...first, step: 'fetch' })
})

test('each connection has lines of its own', async () => {
  await fail(away('silent'))
  reporting = openReporting({ name: 'vendor:conn_2', world })
  await fail(away('silent'))
  expect(loggedFields()).toMatchObject([{ connection: 'vendor:conn_1' }, { connection: 'vendor:conn_2' }])
})

test('what is no fault of the provider is not logged, and what works is returned', async () => {
  await fail(new Error('ours'))
  expect(await reporting('fetch', async () => 7)).toBe(7)
  expect(loggedFields()).toEqual([])
})

test('a clock that was set back silences nobody', async () => {
  let now = new Date('2026-09-01T12:00:00Z')
  reporting = openReporting({
    name: 'vendor:conn_1',
    world: { log: world.log, clock: { ...clock, now: () => now } },
  })
  await fail(away('silent'))
  now = new Date('2026-09-01T09:00:00Z')
  await fail(away('silent'))
  expect(loggedFields()).toHaveLength(2)
})
