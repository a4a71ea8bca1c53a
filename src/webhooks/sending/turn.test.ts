// Simulates claims that never reach all endpoints at once: each endpoint must still get its turn.

import { describe, expect, test } from 'vitest'
import type { Claim, ClaimOrder, EndpointCapacity } from '../queue/claim-store.ts'
import { firstRound, nextRound } from './turn.ts'

const endpoints_max = 500

/** How often each endpoint was served, and the longest wait of one, in rounds. */
function simulate(setting: { endpoints: number; slots: number; trusted: number; busy: number }) {
  const trusted_slots = Math.floor(setting.slots * 0.8)
  const other_slots = setting.slots - trusted_slots
  const rooms = Array.from({ length: setting.endpoints }, (_, index): EndpointCapacity => {
    const standing = index % 10 < setting.trusted * 10 ? 'trusted' : 'other'
    return { endpoint_id: `e${String(index).padStart(4, '0')}`, room: 1, standing }
  })
  const claimCounts = new Map(rooms.map(({ endpoint_id }) => [endpoint_id, { count: 0, round: 0 }]))
  const random = lehmer(1)
  let progress = firstRound
  let longest = 0
  for (let round = 1; round <= 3_000; round++) {
    const { turn } = progress
    const waiting = rooms.filter(() => random() < setting.busy)
    const walked = waiting.filter(({ endpoint_id }) => endpoint_id > turn.after_endpoint).slice(0, endpoints_max)
    const first = (standing: string, mark: string, slots: number) =>
      walked
        .filter((room) => room.standing === standing)
        .map(({ endpoint_id }) => endpoint_id)
        .sort((a, b) => Number(a <= mark) - Number(b <= mark) || (a < b ? -1 : 1))
        .slice(0, slots)
    const claimedIds = [
      ...first('trusted', turn.after_trusted, trusted_slots),
      ...first('other', turn.after_other, other_slots),
    ]
    for (const endpoint_id of claimedIds) {
      const one = claimCounts.get(endpoint_id)!
      longest = Math.max(longest, round - one.round)
      claimCounts.set(endpoint_id, { count: one.count + 1, round })
    }
    const order = {
      ...turn,
      rooms,
      slots: setting.slots,
      trusted_slots,
      other_slots,
      endpoints_max,
    }
    const claim = {
      deliveries: claimedIds.map((endpoint_id) => ({ endpoint_id })),
      endpoints: walked.length,
      last_endpoint: walked.at(-1)?.endpoint_id ?? null,
      next_due_at: null,
    }
    progress = nextRound(progress, order as ClaimOrder, claim as Claim)
  }
  const counts = [...claimCounts.values()].map(({ count }) => count)
  return { least: Math.min(...counts), most: Math.max(...counts), longest }
}

function lehmer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test.each([
  { endpoints: 300, slots: 20, trusted: 0.5, busy: 1 },
  { endpoints: 1_000, slots: 100, trusted: 0, busy: 1 },
  { endpoints: 1_000, slots: 100, trusted: 0.5, busy: 1 },
  { endpoints: 1_200, slots: 40, trusted: 0.7, busy: 0.6 },
])('$endpoints endpoints and $slots slots: none is passed over', (setting) => {
  const { least, most, longest } = simulate(setting)
  expect(least).toBeGreaterThan(0)
  // Endpoints of one standing have equal shares; different standings have different shares.
  expect(most / least).toBeLessThan(40)
  expect(longest).toBeLessThan(1_500)
})

describe('a round', () => {
  const slots = { slots: 9, trusted_slots: 9, untrusted_slots: 9, new_slots: 9, other_slots: 9 }
  const order = { rooms: [], ...slots, endpoints_max: 2 }
  const turn = { after_endpoint: '', after_trusted: '', after_other: '' }
  const claimOf = (last: string, endpoints: number, delivery_count: number, due_at: string | null = null) =>
    ({
      deliveries: Array.from({ length: delivery_count }, () => ({ endpoint_id: last })),
      last_endpoint: last,
      endpoints,
      next_due_at: due_at && new Date(due_at),
    }) as Claim
  const go = (...claims: Claim[]) =>
    claims.reduce(
      (round, claim) => nextRound(round, { ...order, ...round.turn } as Partial<ClaimOrder> as ClaimOrder, claim),
      firstRound,
    )

  test.each([
    ['of one claim is over and not begun again', [claimOf('a', 1, 1)], true, false],
    ['goes on where there are more endpoints', [claimOf('b', 2, 0)], false, false],
    ['that found nothing is over', [claimOf('b', 2, 0), claimOf('c', 1, 0)], true, false],
    ['of several claims is begun again', [claimOf('b', 2, 1), claimOf('c', 1, 0)], true, true],
    [
      'begun again finds nothing',
      [claimOf('b', 2, 1), claimOf('c', 1, 0), claimOf('b', 2, 0), claimOf('c', 1, 0)],
      true,
      false,
    ],
  ])('%s', (_name, claims, is_over, is_again) => {
    expect(go(...claims)).toMatchObject({ is_over, is_again })
  })

  test('knows the earliest that is due of all it passed', () => {
    const [soon, late] = ['2026-09-01T12:00:00Z', '2026-09-01T13:00:00Z']
    const round = go(claimOf('b', 2, 0, late), claimOf('d', 2, 0, soon), claimOf('e', 1, 0, late))
    expect(round.next_due_at).toEqual(new Date(soon))
    expect(go(claimOf('b', 2, 0, soon), claimOf('c', 1, 0), claimOf('b', 1, 0)).next_due_at).toBeNull()
  })

  test('its first turn is that of everybody', () => expect(firstRound.turn).toEqual(turn))
})
