// The port to EMV 3-D Secure: what the checkout requires of any 3DS Server. Field names and status letters are EMVCo's,
// so that readers can find them in the specification.

import type { Brand } from '../kernel/values.ts'
import type { Sendable } from '../kernel/world.ts'

/**
 * No provider could be reached, or it refused the question. The card's bank heard nothing, so no attempt is used up.
 */
export class ProviderUnavailable extends Error {}

/** The acquiring profile lacks what the request needs, so nothing was asked. The message names the members. */
export class ProfileIncomplete extends ProviderUnavailable {}

/** What is known about a number before its bank is asked. */
export type Enrolment =
  | { enrolled: false }
  | {
      enrolled: true
      version: '2.1.0' | '2.2.0'
      method_url: string | null
      /** The provider's id for this authentication. Left out by a provider that uses ours. */
      transaction?: { server_transaction_id: string; usable_until: Date }
    }

export type BrowserFacts = {
  accept_header: string
  user_agent: string
  /** The shopper's address as the service saw it; null if unknown. */
  ip: string | null
  language: string
  color_depth: number
  screen_height: number
  screen_width: number
  /** Minutes, UTC minus local, as `Date.getTimezoneOffset()` gives it. */
  time_zone_offset: number
  java_enabled: boolean
  javascript_enabled: boolean
}

type ChallengeWindowSize = '01' | '02' | '03' | '04' | '05'

export type AuthenticationRequest = {
  server_transaction_id: string
  version: '2.1.0' | '2.2.0'
  brand: Brand
  number: string
  exp_month: number
  exp_year: number
  cardholder_name: string | null
  email: string | null
  /** Y: the 3DS Method reported in time. N: it did not, or was never opened. U: the card has none. */
  method_completion: 'Y' | 'N' | 'U'
  amount: number
  currency: string
  purchased_at: Date
  browser: BrowserFacts
  /** The merchant's data at the acquirer. In test mode the provider replaces nulls by stand-ins. */
  merchant: {
    name: string
    mcc: string | null
    /** ISO 3166 numeric, three digits. */
    country: string | null
    acquirer_bin: string | null
    acquirer_merchant_id: string | null
  }
  /** The address of our page to which the bank's page posts the CRes. At most 256 characters. */
  notification_url: string
  /** The address to which the Directory Server posts the RReq. */
  results_url: string
  /** The request leaves this machine at no other time, because another request may ask. Left out: any time. */
  sendable?: Sendable
}

/** Why a status is U although no message contained U. */
export type UnavailableCause = 'issuer' | 'timeout' | 'error' | 'invalid_answer'

/** The outcome of an ARes or an RReq, in EMVCo's letters. */
export type AuthenticationOutcome = {
  status: 'Y' | 'A' | 'N' | 'R' | 'U' | 'I'
  eci: string | null
  authentication_value: string | null
  /** transStatusReason, two digits. */
  reason: string | null
  /** challengeCancel, two digits. */
  challenge_cancel: string | null
  unavailable_cause: UnavailableCause | null
}

export type AuthenticationAnswer = {
  /** The provider's own name for the authentication. Left out if the provider uses `server_transaction_id`. */
  handle?: string
  /** The version and the id that were used. Left out if they are those of the request. */
  version?: string
  server_transaction_id?: string
  ds_transaction_id: string | null
  acs_transaction_id: string | null
  /** A text that must be shown to the shopper if the bank sends it. */
  cardholder_info: string | null
} & (
  | { kind: 'outcome'; outcome: AuthenticationOutcome }
  | { kind: 'challenge'; acs_transaction_id: string; ds_transaction_id: string; acs_url: string }
)

/** An HTML form that a page of ours posts: to the bank's method page or challenge page. */
export type Form = { action: string; fields: Record<string, string> }

/** An RReq that passed its field rules. */
export type ResultMessage = {
  server_transaction_id: string
  acs_transaction_id: string
  ds_transaction_id: string
  version: string
  outcome: AuthenticationOutcome
}

/** The answer to an RReq once its attempt was looked up. */
export type ResultVerdict = 'received' | 'unknown_transaction' | 'duplicate' | 'not_expected'

/** How a challenge's result arrives: the Directory Server posts it to us, or we fetch it from the provider. */
export type ThreeDs = PostedThreeDs | FetchedThreeDs

type CommonThreeDs = {
  /** Throws ProviderUnavailable if the provider cannot answer now. */
  enrolment(card: { number: string; brand: Brand }): Promise<Enrolment>
  /**
   * Sends the AReq, once. An Erro, an invalid ARes or no answer in time is an outcome with status U. Throws
   * ProviderUnavailable only if the card's bank cannot have received the AReq.
   */
  authenticate(request: AuthenticationRequest): Promise<AuthenticationAnswer>
  methodForm(method: { server_transaction_id: string; method_url: string; notification_url: string }): Form
  /** The threeDSServerTransID in the post of the bank's method page, or null if the post is not one. */
  readMethodNotification(fields: Record<string, string>): string | null
  challengeForm(challenge: {
    version: string
    acs_url: string
    server_transaction_id: string
    acs_transaction_id: string
    window_size: ChallengeWindowSize
  }): Form
  /** The threeDSServerTransID in a posted CRes, or null. The outcome never comes from the CRes but from the RReq. */
  readChallengeNotification(fields: Record<string, string>): string | null
}

export type PostedThreeDs = CommonThreeDs & {
  readonly results: 'posted'
  /** Reads an RReq. For an invalid one, returns the Erro to answer with, as JSON text. */
  readResult(body: string): { message: ResultMessage } | { erro: string }
  /** The RRes or Erro for an RReq, as JSON text. */
  answerResult(message: ResultMessage, verdict: ResultVerdict): string
}

export type FetchedThreeDs = CommonThreeDs & {
  readonly results: 'fetched'
  /** The name of the connection: `3dsecureio:conn_…`. */
  readonly name: string
  /**
   * Fetches the result of a challenge, also repeatedly. `not_yet`: there is none so far. `gone`: there will never be
   * one, for instance because the provider has deleted it; it may have been a refusal. Status U is returned only if the
   * bank's RReq said so, because the card may be charged then. Throws ProviderUnavailable if the provider's answer is
   * of no use.
   */
  fetchResult(challenge: {
    server_transaction_id: string
    /** The handle in the answer to the AReq; null if it had none. */
    handle: string | null
  }): Promise<ResultMessage | 'not_yet' | 'gone'>
}

/** Where a provider keeps its card ranges between starts, one row for each Directory Server. */
export type CardRangeStore = {
  load(directory_server: string): Promise<StoredRanges | null>
  save(directory_server: string, ranges: StoredRanges): Promise<void>
}

export type StoredRanges = { serial_number: string; fetched_at: Date; ranges: CardRange[] }

export type CardRange = {
  /** Both ends inclusive, digits as in the PRes. */
  start: string
  end: string
  acs_start_version: string
  acs_end_version: string
  method_url: string | null
}
