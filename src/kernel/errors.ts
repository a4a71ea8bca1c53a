// The catalogue of refusals: every expected "no", its statuses and its meaning. If a body breaks several rules, the
// refusal that stands first here is sent; otherwise the first failing check decides, as docs/errors.md describes.

import type { Fault } from './field-rules.ts'

export const catalogue = {
  unauthorized: {
    status: 401,
    when: 'No key, or one that is unknown, expired, or used from an address or origin it does not allow; on client-secret routes a wrong secret or an unknown session.',
  },
  unknown_principal: { status: 401, webhook_body: 'key', when: 'No key, or one that is unknown.' },
  key_revoked: {
    status: 401,
    webhook_status: 403,
    webhook_body: 'key',
    when: 'The key was revoked. On webhook routes its status is 403.',
  },
  key_expired: { status: 403, webhook_body: 'key', when: 'The key has expired.' },
  key_ip_blocked: {
    status: 403,
    webhook_body: 'key',
    when: 'The key may not be used from this address.',
  },
  key_origin_blocked: {
    status: 403,
    webhook_body: 'key',
    when: 'The key may not be used from this origin.',
  },
  public_key_missing: {
    status: 401,
    when: 'The secret key has no publishable key paired with it.',
  },
  permission_denied: { status: 403, when: 'The key lacks the permission that this route needs.' },
  key_permission_denied: {
    status: 403,
    webhook_body: 'key',
    when: 'The key lacks the permission manage_webhooks.',
  },
  handle_not_found: { status: 404, when: 'There is no hosted page with this handle.' },
  origin_not_allowed: {
    status: 403,
    when: 'The Origin header is missing or is not one of the allowed origins of the integration.',
  },
  idempotency_key_missing: {
    status: 400,
    when: 'No usable idempotency key: missing, empty, over 255 characters, not printable ASCII, or two different ones.',
  },
  invalid_idempotency_key: {
    status: 400,
    webhook_body: 'guard',
    when: 'The idempotency key is empty, over 255 characters or not printable ASCII, or two different ones were sent.',
  },
  idempotency_key_in_use: {
    status: 409,
    webhook_body: 'guard',
    when: 'The first request with this idempotency key is still running.',
  },
  idempotency_key_reused: {
    status: 409,
    webhook_body: 'guard',
    when: 'The key was used with another body or route; except on webhook routes, also while its first request is still running.',
  },
  merchant_not_active: { status: 403, when: 'The account cannot take payments.' },
  resource_not_found: {
    status: 404,
    when: 'There is no such path, or no such id on this account.',
  },
  card_data_rejected: { status: 400, when: 'A value looks like a card number.' },
  metadata_too_large: {
    status: 400,
    when: 'Over 50 metadata entries or 8 KB, in metadata or in customer.metadata, or a statement descriptor suffix over 22 characters.',
  },
  invalid_request: {
    status: 400,
    also: [405, 408, 413, 415, 431],
    when: 'The request breaks a rule that the message names. 405: the path takes other methods, which Allow names; 408: it took too long to arrive; 413: the body is over 128 KB; 415: the body is in a format that the route does not read; 431: the headers are over 16 KB.',
  },
  invalid_url: {
    status: 400,
    when: 'The url of a webhook endpoint is missing, not absolute, not https, or private or local.',
  },
  unknown_event_type: {
    status: 400,
    when: 'An entry of the event filter is none of the event types, which the body lists as allowed.',
  },
  invalid_status: { status: 400, when: 'The status asked for is not one of a delivery.' },
  invalid_pagination: {
    status: 400,
    when: 'The limit is not from 1 to 100, an offset was sent, or after is not a cursor for these filters.',
  },
  currency_required: {
    status: 400,
    when: 'No currency was sent and the integration gives none.',
  },
  amount_unverified: {
    status: 422,
    when: 'The integration requires an amount that can be verified, and this one could not be.',
  },
  key_live_only: {
    status: 403,
    when: 'A live-only key would have created a test session; on creates from pages, all secret keys paired with the publishable key are live-only. Checked after the body.',
  },
  acquiring_profile_incomplete: {
    status: 422,
    when: 'The account is not set up for live card payments.',
  },
  rate_limit_exceeded: {
    status: 429,
    webhook_body: 'guard',
    when: 'Too many requests of this kind; Retry-After says when to go on. On webhook routes only what is wrong with the key comes before.',
  },
  session_completed: { status: 409, compatible_status: 400, when: 'The session is paid.' },
  session_processing: {
    status: 409,
    compatible_status: 400,
    when: 'A payment of the session is under way, or its outcome unknown.',
  },
  attempts_exhausted: {
    status: 409,
    when: 'The three payment attempts are used up: the third was declined or, at authenticate, has begun and another card is presented.',
  },
  session_declined: { status: 409, when: 'A decline for suspected fraud closed the session.' },
  session_expired: {
    status: 409,
    compatible_status: 400,
    when: 'The session is older than 30 minutes, or was ended before.',
  },
  customer_email_required: {
    status: 400,
    when: 'Every payment needs an email, on the session or in the confirm body.',
  },
  authentication_incomplete: {
    status: 409,
    when: 'Confirm came before 3-D Secure ended; the body carries attempt and three_ds, as authenticate answers them.',
  },
  hold_already_decided: {
    status: 409,
    compatible_status: 400,
    when: 'The payment is not held any more, or a capture or void of it is under way.',
  },
  operation_refused: {
    status: 409,
    compatible_status: 400,
    when: 'The acquirer refused the capture or void; the payment is still held.',
  },
  payment_not_refundable: {
    status: 409,
    compatible_status: 400,
    when: 'The payment is not captured, so there is nothing to refund.',
  },
  payment_disputed: {
    status: 409,
    compatible_status: 400,
    when: 'A dispute of the payment is open or lost. Only with accept_dispute: true it is refunded all the same.',
  },
  refund_exceeds_captured: {
    status: 409,
    compatible_status: 400,
    when: 'More was asked for than is left of the capture. Refunds that are pending count; failed ones do not.',
  },
  delivery_not_found: { status: 404, when: 'There is no delivery with this id on this account.' },
  delivery_not_dead_lettered: { status: 409, when: 'The delivery was not given up on.' },
  endpoint_not_found: {
    status: 404,
    when: 'There is no active webhook endpoint with this id on this account; on a replay, that of the delivery was deleted.',
  },
  replay_chain_broken: {
    status: 422,
    when: 'The delivery is itself a replay, and an earlier one of its chain is no longer stored.',
  },
  replay_window_expired: { status: 422, when: 'The original delivery is older than 30 days.' },
  replay_in_progress: { status: 409, when: 'A replay of the delivery is under way.' },
  three_ds_provider_unavailable: {
    status: 503,
    when: '3-D Secure cannot be reached, or the account has none in this mode; no attempt is spent, nothing is charged, and the request may be sent again.',
  },
  store_unavailable: {
    status: 503,
    when: 'The database could not be reached, or too many large bodies were arriving at once for this one to be read; send the request again, with the same idempotency key where it had one.',
  },
  idempotency_store_unavailable: {
    status: 503,
    webhook_body: 'guard',
    when: 'The idempotency key could not be checked; send the request again with it after Retry-After.',
  },
  insecure_origin: {
    status: 403,
    dashboard: true,
    when: 'The dashboard is open over plain http from another machine, where nobody can sign in.',
  },
  cross_site_request: {
    status: 403,
    dashboard: true,
    when: "The request does not come from the dashboard's own page.",
  },
  sign_in_required: { status: 401, dashboard: true, when: 'Nobody is signed in.' },
  session_locked: {
    status: 401,
    dashboard: true,
    when: 'Nobody has used the session for 15 minutes; proof unlocks it.',
  },
  second_factor_required: {
    status: 403,
    dashboard: true,
    when: 'The account is live, and the person has signed in with a password alone.',
  },
  refund_limit_exceeded: { status: 403, dashboard: true, when: 'Support may not refund so much.' },
  refund_not_owed: {
    status: 409,
    dashboard: true,
    when: 'Nothing of the failed refund is owed, or another amount: it was given back meanwhile, or tried again.',
  },
  refund_settled_otherwise: {
    status: 409,
    dashboard: true,
    when: 'Of the payment another amount was given back another way than the page says: look at it again.',
  },
  receipt_not_possible: {
    status: 409,
    dashboard: true,
    when: 'The receipt cannot be sent again: nothing is captured, there is no address or no mail server, or it was sent often.',
  },
  both_ways_required: {
    status: 403,
    dashboard: true,
    when: 'RIPPER_SIGN_IN asks for another way.',
  },
  proof_required: {
    status: 403,
    dashboard: true,
    when: 'The act wants a proof that is a few minutes old at most; accepted says which.',
  },
  sign_in_failed: {
    status: 401,
    dashboard: true,
    when: 'Something of what was sent to sign in or to prove oneself is wrong; it is not said what.',
  },
  too_many_attempts: {
    status: 429,
    dashboard: true,
    when: 'Too many tries to sign in, from one address or at once; Retry-After says when to go on.',
  },
  link_unknown: { status: 404, dashboard: true, when: 'There is no such link.' },
  link_used: {
    status: 410,
    dashboard: true,
    when: 'The link was used.',
  },
  link_withdrawn: {
    status: 410,
    dashboard: true,
    when: 'Somebody withdrew the link, or a newer one replaced it.',
  },
  link_expired: { status: 410, dashboard: true, when: 'The link has expired.' },
  internal_error: { status: 500, when: 'A failure of the service; quote the request id.' },
} as const satisfies Record<string, CataloguedRefusal>

export type CataloguedRefusal = {
  status: number
  /** Further statuses with which it is sent. */
  also?: readonly number[]
  when: string
  /** The status at webhook routes, if it differs there. */
  webhook_status?: number
  /** The status at compatible routes, if the other platform has another one for it. */
  compatible_status?: number
  /**
   * The common body of all webhook routes for refusals before the route itself: of the key, and of the guards. Without
   * it the route's own body is sent.
   */
  webhook_body?: 'key' | 'guard'
  /** Only the dashboard's own routes send it, so the API's documentation leaves it out. */
  dashboard?: true
}

export type RefusalCode = keyof typeof catalogue

/** The refusals in the API's documentation: all except those of the dashboard's own routes. */
export const apiRefusals = (Object.entries(catalogue) as [RefusalCode, CataloguedRefusal][]).filter(
  ([, { dashboard }]) => !dashboard,
)

/** Every status that a code is sent with, the usual one first. */
export function statusesOf(code: RefusalCode): number[] {
  const { status, also = [] }: CataloguedRefusal = catalogue[code]
  return [status, ...also]
}

type WireMember = 'status' | 'field' | 'fault' | 'bound' | 'members' | 'platform_code'

/** An expected no. Anything else that is thrown becomes an internal_error. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  /** The JSON path or parameter at fault, if there is one. */
  readonly field: string | null
  /** The broken rule, such as `too_long`, if it has a name. */
  readonly fault: Fault | null
  /** The minimum or maximum of the rule. */
  readonly bound: number | null
  /** Members of the body besides the error shape. */
  readonly members: Record<string, unknown>
  /** Sent as Retry-After if it is known. */
  readonly retry_after_seconds: number | null
  /** The compatible platform's own code, if it differs from the catalogue's. */
  readonly platform_code: string | null

  constructor(
    code: RefusalCode,
    message: string,
    more: { [Name in WireMember | 'retry_after_seconds']?: NonNullable<Refusal[Name]> } = {},
  ) {
    super(message)
    this.code = code
    this.status = more.status ?? catalogue[code].status
    this.field = more.field ?? null
    this.fault = more.fault ?? null
    this.bound = more.bound ?? null
    this.members = more.members ?? {}
    this.retry_after_seconds = more.retry_after_seconds ?? null
    this.platform_code = more.platform_code ?? null
  }
}

const ranks = new Map(Object.keys(catalogue).map((code, rank) => [code, rank]))

/** The rank of a code among several faults of one body; the lowest is sent. */
export function precedence(code: RefusalCode): number {
  return ranks.get(code)!
}

/** A refusal as it looks on the wire: its code may come from another system. */
export type RefusalLike = Pick<Refusal, WireMember | 'message'> & { code: string }
