// Requests to Checkout.com's Sessions, which make a session for one authentication, move it on, and read it. This file
// sends nothing.

import { apiUrlOf, type CheckoutCredentials } from '../../acquirers/checkout-com/credentials.ts'
import { amountSent } from '../../acquirers/checkout-com/currencies.ts'
import type { WireRequest } from '../../vendor-wire/wire.ts'
import { browserFields } from '../emv/browser-fields.ts'
import { type AuthenticationRequest, type BrowserFacts, ProviderUnavailable } from '../three-ds.ts'

/** A shopper waits for all of them together, so they end within the time of one attempt. */
const limits = { create: { ms: 12_000 }, change: { ms: 8_000 }, read: { ms: 3_000 } }

/** Throws ProviderUnavailable if the amount cannot be expressed; nothing may be sent then. */
export function createRequest(request: AuthenticationRequest, credentials: CheckoutCredentials): WireRequest {
  const { currency, number, exp_month, exp_year, cardholder_name, email } = request
  const amount = amountSent(request)
  if (amount === null) {
    throw new ProviderUnavailable(`Checkout.com cannot express ${request.amount} ${currency}`)
  }
  const { processing_channel_id } = credentials
  const body = {
    source: {
      type: 'card',
      number,
      expiry_month: exp_month,
      expiry_year: exp_year,
      ...(cardholder_name !== null && { name: cardholder_name }),
      ...(email !== null && { email }),
    },
    amount,
    currency,
    ...(processing_channel_id !== undefined && { processing_channel_id }),
    authentication_type: 'regular',
    authentication_category: 'payment',
    challenge_indicator: 'no_preference',
    transaction_type: 'goods_service',
    reference: request.server_transaction_id,
    billing_descriptor: { name: [...request.merchant.name].slice(0, 25).join('') },
    completion: {
      type: 'non_hosted',
      // A post to our page decides nothing: it only makes us ask for the result.
      callback_url: request.notification_url,
      challenge_notification_url: request.notification_url,
    },
    channel_data: channelData(request.browser),
  }
  const { sendable } = request
  const wireRequest = send(credentials, 'POST', '/sessions', { body, timeout_ms: limits.create.ms })
  return { ...wireRequest, ...(sendable && { sendable }) }
}

/**
 * Reports that the bank's page was not opened: its address is known only after the session is made, when the shopper
 * pays.
 */
export function fingerprintRequest(id: string, credentials: CheckoutCredentials): WireRequest {
  const body = { three_ds_method_completion: 'N' }
  const path = `/sessions/${encodeURIComponent(id)}/issuer-fingerprint`
  return send(credentials, 'PUT', path, { body, timeout_ms: limits.change.ms })
}

export function collectRequest(id: string, browser: BrowserFacts, credentials: CheckoutCredentials): WireRequest {
  const path = `/sessions/${encodeURIComponent(id)}/collect-data`
  const body = channelData(browser)
  return send(credentials, 'PUT', path, { body, timeout_ms: limits.change.ms })
}

export function readRequest(id: string, credentials: CheckoutCredentials): WireRequest {
  const path = `/sessions/${encodeURIComponent(id)}`
  return send(credentials, 'GET', path, { body: null, timeout_ms: limits.read.ms })
}

/** EMVCo's fields about the browser, under the vendor's names. */
function channelData(browser: BrowserFacts): object {
  // Version 2.1.0 has the facts of browsers without scripts, too.
  const facts = browserFields(browser, '2.1.0')
  return {
    channel: 'browser',
    three_ds_method_completion: 'U',
    accept_header: facts.browserAcceptHeader,
    java_enabled: facts.browserJavaEnabled,
    javascript_enabled: browser.javascript_enabled,
    language: facts.browserLanguage,
    color_depth: facts.browserColorDepth,
    screen_height: facts.browserScreenHeight,
    screen_width: facts.browserScreenWidth,
    timezone: facts.browserTZ,
    user_agent: facts.browserUserAgent,
    ...(facts.browserIP !== undefined && { ip_address: facts.browserIP }),
  }
}

function send(
  credentials: CheckoutCredentials,
  method: WireRequest['method'],
  path: string,
  { body, timeout_ms }: { body: object | null; timeout_ms: number },
): WireRequest {
  return {
    method,
    url: `${apiUrlOf(credentials)}${path}`,
    timeout_ms,
    headers: {
      authorization: `Bearer ${credentials.secret_key}`,
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  }
}
