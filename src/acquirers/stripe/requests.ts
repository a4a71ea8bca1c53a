// Turns the port's requests into Stripe's requests. This file sends nothing.

import type { AuthoriseRequest, SettleRequest } from '../acquirer.ts'
import type { WireRequest } from '../wire.ts'
import { apiUrlOf, type StripeCredentials } from './credentials.ts'

/** The API version whose shapes this connector reads. */
export const stripe_version = '2026-10-28.endive'

/** The length of a page, the most that Stripe allows: docs.stripe.com/api/pagination, 2026-11. */
export const page_limit = 100

/** Creates only the card, which moves nothing. */
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
 * Creates an unconfirmed intent, which moves nothing. No descriptor is sent: an unknown part of its 22 characters is taken by
 * the account's prefix. The statement shows the account's own descriptor.
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
    // Otherwise Stripe offers every method that the account has enabled, and some of them need a page to return to.
    allowed_payment_method_types: ['card'],
    capture_method: capture ? 'automatic' : 'manual',
    metadata: { ripper_reference: reference, ripper_installation: installation },
  })
}

/** Confirms, which moves money. If Stripe wants its own authentication, that is a decline, because no page would show it. */
export function confirmRequest(
  { reference, three_ds }: AuthoriseRequest,
  handle: string,
  credentials: StripeCredentials,
): WireRequest {
  const threeDSecure = threeDsOf(three_ds)
  return post(credentials, `${pathOf(handle)}/confirm`, reference, {
    error_on_requires_action: true,
    // Only the charge shows what became of the 3-D Secure data.
    expand: ['latest_charge'],
    ...(threeDSecure && {
      payment_method_options: { card: { three_d_secure: threeDSecure } },
    }),
  })
}

/** The mark shows later which of several captures succeeded. */
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

/** The reasons of our cancels. At Stripe nothing else distinguishes a void from a reversal. */
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

/** Without an amount, the whole rest is refunded. At Stripe a reversal is a refund, and only its mark distinguishes it. */
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
  return get(credentials, `${pathOf(intent_id)}?${formOf({ expand: ['latest_charge'] })}`)
}

/** Newest first. */
export function refundsOf(intent_id: string, after: string | null, credentials: StripeCredentials): WireRequest {
  const query = { payment_intent: intent_id, limit: page_limit, starting_after: after ?? undefined }
  return get(credentials, `/v1/refunds?${formOf(query)}`)
}

/** The intents created between these seconds, both included, by any user of the account; newest first. */
export function intentsWithin(
  { since, until }: { since: Date; until: Date },
  page: { after: string | null; limit: number },
  credentials: StripeCredentials,
): WireRequest {
  const query = {
    created: {
      gte: Math.floor(since.getTime() / 1000),
      lte: Math.floor(until.getTime() / 1000),
    },
    limit: page.limit,
    starting_after: page.after ?? undefined,
    // Only the charge shows whether it was refunded in full.
    expand: ['data.latest_charge'],
  }
  return get(credentials, `/v1/payment_intents?${formOf(query)}`)
}

export function oneIntent(credentials: StripeCredentials): WireRequest {
  return get(credentials, '/v1/payment_intents?limit=1')
}

export function disputeById(id: string, credentials: StripeCredentials): WireRequest {
  return get(credentials, `/v1/disputes/${encodeURIComponent(id)}`)
}

/** Opened since then, newest first. */
export function disputesSince(since: Date, after: string | null, credentials: StripeCredentials): WireRequest {
  const query = new URLSearchParams({
    'created[gte]': String(Math.floor(since.getTime() / 1000)),
    limit: String(page_limit),
    ...(after !== null && { starting_after: after }),
  })
  return get(credentials, `/v1/disputes?${query}`)
}

/** The balance's amounts are not read. */
export function balanceRequest(credentials: StripeCredentials): WireRequest {
  return get(credentials, '/v1/balance')
}

/** Uses a number of the sandbox to check whether the account may send card numbers at all. */
export function testMethodRequest(credentials: StripeCredentials): WireRequest {
  return post(credentials, '/v1/payment_methods', null, {
    type: 'card',
    card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
  })
}

// The 3-D Secure data that Stripe accepts, by the types of its library 23.1.0 (API 2026-10-28). Other values are not
// sent, because Stripe would refuse the charge.
const versions = new Set(['1.0.2', '2.1.0', '2.2.0', '2.3.0', '2.3.1'])
const ecis = new Set(['01', '02', '05', '06', '07'])
const statuses = new Set(['A', 'C', 'I', 'N', 'R', 'U', 'Y'])

/** Null if Stripe would not accept the data: without a cryptogram liability cannot shift. */
export function threeDsOf(threeDs: AuthoriseRequest['three_ds']) {
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

/** Each step of an operation has one key: our reference is the key of the step that moves money. */
function post(credentials: StripeCredentials, path: string, idempotency_key: string | null, body: object): WireRequest {
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

type FormValue = string | number | boolean | undefined | readonly FormValue[] | { readonly [name: string]: FormValue }

/** Undefined members are left out. */
function formOf(members: object): string {
  return fieldsOf(members)
    .map(([name, value]) => `${escaped(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

function fieldsOf(members: object, prefix?: string): [name: string, value: string][] {
  return Object.entries(members).flatMap(([member, value]: [string, FormValue]) => {
    const name = prefix === undefined ? member : `${prefix}[${member}]`
    if (value === undefined) return []
    if (typeof value === 'object') return fieldsOf(value, name)
    return [[name, String(value)]]
  })
}

function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}
