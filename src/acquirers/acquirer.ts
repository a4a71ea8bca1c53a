// The port to an acquirer: the bank that authorises, captures and voids. Each call carries a reference of ours. It is the
// acquirer's idempotency key, and the name by which a lost answer is looked up. `tests/adapters/acquirer.ts` tests every
// acquirer against the contract described here.

import type { Brand } from '../kernel/values.ts'
import type { Sendable } from '../kernel/world.ts'
import { Unanswered } from '../vendor-wire/wire.ts'
import type { AnswerEnvironment } from './environment.ts'
import type { ThreeDsData } from './three-ds-data.ts'

export { NotSent, Unanswered } from '../vendor-wire/wire.ts'

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
  /** Null if the card is charged without 3-D Secure data. */
  three_ds: ThreeDsData | null
  merchant: { descriptor: string; mcc: string | null; country: string | null }
  /** The handle from `prepare`; null at acquirers without it. */
  handle: string | null
} & Sending

/** When a request that moves money may be sent. */
type Sending = {
  /** The request leaves this machine at no other time, because the answer may be looked up. Left out: any time. */
  sendable?: Sendable
}

/** The preparation of a charge. It moves nothing, and may be repeated under the same reference. */
export type PrepareRequest = AuthoriseRequest

/**
 * `prepared`: the charge may be sent. `handle` is the acquirer's name for it, known before any money moves. Any other answer is
 * the charge's definite end.
 */
export type PrepareAnswer =
  | ({ result: 'prepared'; handle: string } & AnswerEnvironment)
  | Extract<AuthoriseAnswer, { result: 'declined' | 'failed' }>

/** An authorisation by all its names. */
export type AuthorisationName = {
  /** Ours. */
  reference: string
  /** The handle from `prepare`; null at acquirers without it. */
  handle: string | null
  /** The acquirer's own id; null if no answer has brought it yet. */
  acquirer_transaction_id: string | null
}

/** A capture, void, reversal or refund. */
export type SettleRequest = {
  /** Our reference of this very operation. */
  reference: string
  /** The authorisation to be captured, voided, reversed or refunded. */
  authorisation: AuthorisationName
  amount: number
  currency: string
  /**
   * The same request was sent before under this reference, long enough ago, and its outcome is unknown. Left out:
   * perhaps not.
   */
  is_repeat?: boolean
  /**
   * A capture of so small a part that what is authorised would be enough for a second one. Left out: it would not, or this is no
   * capture.
   */
  fits_twice?: true
} & Sending

/** An amount in the acquirer's books, which may differ from the requested one. */
type Money = { amount: number; currency: string }

type Authorisation = Money & { brand: Brand }

/**
 * A definite answer. `failed` is an error at the acquirer that moved no money. A later look-up or list of the same reference
 * takes precedence.
 */
export type AuthoriseAnswer =
  | ({
      result: 'approved'
      acquirer_transaction_id: string
      captured: boolean
      /**
       * The acquirer says that liability has not shifted, although 3-D Secure had granted it. Its word never shifts
       * liability.
       */
      liability_shifted?: false
      /** When the acquirer lets the reservation go by itself; left out where it does not say. */
      expires_at?: Date
    } & AnswerEnvironment &
      Money)
  | {
      result: 'declined'
      decline: Decline
      acquirer_transaction_id: string | null
      /**
       * The issuer refused only this time, and certainly, so another acquirer may be tried. Left out: it must not be.
       */
      may_retry_elsewhere?: true
    }
  | { result: 'failed'; decline: Decline; acquirer_transaction_id: string | null }

/** The acquirer has the charge but does not know its outcome yet. The charge is looked up by this id. */
export type UnderWay = { result: 'under_way'; acquirer_transaction_id: string }

/** The acquirer has accepted the request, and will carry it out or refuse it later. The request is never sent again. */
export type Accepted = { result: 'accepted'; acquirer_transaction_id: string }

/** A definite answer, which the reference keeps for ever: a new try after a refusal needs a new reference. */
export type SettleAnswer =
  | {
      result: 'approved'
      acquirer_transaction_id: string
      /** What was done, if the answer says so. Left out as well if a void or reversal has left nothing: see `isAsAsked`. */
      money?: Money
    }
  | {
      result: 'refused'
      reason: string
      decline_code: string | null
      /**
       * False if the acquirer has no such authorisation: nothing is held and nothing can be taken back. True if the
       * authorisation is still under way, or was declined, captured, voided or reversed. Also true if the refusal does not say.
       */
      authorisation_known: boolean
    }

/** The decline codes of every acquirer for an authorisation that no longer holds anything. */
const goneCodes = new Set<string | null>(['unknown_authorisation', 'already_voided', 'already_reversed', 'expired'])

/**
 * Whether the refusal says that the authorisation does not exist or no longer holds anything. There is then nothing to void or
 * reverse.
 */
export function isGone({
  decline_code,
  authorisation_known = true,
}: {
  decline_code: string | null
  authorisation_known?: boolean
}): boolean {
  return !authorisation_known || goneCodes.has(decline_code)
}

/**
 * The present state of an approved authorisation. We, a person in the acquirer's portal or the passing of time may have caused
 * it. The amount is the reserved, captured or formerly reserved one.
 */
export type AuthorisationStanding = Money & {
  state: 'reserved' | 'captured' | 'voided' | 'reversed' | 'expired'
} & Refunded

/**
 * How much of a capture was refunded, by us or by a person in the acquirer's portal. Left out if the acquirer does not
 * show it.
 */
type Refunded = { refunded_amount?: number }

export type OperationKind = 'authorise' | 'capture' | 'void' | 'reverse' | 'refund'

/** An operation on an existing authorisation. */
export type SettleKind = Exclude<OperationKind, 'authorise'>

/** One of our operations by all its names. */
export type LookUpRequest = {
  kind: OperationKind
  /** Ours. */
  reference: string
  /** The acquirer's id of the operation; null if no answer has brought it. */
  acquirer_transaction_id: string | null
  /** The authorisation that the operation concerns. For a charge it is the charge's own. */
  authorisation: AuthorisationName
}

/** The look-up request for a charge. */
export function chargeNamed(authorisation: AuthorisationName): LookUpRequest {
  const { reference, acquirer_transaction_id } = authorisation
  return { kind: 'authorise', reference, acquirer_transaction_id, authorisation }
}

/** The acquirer's knowledge of one of our operations. `in_progress`: the acquirer has it, and will know its outcome later. */
export type LookUpAnswer =
  | {
      result: 'found'
      kind: 'authorise'
      /** The answer as it was first given. */
      answer: AuthoriseAnswer
      /** Null if nothing was approved. */
      standing: AuthorisationStanding | null
    }
  | { result: 'found'; kind: Exclude<OperationKind, 'authorise'>; answer: SettleAnswer }
  | { result: 'in_progress' }
  | { result: 'not_found' }
  /** The acquirer cannot be asked. Its outcome arrives by a notice, or never. */
  | { result: 'only_notices_tell' }

/** The acquirer lists more between these times than one call can bring: ask for a shorter time. */
export class TooMany extends Unanswered {}

/** An authorisation that holds or took money: it was not voided or reversed, and has not expired. */
export type LiveAuthorisation = Money &
  Refunded & {
    reference: string
    /** The acquirer's own id; null if its list contains none. */
    acquirer_transaction_id: string | null
    /** The authorisation's mark; null if it has none. */
    installation: string | null
    captured: boolean
    authorised_at: Date
  }

/** The outcome that a notice speaks of at acquirers whose books alone decide. */
export type Suggestion = { result: 'suggested'; outcome: 'approved' | 'refused' }

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost', 'closed'] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

/** A dispute as the acquirer tells of it. Times are ISO 8601, since it is kept as JSON. */
export type DisputeTold = {
  /** The acquirer's own id of it. */
  vendor_id: string
  status: DisputeStatus
  /** 2 once the bank has charged back a second time, or gone to arbitration: nothing of the first round counts then. */
  round: 1 | 2
  reason: string | null
  /** Null if it is not told, or in units that cannot be read. */
  money: Money | null
  /** Until when the merchant may respond. */
  respond_by: string | null
  /** Null if only its changes have a time. */
  opened_at: string | null
  /** Where the merchant responds. */
  url: string | null
}

/** A dispute in an acquirer's list. */
export type ListedDispute = DisputeTold & { authorisation_transaction_id: string | null }

/** A verified message that an acquirer posts to us on its own. */
export type Notice = {
  /** The acquirer's id of the notice, or one derived from its content. A repeated notice has the same id. */
  notice_id: string
  about: OperationKind | 'expiry' | 'dispute'
  /** Our reference of the operation concerned; null if the notice does not contain it. */
  reference: string | null
  /** The acquirer's id of that operation. */
  acquirer_transaction_id: string | null
  /** The acquirer's id of the authorisation concerned. */
  authorisation_transaction_id: string | null
  /** The operation's outcome, or what it seems to be. Null if the notice says neither, or concerns no operation. */
  answer: AuthoriseAnswer | SettleAnswer | Suggestion | null
  /** What a notice about a dispute says of it; left out if it says nothing that is shown, and in others. */
  dispute?: DisputeTold
  occurred_at: Date
  /** Whether the notice has our mark; null if this acquirer's notices have no marks. */
  is_ours: boolean | null
}

/** The post is not from the acquirer, or cannot be read. */
export class NotGenuine extends Error {}

/**
 * How a lost answer's outcome is learned. `reference`: we look it up by our reference. `replay`: we look it up by the handle
 * that was stored before any money moved. `notice`: the acquirer sends it to us, and cannot be asked.
 */
export type LearnedBy = 'reference' | 'replay' | 'notice'

/** A post exactly as received, because signatures cover every character. Header names are in lower case. */
export type NoticePost = { headers: Record<string, string>; body: string }

export type Acquirer = {
  /** `simulator`, or the connector and the connection: `checkout:conn_…`. */
  readonly name: string
  readonly learned_by: LearnedBy
  /** Whether `listAuthorisations` lists all authorisations. If not, only notices reveal orphans. */
  readonly lists: boolean
  /**
   * How long a request may still be on its way after it was sent. Until then, "not found" means nothing. Afterwards the request
   * is found, is still under way at the acquirer, or never arrived.
   */
  readonly safe_window_ms: number
  /**
   * How long the acquirer recognises a repeated reference as the same request. Until then it gives the same answer, and moves
   * nothing twice. This is longer than `safe_window_ms`. Afterwards a repeat is a new request, and a look-up may not find the
   * old one. A capture, void or reversal can still name an authorisation by its reference.
   */
  readonly reference_life_ms: number
  /**
   * 0 if a reversal fences its reference: an authorisation of that reference that arrives after the reversal's answer fails.
   * Otherwise how long such an authorisation may still be approved after the reversal.
   */
  readonly late_approval_ms: number
  /** Whether a charge carries this result of 3-D Secure. Without it liability never shifts. Left out: it carries every one. */
  carriesThreeDs?(data: ThreeDsData): boolean
  /** Why it cannot capture that part of an authorisation, in words; null if it can. Left out: it can capture every part. */
  partialCaptureRefusal?(authorisation: Authorisation, amount: number): string | null
  /** When it lets a reservation go by itself, where its approvals do not say. Left out: nothing says. */
  expiryOf?(authorisation: { brand: Brand; authorised_at: Date }): Date
  /** Called before each charge if it exists, and may be repeated. If it throws Unanswered or NotSent, nothing has moved. */
  prepare?(request: PrepareRequest): Promise<PrepareAnswer>
  /** Each of the next functions throws Unanswered or NotSent if the acquirer gave no reliable answer. */
  authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer | UnderWay>
  capture(request: SettleRequest): Promise<SettleAnswer | Accepted>
  void(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Takes back an authorisation, captured or not, that has no payment of ours. */
  reverse(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Refunds a capture, or a part of it. */
  refund(request: SettleRequest): Promise<SettleAnswer | Accepted>
  /** Throws if the acquirer could not be asked. */
  lookUp(request: LookUpRequest): Promise<LookUpAnswer>
  /** Whether the payment with this id of the acquirer's has our mark and this reference. Left out if no payment can be read. */
  bearsReference?(transaction_id: string, reference: string): Promise<boolean>
  /** The dispute with this id of the acquirer's; null if it has none. Left out if only notices tell of disputes. */
  lookUpDispute?(vendor_id: string): Promise<DisputeTold | null>
  /** The disputes opened since then, in any order, each with the acquirer's id of its authorisation. Left out as above. */
  listDisputes?(within: { since: Date }): Promise<ListedDispute[]>
  /**
   * The live authorisations made between these times, both included and an hour apart at most; oldest first. The times are the
   * acquirer's, and its clock may differ by a minute. The list may lag behind look-ups: it lacks an approval for minutes,
   * sometimes misses a recent one, and shows one for seconds after its void. Everything listed was approved. Throws if the
   * acquirer could not be asked, and TooMany before one call lasts too long. The search for orphans uses it.
   */
  listAuthorisations(within: { since: Date; until: Date }): Promise<LiveAuthorisation[]>
}
