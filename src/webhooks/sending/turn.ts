// Whose turn it is: claims go round all endpoints, so that no waiting endpoint is passed over for long and the database
// is not queried in vain.

import { type Claim, type ClaimOrder, type Standing, share_min } from '../queue/claim-store.ts'

/** Where the last claim of a class ended. */
export type Turn = Pick<ClaimOrder, 'after_endpoint' | 'after_trusted' | 'after_other'>

const firstTurn: Turn = { after_endpoint: '', after_trusted: '', after_other: '' }

/** A walk over all endpoints, in one or several claims. */
export type Round = {
  turn: Turn
  /** The walk has come to its end. */
  is_over: boolean
  /** It took several claims and found deliveries: the endpoints at its start may have more. */
  is_again: boolean
  has_found: boolean
  /** The next time at which a passed endpoint has a due delivery. */
  next_due_at: Date | null
  /** Its last claim ran out of slots, or an endpoint used up its share: more may wait. */
  was_cut: boolean
}

export const firstRound: Round = {
  turn: firstTurn,
  is_over: true,
  is_again: false,
  has_found: false,
  next_due_at: null,
  was_cut: false,
}

/** The round after a claim that continued it or began a new one. */
export function nextRound(round: Round, order: ClaimOrder, claim: Claim): Round {
  const before = round.is_over ? firstRound : round
  const claimedIds = byStanding(order, claim.deliveries)
  const cut = cutShort(order, claimedIds, claim.deliveries)
  const turn = nextTurn(order, claim, claimedIds, cut)
  const is_over = turn.after_endpoint === ''
  const has_found = before.has_found || claim.deliveries.length > 0
  const dues = [before.next_due_at, claim.next_due_at].filter((due_at) => due_at !== null)
  return {
    turn,
    is_over,
    has_found,
    is_again: is_over && has_found && order.after_endpoint !== '',
    next_due_at: dues.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
    was_cut: Object.values(cut).includes(true),
  }
}

type ClaimedIds = ReturnType<typeof byStanding>
type Cut = ReturnType<typeof cutShort>

/** Which standings ran out of slots in a claim, and whether an endpoint used up its share. */
function cutShort(order: ClaimOrder, { trusted, others, fresh }: ClaimedIds, deliveries: Claim['deliveries']) {
  const is_full = deliveries.length >= order.slots
  const is_cut = is_full || fresh.length + others.length >= order.untrusted_slots
  return {
    trusted: is_full || trusted.length >= order.trusted_slots,
    others: is_cut || others.length >= order.other_slots,
    fresh: is_cut || fresh.length >= order.new_slots,
    an_endpoint: mostOfOne(deliveries) >= share_min,
  }
}

function mostOfOne(deliveries: Claim['deliveries']): number {
  const counts = new Map<string, number>()
  for (const { endpoint_id: id } of deliveries) counts.set(id, (counts.get(id) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

/** The turn after a claim. If a standing ran out of slots, the endpoints that got none come first next time. */
function nextTurn(
  order: ClaimOrder,
  { endpoints, last_endpoint }: Claim,
  { trusted, others }: ClaimedIds,
  cut: Cut,
): Turn {
  const last = endpoints < order.endpoints_max ? null : last_endpoint!
  const walk = { after: order.after_endpoint, last }
  return {
    after_endpoint: last ?? '',
    after_trusted: nextMark({ mark: order.after_trusted, ids: trusted, was_cut: cut.trusted }, walk),
    after_other: nextMark({ mark: order.after_other, ids: others, was_cut: cut.others }, walk),
  }
}

function byStanding({ rooms }: ClaimOrder, deliveries: Claim['deliveries']) {
  const standings = new Map(rooms.map(({ endpoint_id, standing }) => [endpoint_id, standing]))
  const ids = deliveries.map(({ endpoint_id }) => endpoint_id)
  const idsOf = (...kinds: Standing[]) => ids.filter((id) => kinds.includes(standings.get(id) ?? 'new'))
  return { trusted: idsOf('trusted'), others: idsOf('other', 'shut'), fresh: idsOf('new') }
}

/**
 * Endpoints after the mark are served first, then those before it, from the beginning. A claim over a part of the
 * endpoints moves the mark only where the mark lies among them: otherwise the rest of their round would be skipped.
 */
function nextMark(
  { mark, ids, was_cut }: { mark: string; ids: string[]; was_cut: boolean },
  walk: { after: string; last: string | null },
): string {
  const is_here = mark >= walk.after && (walk.last === null || mark < walk.last)
  if (!is_here) return mark
  const before = ids.filter((id) => id <= mark)
  const is_whole = walk.after === '' && walk.last === null
  if (was_cut && before.length === 0) return ids.toSorted().at(-1) ?? mark
  if (was_cut && is_whole) return before.toSorted().at(-1)!
  return walk.last ?? ''
}
