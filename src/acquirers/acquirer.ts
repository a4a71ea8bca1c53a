// The port to an acquirer: the bank that authorises, captures and voids. Each call carries a reference that we minted,
// which is the acquirer's idempotency key and the name under which a lost answer is found again.

import type { Brand } from '../values.ts'

export type DeclineCategory = 'soft' | 'hard' | 'fraud' | 'network' | 'provider_error'

/** A refusal in the specification's words; `reason` is the acquirer's own text. */
export type Decline = { code: string; category: DeclineCategory; reason: string | null }

export type AuthoriseRequest = {
  /** Ours, unique for ever: 32 hex characters. */
  reference: string
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

/** A definite answer. `failed` is an error at the acquirer that moved no money. */
export type AuthoriseAnswer =
  | { result: 'approved'; acquirer_transaction_id: string; captured: boolean }
  | { result: 'declined'; decline: Decline; acquirer_transaction_id: string | null }
  | { result: 'failed'; decline: Decline; acquirer_transaction_id: string | null }

export type SettleAnswer =
  | { result: 'approved'; acquirer_transaction_id: string }
  | { result: 'refused'; reason: string; decline_code: string | null }

/** What the acquirer knows of one of our references. */
export type LookUpAnswer =
  | { result: 'found'; kind: 'authorise'; answer: AuthoriseAnswer }
  | { result: 'found'; kind: 'capture' | 'void' | 'reverse'; answer: SettleAnswer }
  | { result: 'in_progress' }
  | { result: 'not_found' }

/** The request may have arrived and no usable answer came: the outcome is unknown, never failed. */
export class Unanswered extends Error {}

/** No byte of the request left this machine: definitely nothing happened. */
export class NotSent extends Error {}

export type Acquirer = {
  readonly name: string
  /** Each throws Unanswered or NotSent where there is no definite answer. */
  authorise(request: AuthoriseRequest): Promise<AuthoriseAnswer>
  capture(request: SettleRequest): Promise<SettleAnswer>
  void(request: SettleRequest): Promise<SettleAnswer>
  /** Takes back an authorisation that no payment of ours stands behind. */
  reverse(request: SettleRequest): Promise<SettleAnswer>
  lookUp(reference: string): Promise<LookUpAnswer>
  /** References of authorisations made since `since`, for the search for orphans. */
  listAuthorisations(since: Date): Promise<string[]>
}
