// An orphan: an authorisation at an acquirer that no payment of ours stands behind. Which authorisations are orphans,
// when there are too many, and what becomes of their reversal.

import { type AuthorisationName, isGone, type LiveAuthorisation, type SettleAnswer } from '../acquirers/acquirer.ts'
import type { JournalChange, OpenLine } from '../audit/journal.ts'
import { type Ids, idsFrom, millisecondsOf } from '../kernel/ids.ts'
import type { Mode } from '../kernel/values.ts'
import { nextTryAt } from './backoff.ts'
import { isOpen, type OperationState } from './operation.ts'
import type { PaymentStatus } from './payment.ts'

export type Orphan = {
  acquirer: string
  /** The authorisation's names: ours, and the acquirer's if they are known. */
  reference: string
  handle: string | null
  acquirer_transaction_id: string | null
  mode: Mode
  amount: number
  currency: string
  /** Null if the acquirer did not list it. */
  authorised_at: Date | null
  found_at: Date
  /** Known only if an operation of ours has the reference. */
  merchant_id: string | null
  payment_id: string | null
  /** Our reference for its reversal. */
  operation_id: string
  /** The acquirer's name for the reversal if the acquirer carries it out later; else null. */
  reversal_transaction_id: string | null
  /** `left`: a person decided that it is not to be reversed. */
  state: 'found' | 'reversed' | 'nothing_to_reverse' | 'left'
  /** How many times its reversal was begun. */
  tries: number
  /** Also null while the sweep that found it is running, and while it is held back. */
  next_try_at: Date | null
  /** When the brake held it back; null while the sweep that found it is running. */
  held_back_at: Date | null
  last_failure: string | null
  /** Until then the acquirer may still approve it, although there is nothing to reverse yet. Null if that cannot happen. */
  watched_until: Date | null
  settled_at: Date | null
  /** The last person who left it, and the reason. Both are kept even if its state changes later. */
  left_by: string | null
  left_reason: string | null
  /** The last person who had it reversed although it was held back or left, and the time. Both are kept as well. */
  released_by: string | null
  released_at: Date | null
}

/**
 * The state of an orphan, for people. `found`: its sweep has not yet decided whether to hold it back. `unreversed`: it is due, and
 * for days no answer has settled it, so a person has to ask the acquirer.
 */
export type OrphanStanding = Orphan['state'] | 'held_back' | 'due' | 'unreversed'

export function standingOf(orphan: Orphan, now: Date): OrphanStanding {
  const { state, next_try_at, held_back_at } = orphan
  if (state !== 'found') return state
  if (next_try_at !== null) return isUnreversed(orphan, now) ? 'unreversed' : 'due'
  return held_back_at === null ? 'found' : 'held_back'
}

/** Most acquirers carry out a reversal within a day, and post what came of it within another. */
export const unreversed_ms = 2 * 24 * 3_600_000

/** While it was held back, nobody tried. */
export function isUnreversed(
  { tries, found_at, released_at }: Pick<Orphan, 'tries' | 'found_at' | 'released_at'>,
  now: Date,
): boolean {
  const due_since_ms = Math.max(found_at.getTime(), released_at?.getTime() ?? 0)
  return tries > 0 && now.getTime() - due_since_ms > unreversed_ms
}

/**
 * An unknown authorisation with our mark is most likely a payment that our books lost, by a failover or an old backup: its
 * intent was committed before it was sent. So it waits for a person. An operator may choose automatic reversal. Even then none
 * is reversed while more than `most` were found within this time at one acquirer.
 */
export const brake = { most: 20, within_ms: 24 * 3_600_000 }

/**
 * A brake is pulled by a person, or by the service if the database seems to have lost commits. Until a person releases it, no
 * unknown authorisation is reversed, however few there are and whatever the operator's rule is.
 *
 * A known orphan from before the brake waits, too, and so does the watch of a reversed reference. It is an orphan in the lost
 * books as well, since the states of a charge only go forward: failed, declined and voided charges stay so, and sent or unknown
 * ones are looked up. But a person may have left it, and that decision may be lost with the commits.
 */
export type Brake = {
  /** A name, or `every_acquirer`. */
  acquirer: string
  pulled_at: Date
  pulled_by: string
  reason: string
  /** When and by whom it was released; null while it is pulled. */
  released_at: Date | null
  released_by: string | null
}

/** The name for brakes that the service itself pulled. */
export const service_actor = 'service'

/** Stands for all acquirers. */
export const every_acquirer = '*'

/** Our record under the reference of an authorisation. */
export type RecordedCharge = AuthorisationName & {
  merchant_id: string
  payment_id: string
  state: OperationState
  payment_status: PaymentStatus
  /** A reversal of the same payment is still unanswered. */
  is_being_reversed: boolean
}

/** A charge may be approved this long after its reference was made. By another clock it may also be before. */
const reference_slack_ms = 8 * 24 * 3_600_000

/**
 * Whether an authorisation may be ours. Either it has our mark, or it comes from a version without marks and has a reference
 * that we could have made at about that time. Other users of the same account at the acquirer do not concern us.
 */
export function mayBeOurs(
  { reference, installation, authorised_at }: Pick<LiveAuthorisation, 'reference' | 'installation' | 'authorised_at'>,
  our_mark: string,
): boolean {
  if (installation === our_mark) return true
  if (!/^[0-9a-f]{32}$/.test(reference)) return false
  return Math.abs(authorised_at.getTime() - millisecondsOf(reference)) <= reference_slack_ms
}

/** Whether a payment of ours rests on the charge, or may yet do so. Such a charge is never taken back. */
export function standsBehind({ state, payment_status, is_being_reversed }: RecordedCharge): boolean {
  // The reconciler settles these, and sends a reversal if one is needed.
  if (isOpen({ state })) return true
  if (is_being_reversed) return true
  if (state !== 'approved') return false
  return payment_status === 'captured' || payment_status === 'held' || payment_status === 'pending'
}

type FoundAuthorisation = Pick<
  Orphan,
  'acquirer' | 'reference' | 'mode' | 'amount' | 'currency' | 'authorised_at' | 'merchant_id' | 'payment_id'
> &
  Partial<Pick<Orphan, 'handle' | 'acquirer_transaction_id'>>

/**
 * A new orphan. It is due at once if its payment is known; otherwise a person or the operator's rule decides. A charge that a
 * person gives up is an orphan too, listed or not: if the acquirer made it after all, it is reversed.
 */
export function newOrphan(
  authorisation: FoundAuthorisation,
  { operation_id, now }: { operation_id: string; now: Date },
): Orphan {
  return {
    acquirer: authorisation.acquirer,
    mode: authorisation.mode,
    reference: authorisation.reference,
    handle: authorisation.handle ?? null,
    acquirer_transaction_id: authorisation.acquirer_transaction_id ?? null,
    amount: authorisation.amount,
    currency: authorisation.currency,
    authorised_at: authorisation.authorised_at,
    merchant_id: authorisation.merchant_id,
    payment_id: authorisation.payment_id,
    found_at: now,
    operation_id,
    reversal_transaction_id: null,
    state: 'found',
    tries: 0,
    next_try_at: authorisation.merchant_id === null ? null : now,
    held_back_at: null,
    last_failure: null,
    watched_until: null,
    settled_at: null,
    left_by: null,
    left_reason: null,
    released_by: null,
    released_at: null,
  }
}

/** Why an orphan of an authorisation that has lapsed held nothing. */
export const lapsed = 'it has lapsed'

/** A line about an orphan. The statement that writes it looks up the payment, and writes no line if there is none. */
export type OrphanLine = Omit<OpenLine, 'session_id'> & { reference: string }

export function orphanLine(
  ids: Pick<Ids, 'journalEntry'>,
  reference: string,
  line: Pick<JournalChange, 'change' | 'detail' | 'actor' | 'at'>,
): OrphanLine {
  const detail = { reference, ...line.detail }
  return { ...line, detail, reference, entry_id: ids.journalEntry(line.at), request_id: null }
}

/**
 * `try_again`: under the same reference, or under another one if an answer to it was final. `money` replaces the amount if it
 * is given.
 */
export type Verdict =
  | { verdict: 'reversed' }
  | { verdict: 'nothing_to_reverse'; reason: string }
  | {
      verdict: 'try_again'
      as: 'same' | 'another'
      failure: string
      money?: Pick<Orphan, 'amount' | 'currency'>
      /** The acquirer's name for the reversal that it has accepted. */
      reversal_transaction_id?: string
    }

/** Null if the answer alone does not show whether the authorisation is live. */
export function verdictOf(answer: SettleAnswer): Verdict | null {
  if (answer.result === 'approved') return { verdict: 'reversed' }
  if (!isGone(answer) && answer.decline_code !== 'not_approved') return null
  return { verdict: 'nothing_to_reverse', reason: answer.reason }
}

const forgotten_ms = 7 * 24 * 3_600_000

/**
 * Whether a charge was given up a week ago, and the acquirer has neither listed nor named it since. It then holds nothing, whatever
 * the acquirer says about it. If it is listed after all, the sweep finds it. Where nothing is listed, no time says that.
 */
export function isForgotten(
  orphan: Pick<Orphan, 'authorised_at' | 'found_at' | 'handle' | 'acquirer_transaction_id'>,
  { lists, now }: { lists: boolean; now: Date },
): boolean {
  const { authorised_at, found_at, handle, acquirer_transaction_id } = orphan
  const is_nameless = (handle ?? acquirer_transaction_id) === null
  if (!lists || !is_nameless || authorised_at !== null) return false
  return now.getTime() - found_at.getTime() >= forgotten_ms
}

/** Close together at first, because most acquirers are back within minutes. The shopper may have paid twice meanwhile. */
const waits_seconds = [60, 120, 300, 600, 900, 1800, 3600]

/** Whether the charge could still arrive after its reversal, so that another reversal must follow. */
export function isWatched({ operation_id, watched_until }: Orphan): boolean {
  return watched_until !== null && operation_id < idsFrom(watched_until)
}

/** The waits while an orphan is watched: a late authorisation must not hold the shopper's money for long. */
const watched_waits_seconds = [20, 30, 60, 60, 60, 60, 60, 120, 300]

/** When to begin the reversal again. `chance` is from 0 up to 1. */
export function nextReversalAt(orphan: Orphan, { now, chance }: { now: Date; chance: number }): Date {
  const waits = isWatched(orphan) ? watched_waits_seconds : waits_seconds
  return nextTryAt(waits, { tries: orphan.tries, now, chance })
}
