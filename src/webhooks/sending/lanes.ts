// All endpoints that this process sends to, and how they share its slots.

import type { ClaimOrder, EndpointCapacity } from '../queue/claim-store.ts'
import { breakerState, type StoredBreaker } from './breaker.ts'
import {
  type AttemptResult,
  begin,
  end,
  hear,
  isQuiet,
  type Lane,
  laneStanding,
  new_window,
  newLane,
  roomOf,
} from './lane.ts'

/**
 * Attempts under way at once in one process. The same number of results may wait to be written before further ones take
 * slots as well.
 */
const slots_max = 256
/**
 * An endpoint that answers well is trusted, one without an attempt is new, any other one fails or is slow. Very many
 * endpoints may not be trusted, and each of their attempts may last long. So each kind has a limit that leaves slots
 * for the better kinds. Two eighths are always left for the trusted.
 */
const most = {
  untrusted: (slots_max * 6) / 8,
  new: (slots_max * 5) / 8,
  other: (slots_max * 4) / 8,
  /** Retries at them leave an eighth of the slots to first attempts. */
  other_retries: (slots_max * 3) / 8,
}
/** The trusted leave an eighth: otherwise no further endpoint could become trusted. */
const kept_for_untrusted = slots_max / 8
/** Every claim lists each of them. */
const lanes_max = 2_000

export type Shares = Pick<
  ClaimOrder,
  'rooms' | 'room' | 'slots' | 'trusted_slots' | 'untrusted_slots' | 'new_slots' | 'other_slots'
>

type Asking = { is_retry: boolean; unwritten: number; now_ms: number }

export type Lanes = ReturnType<typeof openLanes>

/** How many processes deliver, and how long another process needs to probe an endpoint. */
type DeliveringProcesses = {
  processes(): number
  probe_ms: number
  /** Attempts that this process has under way in other cells; left out, none. */
  elsewhere?: (() => number) | undefined
}

const alone: DeliveringProcesses = { processes: () => 1, probe_ms: 0 }

export function openLanes({ processes, probe_ms, elsewhere = () => 0 }: DeliveringProcesses = alone) {
  const lanes = new Map<string, Lane>()
  let under_way = 0

  function laneOf(endpoint_id: string): Lane {
    const knownLane = lanes.get(endpoint_id)
    if (knownLane) return knownLane
    if (lanes.size >= lanes_max) forgetSome(lanes)
    const lane = newLane()
    lanes.set(endpoint_id, lane)
    return lane
  }

  return {
    underWay: () => under_way,
    /** What may be claimed now. `unwritten` counts results that are not written yet. */
    shares({ is_retry, unwritten, now_ms }: Asking): Shares {
      const rooms: EndpointCapacity[] = []
      let others = 0
      let fresh = 0
      for (const [endpoint_id, lane] of lanes) {
        if (isQuiet(lane, now_ms)) continue
        const standing = laneStanding(lane, now_ms)
        if (standing === 'new') fresh += lane.under_way.size
        else if (standing !== 'trusted') others += lane.under_way.size
        rooms.push({ endpoint_id, room: roomOf(lane, is_retry, now_ms, processes()), standing })
      }
      const untrusted = fresh + others
      const used_slots = under_way + elsewhere() + Math.max(0, unwritten - slots_max)
      const slots = Math.max(0, slots_max - used_slots)
      const slotsUpTo = (limit: number, used: number) => Math.min(slots, Math.max(0, limit - used))
      return {
        rooms,
        room: new_window,
        slots,
        trusted_slots: slots - slotsUpTo(kept_for_untrusted, untrusted),
        untrusted_slots: slotsUpTo(most.untrusted, untrusted),
        new_slots: slotsUpTo(most.new, fresh),
        other_slots: slotsUpTo(is_retry ? most.other_retries : most.other, others),
      }
    },
    /** Takes over a breaker's state that another process wrote. */
    hear(endpoint_id: string, state: StoredBreaker): void {
      hear(laneOf(endpoint_id), state, processes() > 1 ? probe_ms : 0)
    },
    /** Endpoints whose breaker is open here. */
    listOpen(): string[] {
      return [...lanes].flatMap(([id, { breaker }]) => (breaker.open_until_ms === null ? [] : [id]))
    },
    begin(endpoint_id: string, attempt: { attempt_id: string; is_retry: boolean }, now_ms: number) {
      under_way += 1
      begin(laneOf(endpoint_id), attempt, now_ms)
    },
    /** Returns whether more deliveries of its kind may wait, and the endpoint's breaker if it opened or closed. */
    end(endpoint_id: string, attempt: AttemptResult, chance: number) {
      under_way -= 1
      const lane = laneOf(endpoint_id)
      const { breaker: before } = lane
      const { was_full } = end(lane, attempt, chance, processes())
      const changedBreaker = lane.breaker.changed_ms === before.changed_ms ? null : lane.breaker
      return { was_full, turned: changedBreaker }
    },
    breakers(now_ms: number): Record<'closed' | 'open' | 'half_open', number> {
      const count = { closed: 0, open: 0, half_open: 0 }
      for (const { breaker } of lanes.values()) count[breakerState(breaker, now_ms)] += 1
      return count
    },
  }
}

/** Forgets the half that was unused for the longest, except lanes in use and endpoints that are known to be down. */
function forgetSome(lanes: Map<string, Lane>): void {
  const unusedLanes = [...lanes].filter(
    ([, { under_way, breaker }]) => under_way.size === 0 && breaker.open_until_ms === null,
  )
  const oldest = unusedLanes.sort(([, a], [, b]) => a.last_used_ms - b.last_used_ms)
  for (const [endpoint_id] of oldest.slice(0, lanes_max / 2)) lanes.delete(endpoint_id)
}
