// An orphan: an authorisation at an acquirer that no payment of ours stands behind. Which authorisations are orphans,
// when there are too many, and what becomes of their reversal.

import { isGone, type LiveAuthorisation, type SettleAnswer } from '../acquirers/acquirer.ts'
import type { JournalChange, OpenLine } from '../audit/journal.ts'
import { type Ids, idsFrom, millisecondsOf } from '../kernel/ids.ts'
import type { Mode } from '../kernel/values.ts'
import { nextTryAt } from './backoff.ts'
import { isOpen, type OperationState } from './operation.ts'
import type { PaymentStatus } from './payment.ts'

export type Orphan = {
  acquirer: string
  /** Its authorisation's names: ours, and the acquirer's where they are known. */
  reference: string
  handle: string | null
  acquirer_transaction_id: string | null
  mode: Mode
  amount: number
  currency: string
  /** Null where the acquirer did not list it. */
  authorised_at: Date | null
  found_at: Date
  /** Where an operation of ours bears the reference. */
  merchant_id: string | null
  payment_id: string | null
  /** Our reference of its reversal. */
  operation_id: string
  /** The acquirer's own name of the reversal, where it carries it out later; else null. */
  reversal_transaction_id: string | null
  /** `left`: a person decided that it is not to be reversed. */
  state: 'found' | 'reversed' | 'nothing_to_reverse' | 'left'
  /** How often its reversal was begun. */
  tries: number
  /** Null, too, while the sweep that found it goes on, or while it is held back. */
  next_try_at: Date | null
  /** When the brake held it back. Null while the sweep that found it goes on. */
  held_back_at: Date | null
  last_failure: string | null
  /** Until then the acquirer may still approve it, though nothing is there to reverse yet; null where it never will. */
  watched_until: Date | null
  settled_at: Date | null
  /** The last person who left it, and why. Kept, whatever became of it since. */
  left_by: string | null
  left_reason: string | null
  /** The last person who had it reversed although it was held back or left, and when. Kept as well. */
  released_by: string | null
  released_at: Date | null
}

/** The state of an orphan, for people. `found`: its sweep decides at its end whether to hold it back. */
export type OrphanStanding = Orphan['state'] | 'held_back' | 'due'

export function standingOf({ state, next_try_at, held_back_at }: Orphan): OrphanStanding {
  if (state !== 'found') return state
  if (next_try_at !== null) return 'due'
  return held_back_at === null ? 'found' : 'held_back'
}

/**
 * An unknown authorisation with our mark is most likely a payment that our books lost, by a failover or an old backup:
 * its intent was committed before it was sent. So it waits for a person. Where the operator has such ones reversed
 * automatically, none is while more than `most` were found within this time at one acquirer.
 */
export const brake = { most: 20, within_ms: 24 * 3_600_000 }

/**
 * A brake that a person has pulled, or the service where the database seems to have lost commits. Until a person
 * releases it no unknown authorisation is reversed, however few there are and whatever the operator's rule is.
 *
 * A known orphan from before the brake waits, too, and so does the watch of a reversed reference. It is an orphan in
 * the lost books as well, since those of a charge only go forward: failed, declined and voided charges stay so, and
 * sent or unknown ones are looked up. But a person may have left it, and that decision may be lost with the commits.
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

/** What we wrote down under the reference of an authorisation. */
export type RecordedCharge = {
  reference: string
  merchant_id: string
  payment_id: string
  state: OperationState
  payment_status: PaymentStatus
  /** A reversal of the same payment waits for its answer. */
  is_being_reversed: boolean
}

/** A listed authorisation, and the payment that it belongs to, if known. */
export type Suspect = LiveAuthorisation & Pick<Orphan, 'merchant_id' | 'payment_id'>

/** A charge may be approved this long after its reference was made, or before it by another clock. */
const reference_slack_ms = 8 * 24 * 3_600_000

/**
 * Whether it may be ours: it bears our mark, or it is from a version without marks, with a reference that we could have
 * made at about that time. Other users of the same account at the acquirer are none of our business.
 */
export function mayBeOurs(
  { reference, installation, authorised_at }: LiveAuthorisation,
  our_mark: string,
): boolean {
  if (installation === our_mark) return true
  if (!/^[0-9a-f]{32}$/.test(reference)) return false
  return Math.abs(authorised_at.getTime() - millisecondsOf(reference)) <= reference_slack_ms
}

/**
 * The listed authorisations that no payment stands behind. An intent is committed before the acquirer is called, so one
 * that was listed first and looked up afterwards is known, or never will be. A known reference is ours, whatever mark
 * it bears; an unknown one is ours only by our mark.
 */
export function suspectsAmong(
  listed: LiveAuthorisation[],
  known: RecordedCharge[],
  our_mark: string,
): { suspects: Suspect[]; strangers: number } {
  const charges = new Map(known.map((charge) => [charge.reference, charge]))
  const suspects: Suspect[] = []
  let strangers = 0
  for (const authorisation of listed) {
    const charge = charges.get(authorisation.reference)
    const { merchant_id = null, payment_id = null } = charge ?? {}
    if (!charge && authorisation.installation !== our_mark) strangers += 1
    else if (!charge || !standsBehind(charge)) {
      suspects.push({ ...authorisation, merchant_id, payment_id })
    }
  }
  return { suspects, strangers }
}

/** Whether a payment of ours stands behind it, or may yet: then nothing takes it back. */
export function standsBehind({
  state,
  payment_status,
  is_being_reversed,
}: RecordedCharge): boolean {
  // The reconciler settles these, and sends a reversal where one is needed.
  if (isOpen({ state })) return true
  if (is_being_reversed) return true
  if (state !== 'approved') return false
  return payment_status === 'captured' || payment_status === 'held' || payment_status === 'pending'
}

type FoundAuthorisation = Pick<
  Orphan,
  | 'acquirer'
  | 'reference'
  | 'mode'
  | 'amount'
  | 'currency'
  | 'authorised_at'
  | 'merchant_id'
  | 'payment_id'
> &
  Partial<Pick<Orphan, 'handle' | 'acquirer_transaction_id'>>

/**
 * An orphan: due at once where its payment is known, else when a person or the operator's rule decides so. A charge
 * that a person gives up is one too, listed or not: if the acquirer made it after all, it is reversed.
 */
export function newOrphan(
  found: FoundAuthorisation,
  { operation_id, now }: { operation_id: string; now: Date },
): Orphan {
  return {
    acquirer: found.acquirer,
    mode: found.mode,
    reference: found.reference,
    handle: found.handle ?? null,
    acquirer_transaction_id: found.acquirer_transaction_id ?? null,
    amount: found.amount,
    currency: found.currency,
    authorised_at: found.authorised_at,
    merchant_id: found.merchant_id,
    payment_id: found.payment_id,
    found_at: now,
    operation_id,
    reversal_transaction_id: null,
    state: 'found',
    tries: 0,
    next_try_at: found.merchant_id === null ? null : now,
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

/** A line about an orphan. The statement that writes it finds the payment; without a payment there is no line. */
export type OrphanLine = Omit<OpenLine, 'session_id'> & { reference: string }

export function orphanLine(
  ids: Pick<Ids, 'journalEntry'>,
  reference: string,
  told: Pick<JournalChange, 'change' | 'detail' | 'actor' | 'at'>,
): OrphanLine {
  const detail = { reference, ...told.detail }
  return { ...told, detail, reference, entry_id: ids.journalEntry(told.at), request_id: null }
}

/**
 * `try_again`: under the same reference, or under another where an answer to it was final; for other money if it says
 * so.
 */
export type Verdict =
  | { verdict: 'reversed' }
  | { verdict: 'nothing_to_reverse'; reason: string }
  | {
      verdict: 'try_again'
      as: 'same' | 'another'
      failure: string
      money?: Pick<Orphan, 'amount' | 'currency'>
      /** The acquirer's own name of the reversal that it has accepted. */
      reversal_transaction_id?: string
    }

/** Null where the answer alone does not say whether the authorisation is live. */
export function verdictOf(answer: SettleAnswer): Verdict | null {
  if (answer.result === 'approved') return { verdict: 'reversed' }
  if (!isGone(answer) && answer.decline_code !== 'not_approved') return null
  return { verdict: 'nothing_to_reverse', reason: answer.reason }
}

const forgotten_ms = 7 * 24 * 3_600_000

/**
 * A charge that was given up a week ago and not listed since holds nothing, whatever the acquirer says of it. Should it
 * be listed after all, the sweep finds it.
 */
export function isForgotten(
  { authorised_at, found_at }: Pick<Orphan, 'authorised_at' | 'found_at'>,
  now: Date,
): boolean {
  return authorised_at === null && now.getTime() - found_at.getTime() >= forgotten_ms
}

/** Close together at first: most acquirers are back within minutes, and a shopper may have paid twice meanwhile. */
const waits_seconds = [60, 120, 300, 600, 900, 1800, 3600]

/** Whether its reversal was made while something might still arrive, so that another must follow to be certain. */
export function isWatched({ operation_id, watched_until }: Orphan): boolean {
  return watched_until !== null && operation_id < idsFrom(watched_until)
}

/** While it is watched: a late authorisation must not hold the shopper's money for long. */
const watched_waits_seconds = [20, 30, 60, 60, 60, 60, 60, 120, 300]

/** When to begin the reversal again. `chance` is from 0 up to 1. */
export function nextReversalAt(
  orphan: Orphan,
  { now, chance }: { now: Date; chance: number },
): Date {
  const waits = isWatched(orphan) ? watched_waits_seconds : waits_seconds
  return nextTryAt(waits, { tries: orphan.tries, now, chance })
}
