// An orphan: an authorisation that an acquirer holds and no payment of ours stands behind. Which ones are, when too many
// are, and what becomes of their reversal.

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
  /** Null while the sweep that found it goes on or it is held back, too. */
  next_try_at: Date | null
  /** When the brake held it back. Null while the sweep that found it goes on. */
  held_back_at: Date | null
  last_failure: string | null
  /** Until then the acquirer may still approve it, though nothing is there to reverse so far; null where it never will. */
  watched_until: Date | null
  settled_at: Date | null
  /** Who left it last, and why. Kept, whatever became of it since. */
  left_by: string | null
  left_reason: string | null
  /** Who had it reversed although it was held back or left, and when; the last one. Kept as well. */
  released_by: string | null
  released_at: Date | null
}

/** How an orphan stands, for people. `found`: whether it is held back is told when its sweep ends. */
export type Standing = Orphan['state'] | 'held_back' | 'due'

export function standingOf({ state, next_try_at, held_back_at }: Orphan): Standing {
  if (state !== 'found') return state
  if (next_try_at !== null) return 'due'
  return held_back_at === null ? 'found' : 'held_back'
}

/**
 * An authorisation that bears our mark and is unknown here is rather a payment that our books lost, with a failover or an old
 * backup: its intent was committed before it was sent. So it waits for a person. Where the operator has such ones reversed
 * by themselves, none is while more than `most` were found within so long at one acquirer.
 */
export const brake = { most: 20, within_ms: 24 * 3_600_000 }

/**
 * A brake that a person has pulled, or the service where the database seems to have lost commits. Until a person lets it go
 * no unknown authorisation is reversed, however few they are and whatever the operator's rule is.
 *
 * A known orphan that was there before the brake waits, too, the watch of a reversed reference among them. It is an orphan in
 * the lost books as well, since those of a charge only go forward: what reads failed, declined or voided stays so, and what
 * reads sent or unknown is looked up. But a person may have left it, and that decision may be lost with the commits.
 */
export type PulledBrake = {
  /** A name, or `every_acquirer`. */
  acquirer: string
  pulled_at: Date
  pulled_by: string
  reason: string
  /** When it was let go, and by whom; null while it is pulled. */
  released_at: Date | null
  released_by: string | null
}

/** Who pulled a brake that no person did. */
export const service_actor = 'service'

/** Stands for all acquirers. */
export const every_acquirer = '*'

/** What we wrote down under the reference of an authorisation. */
export type KnownCharge = {
  reference: string
  merchant_id: string
  payment_id: string
  state: OperationState
  payment_status: PaymentStatus
  /** A reversal of the same payment waits for its answer. */
  is_being_reversed: boolean
}

/** A listed authorisation, and whose it was if that is known. */
export type Suspect = LiveAuthorisation & Pick<Orphan, 'merchant_id' | 'payment_id'>

/** A charge may be approved so long after its reference was minted, or before it by another clock. */
const reference_slack_ms = 8 * 24 * 3_600_000

/**
 * Whether it is worth a look here: it bears our mark, or it may be from a version that gave none, as a reference that we
 * could have minted at about that time. What others do by the same account at the acquirer is none of our business.
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
 * The listed authorisations that no payment stands behind. An intent is committed before the acquirer is asked, so one
 * that was listed first and looked for afterwards is known, or never will be. What we know by its reference is ours,
 * whatever mark it bears; what we do not know is ours only by our mark.
 */
export function suspectsAmong(
  listed: LiveAuthorisation[],
  known: KnownCharge[],
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

function standsBehind({ state, payment_status, is_being_reversed }: KnownCharge): boolean {
  // The reconciler finds out what becomes of these, and sees to a reversal of its own.
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
 * An orphan: due at once where we know whose it is, else when a person or the operator's rule says so. A charge that a person
 * gives up is one too, listed or not: if the acquirer made it after all it is taken back.
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

/** A line about an orphan. The statement that writes it finds whose it is; where nobody knows there is none. */
export type OrphanLine = Omit<OpenLine, 'session_id'> & { reference: string }

export function orphanLine(
  ids: Pick<Ids, 'journalEntry'>,
  reference: string,
  told: Pick<JournalChange, 'change' | 'detail' | 'actor' | 'at'>,
): OrphanLine {
  const detail = { reference, ...told.detail }
  return { ...told, detail, reference, entry_id: ids.journalEntry(told.at), request_id: null }
}

/** `try_again`: under the same reference, or under another where an answer to it was final; for other money if it says so. */
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
 * A charge that was given up a week ago and never listed since: whatever the acquirer still says of it, it holds nothing.
 * Should it be listed after all, the sweep finds it.
 */
export function isForgotten(
  { authorised_at, found_at }: Pick<Orphan, 'authorised_at' | 'found_at'>,
  now: Date,
): boolean {
  return authorised_at === null && now.getTime() - found_at.getTime() >= forgotten_ms
}

/** Close together at first: most acquirers are back within minutes, and a shopper may have paid twice meanwhile. */
const waits_seconds = [60, 120, 300, 600, 900, 1800, 3600]

/** Whether its reversal was minted while something might still come, so that another must be, to be certain. */
export function isWatched({ operation_id, watched_until }: Orphan): boolean {
  return watched_until !== null && operation_id < idsFrom(watched_until)
}

/** While it is watched: what comes is not to hold the shopper's money for long. */
const watched_waits_seconds = [20, 30, 60, 60, 60, 60, 60, 120, 300]

/** When the reversal is begun once more. `chance` is from 0 up to 1. */
export function nextReversalAt(
  orphan: Orphan,
  { now, chance }: { now: Date; chance: number },
): Date {
  const waits = isWatched(orphan) ? watched_waits_seconds : waits_seconds
  return nextTryAt(waits, { tries: orphan.tries, now, chance })
}
