// All endpoints that this process sends to, and how they share its slots.

import type { ClaimOrder, EndpointCapacity } from '../queue/claim-store.ts'
import { type StoredBreaker, stateOf } from './breaker.ts'
import {
  type AttemptResult,
  begin,
  end,
  hear,
  isQuiet,
  type Lane,
  new_window,
  newLane,
  roomOf,
  standingOf,
} from './lane.ts'

/** Attempts under way at once, in one process. As many results may wait to be written before they take slots, too. */
const slots_max = 256
/**
 * An endpoint that answers well is trusted, one that was not heard of yet is new, any other fails or is slow. Those that are not
 * trusted may be very many, and each of their attempts may last long: each kind has a limit, so that the next better one has
 * slots left. Two eighths of all are always left for the trusted.
 */
const most = {
  untrusted: (slots_max * 6) / 8,
  new: (slots_max * 5) / 8,
  other: (slots_max * 4) / 8,
  /** The retries among them leave an eighth to first attempts. */
  other_retries: (slots_max * 3) / 8,
}
/** The trusted in their turn leave an eighth: without it no endpoint could ever become trusted, or trusted again. */
const kept_for_untrusted = slots_max / 8
/** Each is named in every claim. */
const lanes_max = 2_000

export type Shares = Pick<
  ClaimOrder,
  'rooms' | 'room' | 'slots' | 'trusted_slots' | 'untrusted_slots' | 'new_slots' | 'other_slots'
>

type Asking = { is_retry: boolean; held: number; now_ms: number }

export type Lanes = ReturnType<typeof openLanes>

/** How many processes deliver, and how long an endpoint's own process needs to see whether it answers again. */
type Company = {
  processes(): number
  probe_ms: number
  /** Attempts that this process has under way in other cells; left out, there are none. */
  elsewhere?: (() => number) | undefined
}

const alone: Company = { processes: () => 1, probe_ms: 0 }

export function openLanes({ processes, probe_ms, elsewhere = () => 0 }: Company = alone) {
  const lanes = new Map<string, Lane>()
  let under_way = 0

  function laneOf(endpoint_id: string): Lane {
    const known = lanes.get(endpoint_id)
    if (known) return known
    if (lanes.size >= lanes_max) forgetSome(lanes)
    const lane = newLane()
    lanes.set(endpoint_id, lane)
    return lane
  }

  return {
    underWay: () => under_way,
    /** What may be claimed now. `held` counts results that are not written yet. */
    shares({ is_retry, held, now_ms }: Asking): Shares {
      const rooms: EndpointCapacity[] = []
      let others = 0
      let fresh = 0
      for (const [endpoint_id, lane] of lanes) {
        if (isQuiet(lane, now_ms)) continue
        const standing = standingOf(lane, now_ms)
        if (standing === 'new') fresh += lane.under_way.size
        else if (standing !== 'trusted') others += lane.under_way.size
        rooms.push({ endpoint_id, room: roomOf(lane, is_retry, now_ms, processes()), standing })
      }
      const untrusted = fresh + others
      const taken = under_way + elsewhere() + Math.max(0, held - slots_max)
      const slots = Math.max(0, slots_max - taken)
      const slotsUpTo = (limit: number, taken: number) => Math.min(slots, Math.max(0, limit - taken))
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
    hear(endpoint_id: string, seen: StoredBreaker): void {
      hear(laneOf(endpoint_id), seen, processes() > 1 ? probe_ms : 0)
    },
    /** Endpoints whose breaker is open here. */
    listOpen(): string[] {
      return [...lanes].flatMap(([id, { breaker }]) => (breaker.open_until_ms === null ? [] : [id]))
    },
    begin(endpoint_id: string, attempt: { attempt_id: string; is_retry: boolean }, now_ms: number) {
      under_way += 1
      begin(laneOf(endpoint_id), attempt, now_ms)
    },
    /** Returns whether more of its kind may wait, and the endpoint's breaker where it opened or closed. */
    end(endpoint_id: string, attempt: AttemptResult, chance: number) {
      under_way -= 1
      const lane = laneOf(endpoint_id)
      const { breaker: before } = lane
      const { was_full } = end(lane, attempt, chance, processes())
      const turned = lane.breaker.changed_ms === before.changed_ms ? null : lane.breaker
      return { was_full, turned }
    },
    breakers(now_ms: number): Record<'closed' | 'open' | 'half_open', number> {
      const count = { closed: 0, open: 0, half_open: 0 }
      for (const { breaker } of lanes.values()) count[stateOf(breaker, now_ms)] += 1
      return count
    },
  }
}

/** The half that was not used for the longest, but for those in use, and those that are known to be down. */
function forgetSome(lanes: Map<string, Lane>): void {
  const unused = [...lanes].filter(
    ([, { under_way, breaker }]) => under_way.size === 0 && breaker.open_until_ms === null,
  )
  const oldest = unused.sort(([, a], [, b]) => a.last_used_ms - b.last_used_ms)
  for (const [endpoint_id] of oldest.slice(0, lanes_max / 2)) lanes.delete(endpoint_id)
}
