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
    /** The end's transStatus: that of the RReq after a challenge, else that of the ARes. */
    status: string
    /** The transStatus of the ARes: `C` where a challenge followed. */
    ares_status: string
  } | null
  merchant: { descriptor: string; mcc: string | null; country: string | null }
  /** What `prepare` gave; null at acquirers without it. */
  handle: string | null
}

/** What makes the charge possible and moves nothing: it may be asked for again under the same reference. */
export type PrepareRequest = AuthoriseRequest

/**
 * `prepared`: the charge may be sent, and `handle` is the acquirer's own name of it, known before any money moves. Anything
 * else is the charge's definite end.
 */
export type PrepareAnswer =
  | { result: 'prepared'; handle: string }
  | Extract<AuthoriseAnswer, { result: 'declined' | 'failed' }>

/** An authorisation by all its names. */
export type AuthorisationName = {
  /** Ours. */
  reference: string
  /** What `prepare` gave; null at acquirers without it. */
  handle: string | null
  /** The acquirer's own; null where no answer brought it yet. */
  acquirer_transaction_id: string | null
}

/** A capture, void, reversal or refund. */
export type SettleRequest = {
  /** Ours, of this very operation. */
  reference: string
  /** What is to be captured, voided, reversed or refunded. */
  authorisation: AuthorisationName
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

/** The acquirer has the charge and does not know its outcome yet. It names the id, by which the charge is looked up. */
export type UnderWay = { result: 'under_way'; acquirer_transaction_id: string }

/** The acquirer has taken the request and carries it out later, or refuses it then. It is never sent again. */
export type Accepted = { result: 'accepted'; acquirer_transaction_id: string }

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

export type OperationKind = 'authorise' | 'capture' | 'void' | 'reverse' | 'refund'

/** One of our operations by all its names. */
export type LookUpRequest = {
  kind: OperationKind
  /** Ours. */
  reference: string
  /** The acquirer's own name of the operation; null where no answer brought it. */
  acquirer_transaction_id: string | null
  /** The authorisation that it is about: itself, where it is one. */
  authorisation: AuthorisationName
}

/** The question for a charge. */
export function chargeNamed(authorisation: AuthorisationName): LookUpRequest {
  const { reference, acquirer_transaction_id } = authorisation
  return { kind: 'authorise', reference, acquirer_transaction_id, authorisation }
}

/** What the acquirer knows of one of our operations. `in_progress`: it has it, and its outcome will be known later. */
export type LookUpAnswer =
  | {
      result: 'found'
      kind: 'authorise'
      /** As it was given first. */
      answer: AuthoriseAnswer
      /** Null where nothing was approved. */
      standing: AuthorisationStanding | null
    }
  | { result: 'found'; kind: Exclude<OperationKind, 'authorise'>; answer: SettleAnswer }
  | { result: 'in_progress' }
  | { result: 'not_found' }
  /** Nothing can be asked: what became of it is learned by a notice, or never. */
  | { result: 'only_notices_tell' }

/** The request may have arrived and no usable answer came: the outcome is unknown, never failed. */
export class Unanswered extends Error {}

/** No byte of the request left this machine: definitely nothing happened. */
export class NotSent extends Error {}

/** An authorisation that holds or took money: neither voided, reversed nor expired. */
export type LiveAuthorisation = Money & {
  reference: string
  /** The acquirer's own name of it; null where its list gives none. */
  acquirer_transaction_id: string | null
  /** The mark that it bears; null where it bears none. */
  installation: string | null
  captured: boolean
  authorised_at: Date
}

/** What an acquirer posts to us by itself, verified and read. */
export type Notice = {
  /** The acquirer's name of the notice, or one made of what it says: the same notice twice has the same. */
  notice_id: string
  about: OperationKind | 'expiry' | 'dispute'
  /** Our reference of the operation that it is about; null where it does not say. */
  reference: string | null
  /** The acquirer's own name of that operation. */
  acquirer_transaction_id: string | null
  /** The acquirer's own name of the authorisation that it belongs to. */
  authorisation_transaction_id: string | null
  /** What became of it; null where the notice only says that it is worth asking, or is about no operation. */
  answer: AuthoriseAnswer | SettleAnswer | null
  occurred_at: Date
  /** Whether it bears our mark; null where notices of this acquirer bear none. */
  is_ours: boolean | null
}

/** What was posted is not from the acquirer, or cannot be read. */
export class NotGenuine extends Error {}

/**
 * How the outcome of a request is learned whose answer was lost. `reference`: it is looked up by our reference. `replay`: it
 * is looked up by the handle that was stored before anything moved. `notice`: the acquirer tells us, and cannot be asked.
 */
export type LearnedBy = 'reference' | 'replay' | 'notice'

/** What was posted as it came, since signatures are over the very characters. Names of headers in lower case. */
export type NoticePost = { headers: Record<string, string>; body: string }

export type Acquirer = {
  /** `simulator`, or the connector and the connection: `checkout:conn_…`. */
  readonly name: string
  readonly learned_by: LearnedBy
  /** Whether `listAuthorisations` lists all; where not, orphans are found by notices alone. */
  readonly lists: boolean
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
  /** Asked before each charge where it is there; may be asked again. Throws Unanswered or NotSent: nothing has moved. */
  prepare?(request: PrepareRequest): Promise<PrepareAnswer>
  /** Each of these throws Unanswered or NotSent where the acquirer gave no answer that can be relied on. */
  authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer | UnderWay>
  capture(request: SettleRequest): Promise<SettleAnswer | Accepted>
  void(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Takes back an authorisation that no payment of ours stands behind, captured or not. */
  reverse(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Gives back what was captured, or a part of it. */
  refund(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Throws where it could not be asked. */
  lookUp(request: LookUpRequest): Promise<LookUpAnswer>
  /**
   * What was authorised within these times, both included and an hour apart at most, and is live; oldest first. The times are
   * the acquirer's, whose clock may differ by a minute. A list may lag: it lacks an approval for minutes after it can be looked
   * up, misses a recent one now and then, and shows one for seconds after it was voided. What it lists was approved. Throws
   * where it could not be asked. For the search for orphans.
   */
  listAuthorisations(within: { since: Date; until: Date }): Promise<LiveAuthorisation[]>
}
