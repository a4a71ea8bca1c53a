// From the port's requests to what Stripe is sent. Nothing here is sent yet.

import type { AuthoriseRequest, SettleRequest } from '../acquirer.ts'
import type { WireRequest } from '../wire.ts'
import { apiUrlOf, type StripeCredentials } from './credentials.ts'
import { formOf } from './form.ts'

/** The version whose shapes are read here. */
export const stripe_version = '2026-10-28.endive'

/** How many of a page are asked for: the most that they show. */
const page_limit = 100

/** The card, by itself: it moves nothing. */
export function methodRequest(
  { reference, card }: Pick<AuthoriseRequest, 'reference' | 'card'>,
  credentials: StripeCredentials,
): WireRequest {
  const { number, exp_month, exp_year, cvc, cardholder_name } = card
  return post(credentials, '/v1/payment_methods', `${reference}-method`, {
    type: 'card',
    card: { number, exp_month, exp_year, ...(cvc !== null && { cvc }) },
    ...(cardholder_name !== null && { billing_details: { name: cardholder_name } }),
  })
}

/**
 * Unconfirmed, it moves nothing. No descriptor goes with it: the account's prefix takes a part of the 22 characters that we do
 * not know, so that the account's own stands on the statement.
 */
export function intentRequest(
  { reference, installation, currency, capture }: AuthoriseRequest,
  { amount, method }: { amount: number; method: string },
  credentials: StripeCredentials,
): WireRequest {
  return post(credentials, '/v1/payment_intents', `${reference}-intent`, {
    amount,
    currency: currency.toLowerCase(),
    payment_method: method,
    // Else it offers whatever the account has switched on, some of which want a page to return to.
    allowed_payment_method_types: ['card'],
    capture_method: capture ? 'automatic' : 'manual',
    metadata: { ripper_reference: reference, ripper_installation: installation },
  })
}

/** This moves money. An authentication of their own would need a page that nobody sees: it is a decline. */
export function confirmRequest(
  { reference, three_ds }: AuthoriseRequest,
  handle: string,
  credentials: StripeCredentials,
): WireRequest {
  const threeDSecure = threeDsOf(three_ds)
  return post(credentials, `${pathOf(handle)}/confirm`, reference, {
    error_on_requires_action: true,
    ...(threeDSecure && {
      payment_method_options: { card: { three_d_secure: threeDSecure } },
    }),
  })
}

/** The mark says later which of several captures has done it. */
export function captureRequest(
  { reference }: SettleRequest,
  { amount, intent_id }: { amount: number; intent_id: string },
  credentials: StripeCredentials,
): WireRequest {
  return post(credentials, `${pathOf(intent_id)}/capture`, reference, {
    amount_to_capture: amount,
    metadata: { ripper_capture: reference },
  })
}

/** What a cancelled intent is said to be cancelled for: nothing else tells a void from a reversal there. */
export const cancelReasons = { void: 'requested_by_customer', reverse: 'abandoned' } as const

export function cancelRequest(
  kind: 'void' | 'reverse',
  { reference }: SettleRequest,
  intent_id: string,
  credentials: StripeCredentials,
): WireRequest {
  const body = { cancellation_reason: cancelReasons[kind] }
  return post(credentials, `${pathOf(intent_id)}/cancel`, reference, body)
}

/** Without an amount it gives back all that is left. A reversal is a refund there: its mark tells it apart. */
export function refundRequest(
  kind: 'refund' | 'reverse',
  { reference }: SettleRequest,
  { amount, intent_id, installation }: { amount?: number; intent_id: string; installation: string },
  credentials: StripeCredentials,
): WireRequest {
  const key = kind === 'reverse' ? `${reference}-refund` : reference
  return post(credentials, '/v1/refunds', key, {
    payment_intent: intent_id,
    amount,
    metadata: {
      ripper_reference: reference,
      ripper_installation: installation,
      ripper_kind: kind,
    },
  })
}

export function intentById(intent_id: string, credentials: StripeCredentials): WireRequest {
  return get(credentials, pathOf(intent_id))
}

/** Newest first. */
export function refundsOf(
  intent_id: string,
  after: string | null,
  credentials: StripeCredentials,
): WireRequest {
  const query = { payment_intent: intent_id, limit: page_limit, starting_after: after ?? undefined }
  return get(credentials, `/v1/refunds?${formOf(query)}`)
}

/** What was created within these seconds, both included, of whomever; newest first. */
export function intentsWithin(
  { since, until }: { since: Date; until: Date },
  after: string | null,
  credentials: StripeCredentials,
): WireRequest {
  const query = {
    created: {
      gte: Math.floor(since.getTime() / 1000),
      lte: Math.floor(until.getTime() / 1000),
    },
    limit: page_limit,
    starting_after: after ?? undefined,
    // Whether all was given back is said of the charge alone.
    expand: ['data.latest_charge'],
  }
  return get(credentials, `/v1/payment_intents?${formOf(query)}`)
}

export function oneIntent(credentials: StripeCredentials): WireRequest {
  return get(credentials, '/v1/payment_intents?limit=1')
}

/** A number of the sandbox, to see whether the account may send card numbers at all. */
export function testMethodRequest(credentials: StripeCredentials): WireRequest {
  return post(credentials, '/v1/payment_methods', null, {
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
  })
}

const versions = new Set(['1.0.2', '2.1.0', '2.2.0', '2.3.0', '2.3.1'])
const ecis = new Set(['01', '02', '05', '06', '07'])
const statuses = new Set(['A', 'C', 'I', 'N', 'R', 'U', 'Y'])

/** Null where they would not take it: without a cryptogram nothing shifts liability. */
function threeDsOf(threeDs: AuthoriseRequest['three_ds']) {
  if (!threeDs?.authentication_value || !threeDs.ds_transaction_id) return null
  const { version, eci, authentication_value, ds_transaction_id, ares_status } = threeDs
  if (!versions.has(version)) return null
  return {
    cryptogram: authentication_value,
    transaction_id: ds_transaction_id,
    version,
    ...(eci !== null && ecis.has(eci) && { electronic_commerce_indicator: eci }),
    ...(statuses.has(ares_status) && { ares_trans_status: ares_status }),
  }
}

function pathOf(intent_id: string): string {
  return `/v1/payment_intents/${encodeURIComponent(intent_id)}`
}

function get(credentials: StripeCredentials, path: string): WireRequest {
  const headers = headersOf(credentials)
  return { method: 'GET', url: `${apiUrlOf(credentials)}${path}`, headers, body: null }
}

/** One key an operation and step: our reference is the key of the step that moves money. */
function post(
  credentials: StripeCredentials,
  path: string,
  idempotency_key: string | null,
  body: object,
): WireRequest {
  return {
    method: 'POST',
    url: `${apiUrlOf(credentials)}${path}`,
    headers: {
      ...headersOf(credentials),
      'content-type': 'application/x-www-form-urlencoded',
      ...(idempotency_key !== null && { 'idempotency-key': idempotency_key }),
    },
    body: formOf(body),
  }
}

function headersOf({ secret_key }: StripeCredentials): Record<string, string> {
  return {
    authorization: `Bearer ${secret_key}`,
    accept: 'application/json',
    'stripe-version': stripe_version,
  }
}
