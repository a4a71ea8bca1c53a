import { expect, test } from 'vitest'
import type { ClaimedDelivery } from './claim-store.ts'
import { type Posted, settlementOf } from './deliver.ts'

const noon = new Date('2026-09-01T12:00:00Z')
const hour_ms = 3_600_000

test.each([
  ['as long as it took', 1_500, 1_500],
  ['nothing where the clock was set back', -1, 0],
  ['the most that the column holds', 2 ** 31 - 1, 2 ** 31 - 1],
  ['no more than that after a sleep of weeks', 30 * 24 * hour_ms, 2 ** 31 - 1],
])('the time of an attempt runs from its post: %s', (_name, took_ms, duration_ms) => {
  // It was claimed an hour before.
  const attempted_at = new Date(noon.getTime() - hour_ms)
  const settlement = settlementOf(
    { attempted_at } as ClaimedDelivery,
    { succeeded: true } as Posted,
    {
      ...{ began_at: noon, ended_at: new Date(noon.getTime() + took_ms) },
      ...{ schedule: [5], chance: 0 },
    },
  )
  expect(settlement).toMatchObject({ duration_ms, occurred_at: attempted_at })
})
