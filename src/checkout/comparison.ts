// The comparison of our books with an acquirer's: what each has of a charge, and where they disagree.

import type {
  AuthorisationName,
  AuthorisationStanding,
  LiveAuthorisation,
  LookUpAnswer,
} from '../acquirers/acquirer.ts'
import { idsFrom, millisecondsOf } from '../kernel/ids.ts'
import type { Mode } from '../kernel/values.ts'
import { isOpen, type OperationState } from './operation.ts'
import type { PaymentStatus } from './payment.ts'

/** A charge as we have it, with its payment. */
export type BookedCharge = AuthorisationName & {
  merchant_id: string
  payment_id: string
  acquirer: string
  state: OperationState
  payment_status: PaymentStatus
  amount: number
  currency: string
  /** A capture, void or reversal of it waits for its answer. */
  is_under_way: boolean
}

/** A charge as the acquirer has it. `unknown`: it is neither listed nor found. */
export type Theirs = {
  state: AuthorisationStanding['state'] | 'declined' | 'in_progress' | 'unknown'
  /** Null where nothing was approved. */
  amount: number | null
  currency: string | null
}

export const finding_kinds = [
  'missing_there',
  'declined_there',
  'voided_there',
  'reversed_there',
  'expired_there',
  'reserved_there',
  'captured_there',
  'amount_differs',
  'currency_differs',
] as const

/** `…_there`: how it stands at the acquirer, and not here. */
export type FindingKind = (typeof finding_kinds)[number]

export type Finding = {
  acquirer: string
  reference: string
  kind: FindingKind
  mode: Mode
  merchant_id: string
  payment_id: string
  ours: { state: string; amount: number; currency: string }
  theirs: Theirs
  found_at: Date
  seen_at: Date
  /** When a later look found both to agree. */
  cleared_at: Date | null
  resolved_at: Date | null
  resolved_by: string | null
  resolved_reason: string | null
}

/** Where both disagree; `wait` while it cannot be said, since something of it is under way here. */
export function compare(booked: BookedCharge, theirs: Theirs): FindingKind[] | 'wait' {
  const expected = expectedOf(booked)
  if (expected === 'wait') return 'wait'
  // That we claim nothing and it is live is an orphan.
  if (expected === null) return []
  const { state, amount, currency } = theirs
  const kinds: FindingKind[] = state === expected ? [] : [kind_of[state]]
  if (state === 'reserved' || state === 'captured') {
    if (currency !== booked.currency) kinds.push('currency_differs')
    if (amount !== booked.amount) kinds.push('amount_differs')
  }
  return kinds
}

const kind_of: Record<Theirs['state'], FindingKind> = {
  unknown: 'missing_there',
  in_progress: 'missing_there',
  declined: 'declined_there',
  voided: 'voided_there',
  reversed: 'reversed_there',
  expired: 'expired_there',
  reserved: 'reserved_there',
  captured: 'captured_there',
}

/** How the acquirer must have it; null where we claim nothing. */
function expectedOf({
  state,
  payment_status,
  is_under_way,
}: BookedCharge): 'captured' | 'reserved' | 'wait' | null {
  if (is_under_way || payment_status === 'pending') return 'wait'
  if (isOpen({ state })) return 'wait'
  if (state !== 'approved') return null
  if (payment_status === 'captured') return 'captured'
  return payment_status === 'held' ? 'reserved' : null
}

/** As it is listed. */
export function listedAs({ captured, amount, currency }: LiveAuthorisation): Theirs {
  return { state: captured ? 'captured' : 'reserved', amount, currency }
}

export const unknown_there: Theirs = { state: 'unknown', amount: null, currency: null }

/** As it is found. A reference that the acquirer has for something else says nothing of the charge. */
export function foundAs(look: LookUpAnswer): Theirs {
  const nothing = { amount: null, currency: null }
  if (look.result === 'in_progress') return { state: 'in_progress', ...nothing }
  if (look.result !== 'found' || look.kind !== 'authorise') return unknown_there
  return look.standing ?? { state: 'declined', ...nothing }
}

/** Nothing of it has changed between two reads, and nothing was begun. */
export function isUnchanged(before: BookedCharge, after: BookedCharge | undefined): boolean {
  return (
    after !== undefined &&
    before.state === after.state &&
    before.payment_status === after.payment_status &&
    before.amount === after.amount &&
    before.currency === after.currency &&
    !before.is_under_way &&
    !after.is_under_way
  )
}

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

/** So far back everything is compared. */
const compared_ms = 48 * hour_ms
/** What the last comparison had come to is gone through once more: an acquirer may list late. */
const overlap_ms = 24 * hour_ms
/** No further, however long there was none. */
const compared_max_ms = 31 * 24 * hour_ms
/** What is younger may be under way still. */
const settling_ms = 10 * minute_ms
/** Between the time in our reference and that of the approval, as a rule. */
const apart_ms = 15 * minute_ms

/** `since` belongs to it, `until` does not. */
export type Window = { since: Date; until: Date }

/**
 * What a comparison that begins now goes through. `compared_until`: how far the last that came to its end came, null for
 * none. Where it came to its end long ago what was made since is not left out.
 */
export function spanToCompare(now: Date, compared_until: Date | null): Window {
  const again_ms = (compared_until?.getTime() ?? now.getTime()) - overlap_ms
  const since_ms = Math.min(now.getTime() - compared_ms, again_ms)
  return {
    since: new Date(Math.max(since_ms, now.getTime() - compared_max_ms)),
    until: new Date(now.getTime() - settling_ms),
  }
}

/** Its hours, in order: an acquirer is asked for one at a time. */
export function hoursOf({ since, until }: Window): Window[] {
  const hours: Window[] = []
  for (let at_ms = since.getTime(); at_ms < until.getTime(); at_ms += hour_ms) {
    hours.push({
      since: new Date(at_ms),
      until: new Date(Math.min(at_ms + hour_ms, until.getTime())),
    })
  }
  return hours
}

/** What is listed to find there what has a reference of the window. */
export function around({ since, until }: Window): Window {
  return {
    since: new Date(since.getTime() - apart_ms),
    until: new Date(until.getTime() + apart_ms),
  }
}

/** The references that we minted in the window: from the first on, below the second. */
export function referencesOf({ since, until }: Window): { from: string; below: string } {
  return { from: idsFrom(since), below: idsFrom(until) }
}

/** Where an authorisation of that reference is listed, however late it was approved, for the second look. */
export function widelyAround(reference: string): Window {
  // To the hour, so that one list does for many.
  const hour = Math.floor(millisecondsOf(reference) / hour_ms) * hour_ms
  return { since: new Date(hour - hour_ms), until: new Date(hour + 6 * hour_ms) }
}
