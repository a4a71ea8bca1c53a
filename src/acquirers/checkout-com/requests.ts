// Turns the port's requests into Checkout.com's requests. This file sends nothing.

import type { AuthoriseRequest, LookUpRequest, SettleKind, SettleRequest } from '../acquirer.ts'
import { longReference, shortReference } from '../reference.ts'
import type { WireRequest } from '../wire.ts'
import { apiUrlOf, type CheckoutCredentials } from './credentials.ts'
import { amountSent } from './currencies.ts'

/**
 * The length of a page. By its library for .NET (`PaymentsSearchRequest`, read in 2026-11) Checkout.com takes up to 1,000. No answer of
 * more than 1 MiB is read, so each payment may have 4 KiB.
 */
export const search_limit = 250

/**
 * Null if the amount cannot be expressed. No descriptor is sent: Checkout.com accepts one only with a city, and only from
 * accounts that it has enabled for it. The statement shows the account's own.
 */
export function paymentRequest(request: AuthoriseRequest, credentials: CheckoutCredentials): WireRequest | null {
  const { reference, installation, currency, capture } = request
  const amount = amountSent(request)
  if (amount === null) return null
  const { processing_channel_id } = credentials
  return post(credentials, '/payments', reference, {
    source: sourceOf(request.card),
    amount,
    currency,
    capture,
    payment_type: 'Regular',
    merchant_initiated: false,
    reference: shortReference(reference),
    '3ds': threeDsOf(request.three_ds) ?? { enabled: false },
    metadata: {
      ripper_installation: installation,
      // Only this member shows later whether the payment is captured by itself.
      ...(capture && { ripper_capture: 'automatic' }),
    },
    ...(processing_channel_id !== undefined && { processing_channel_id }),
  })
}

/** A request about the payment with this id. Null if the request needs an amount that cannot be expressed. */
export function settleRequest(
  kind: SettleKind,
  request: SettleRequest,
  payment_id: string,
  credentials: CheckoutCredentials,
): WireRequest | null {
  const reference = referenceSent(kind, request.reference)
  const amount = amountSent(request)
  if (amount === null && (kind === 'capture' || kind === 'refund')) return null
  const { path, body } = {
    capture: { path: 'captures', body: { amount, capture_type: 'Final', reference } },
    void: { path: 'voids', body: { reference } },
    reverse: { path: 'reversals', body: { reference } },
    refund: { path: 'refunds', body: { amount, reference } },
  }[kind]
  return post(credentials, `${pathOf(payment_id)}/${path}`, request.reference, body)
}

/** Payments with our reference, newest first. */
export function byReference(reference: string, credentials: CheckoutCredentials): WireRequest {
  return get(credentials, `/payments?reference=${shortReference(reference)}&limit=10`)
}

export function byId(payment_id: string, credentials: CheckoutCredentials): WireRequest {
  return get(credentials, pathOf(payment_id))
}

export function disputeById(id: string, credentials: CheckoutCredentials): WireRequest {
  return get(credentials, `/disputes/${encodeURIComponent(id)}`)
}

/** Received within these times, from the `skip`th on. */
export function disputesWithin(
  { since, until, skip }: { since: Date; until: Date; skip: number },
  credentials: CheckoutCredentials,
): WireRequest {
  const query = new URLSearchParams({
    ...{ from: since.toISOString(), to: until.toISOString() },
    ...{ limit: String(disputes_limit), skip: String(skip) },
  })
  return get(credentials, `/disputes?${query}`)
}

export const disputes_limit = 250

export function actionsOf(payment_id: string, credentials: CheckoutCredentials): WireRequest {
  return get(credentials, `${pathOf(payment_id)}/actions`)
}

/**
 * All payments requested within these times. Our mark is checked in the results: a misspelled search for it would find
 * nothing, and nobody would notice.
 */
export function searchRequest(
  { since, until }: { since: Date; until: Date },
  credentials: CheckoutCredentials,
): WireRequest {
  const times = { from: since.toISOString(), to: until.toISOString() }
  return {
    method: 'POST',
    url: `${apiUrlOf(credentials)}/payments/search`,
    headers: { ...headersOf(credentials), 'content-type': 'application/json' },
    body: JSON.stringify({ limit: search_limit, ...times }),
  }
}

/**
 * The reference that Checkout.com keeps with the action. At Checkout.com a reversal is a void or a refund, and only its
 * reference distinguishes it.
 */
export function referenceSent(kind: LookUpRequest['kind'], reference: string): string {
  return kind === 'reverse' ? `${shortReference(reference)}${reversal_mark}` : shortReference(reference)
}

/** Our reference in such a text; null if it is not ours. */
export function referenceRead(text: string | null): { reference: string; is_reversal: boolean } | null {
  if (text === null) return null
  const is_reversal = text.endsWith(reversal_mark)
  const reference = longReference(is_reversal ? text.slice(0, -reversal_mark.length) : text)
  return reference === null ? null : { reference, is_reversal }
}

const reversal_mark = '-r'

function sourceOf({ number, exp_month, exp_year, cvc, cardholder_name }: AuthoriseRequest['card']) {
  return {
    type: 'card',
    number,
    expiry_month: exp_month,
    expiry_year: exp_year,
    ...(cvc !== null && { cvv: cvc }),
    ...(cardholder_name !== null && { name: cardholder_name }),
  }
}

/** Without a cryptogram liability cannot shift, and Checkout.com would reject the data as invalid. */
export function threeDsOf(threeDs: AuthoriseRequest['three_ds']) {
  if (!threeDs?.authentication_value || !threeDs.eci) return null
  const { version, eci, authentication_value, ds_transaction_id, status } = threeDs
  return {
    enabled: true,
    eci,
    cryptogram: authentication_value,
    ...(ds_transaction_id !== null && { xid: ds_transaction_id }),
    version,
    status,
  }
}

function pathOf(payment_id: string): string {
  return `/payments/${encodeURIComponent(payment_id)}`
}

function get(credentials: CheckoutCredentials, path: string): WireRequest {
  const headers = headersOf(credentials)
  return { method: 'GET', url: `${apiUrlOf(credentials)}${path}`, headers, body: null }
}

/** The key is our reference of the operation, which is a single step at Checkout.com. */
function post(credentials: CheckoutCredentials, path: string, idempotency_key: string, body: object): WireRequest {
  return {
    method: 'POST',
    url: `${apiUrlOf(credentials)}${path}`,
    headers: {
      ...headersOf(credentials),
      'content-type': 'application/json',
      'cko-idempotency-key': idempotency_key,
    },
    body: JSON.stringify(body),
  }
}

function headersOf({ secret_key }: CheckoutCredentials): Record<string, string> {
  return { authorization: `Bearer ${secret_key}`, accept: 'application/json' }
}
