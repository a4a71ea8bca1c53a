// The port to an acquirer: the bank that authorises, captures and voids. Each call carries a reference that we minted,
// which is the acquirer's idempotency key and the name under which a lost answer is found again.
// What is said of the port here, `tests/adapters/acquirer.ts` demands of every acquirer.

import type { Brand } from '../kernel/values.ts'

export type DeclineCategory = 'soft' | 'hard' | 'fraud' | 'network' | 'provider_error'

/** A refusal in the specification's words; `reason` is the acquirer's own text. */
export type Decline = { code: string; category: DeclineCategory; reason: string | null }

export type AuthoriseRequest = {
  /** Ours, unique for ever: 32 hex characters. */
  reference: string
  /** Our mark, the same for all charges of this installation. The acquirer keeps it beside the reference. */
  installation: string
  amount: number
  currency: string
  /** True takes the money at once; false reserves it. */
  capture: boolean
  card: {
    brand: Brand
    number: string
    exp_month: number
    exp_year: number
    /** Null when it is no longer held. */
    cvc: string | null
    cardholder_name: string | null
  }
  /** Null when the card is charged without 3-D Secure data. */
  three_ds: {
    version: string
    eci: string | null
    authentication_value: string | null
    ds_transaction_id: string | null
    status: string
  } | null
  merchant: { descriptor: string; mcc: string | null; country: string | null }
}

export type SettleRequest = {
  reference: string
  /** The reference of the authorisation to be captured or voided. */
  authorisation_reference: string
  amount: number
  currency: string
}

/** An amount as the acquirer has it, which need not be what it was asked for. */
type Money = { amount: number; currency: string }

/**
 * A definite answer. `failed` is an error at the acquirer that moved no money. Where a look-up or a list says otherwise of the
 * same reference later, that is the truth.
 */
export type AuthoriseAnswer =
  | ({ result: 'approved'; acquirer_transaction_id: string; captured: boolean } & Money)
  | { result: 'declined'; decline: Decline; acquirer_transaction_id: string | null }
  | { result: 'failed'; decline: Decline; acquirer_transaction_id: string | null }

/** A definite answer, and the reference's for ever: whoever wants to try again after a refusal needs a new one. */
export type SettleAnswer =
  | { result: 'approved'; acquirer_transaction_id: string }
  | {
      result: 'refused'
      reason: string
      decline_code: string | null
      /**
       * False where the acquirer has no such authorisation: nothing is held and nothing can be taken back. True for one
       * that is still under way, was declined, captured, voided or reversed, and where the refusal does not say.
       */
      authorisation_known: boolean
    }

/** Refusals that say that the authorisation holds nothing any more, as every acquirer words them. */
const gone = new Set<string | null>([
  'unknown_authorisation',
  'already_voided',
  'already_reversed',
  'expired',
])

/** Whether it says that there is no such authorisation, or none any more: a void or reversal of it has nothing to do. */
export function isGone({
  decline_code,
  authorisation_known = true,
}: {
  decline_code: string | null
  authorisation_known?: boolean
}): boolean {
  return !authorisation_known || gone.has(decline_code)
}

/**
 * How an approved authorisation stands at this moment, whoever brought it there: we, a person in the acquirer's portal, or
 * time. The amount is what is reserved, what was taken, or what was reserved before.
 */
export type AuthorisationStanding = Money & {
  state: 'reserved' | 'captured' | 'voided' | 'reversed' | 'expired'
}

/** What the acquirer knows of one of our references. */
export type LookUpAnswer =
  | {
      result: 'found'
      kind: 'authorise'
      /** As it was given first. */
      answer: AuthoriseAnswer
      /** Null where nothing was approved. */
      standing: AuthorisationStanding | null
    }
  | { result: 'found'; kind: 'capture' | 'void' | 'reverse'; answer: SettleAnswer }
  | { result: 'in_progress' }
  | { result: 'not_found' }

/** The request may have arrived and no usable answer came: the outcome is unknown, never failed. */
export class Unanswered extends Error {}

/** No byte of the request left this machine: definitely nothing happened. */
export class NotSent extends Error {}

/** An authorisation that holds or took money: neither voided, reversed nor expired. */
export type LiveAuthorisation = Money & {
  reference: string
  /** The mark that it bears; null where it bears none. */
  installation: string | null
  captured: boolean
  authorised_at: Date
}

export type Acquirer = {
  readonly name: string
  /**
   * For so long after it was sent a request may still be on its way: that it is not found means nothing until then.
   * After it what was sent is found, or still under way at the acquirer, or never arrived.
   */
  readonly safe_window_ms: number
  /**
   * For so long a reference that is sent again is known for the same request, and answered as before, with nothing moved
   * twice. It outlasts `safe_window_ms`. Afterwards a repeat is another request, and a look-up need not find it; an
   * authorisation can still be named by its reference in a capture, void or reversal.
   */
  readonly reference_life_ms: number
  /**
   * 0 where a reversal fences its reference: once one was answered, an authorise of that reference which arrives later is
   * failed. Else for so long after it such an authorise may still be approved.
   */
  readonly late_approval_ms: number
  /** Each throws Unanswered or NotSent where there is no definite answer. */
  authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer>
  capture(request: SettleRequest): Promise<SettleAnswer>
  void(request: SettleRequest): Promise<SettleAnswer>
  /** Takes back an authorisation that no payment of ours stands behind, captured or not. */
  reverse(request: SettleRequest): Promise<SettleAnswer>
  /** Throws where it could not be asked. */
  lookUp(reference: string): Promise<LookUpAnswer>
  /**
   * What was authorised within these times, both included, and is live; oldest first. The times are the acquirer's, whose
   * clock may differ by a minute. A list may lag: it lacks an approval for minutes after it can be looked up, misses a recent
   * one now and then, and shows one for seconds after it was voided. What it lists was approved. Throws where it could not
   * be asked. For the search for orphans.
   */
  listAuthorisations(within: { since: Date; until: Date }): Promise<LiveAuthorisation[]>
}
