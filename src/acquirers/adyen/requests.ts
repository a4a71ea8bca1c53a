// Turns the port's requests into Adyen's requests. This file sends nothing.

import type { AuthoriseRequest, SettleKind, SettleRequest } from '../acquirer.ts'
import type { WireRequest } from '../wire.ts'
import type { AdyenCredentials } from './credentials.ts'
import { amountSent } from './currencies.ts'

/** An account and the address of its API. */
export type AdyenAccount = { api_url: string } & Pick<AdyenCredentials, 'api_key' | 'merchant_account'>

/** Adyen requires one with every payment. No shopper is ever sent there, since our payments ask for no redirection. */
const return_url = 'https://ripper.invalid/'

/** Null if the amount cannot be expressed. */
export function paymentRequest(request: AuthoriseRequest, account: AdyenAccount): WireRequest | null {
  const { reference, installation, capture, three_ds, merchant } = request
  const amount = amountSent(request)
  if (amount === null) return null
  const mpiData = mpiDataOf(three_ds)
  const shopper_statement = statementOf(merchant.descriptor)
  return post(account, '/payments', reference, {
    merchantAccount: account.merchant_account,
    amount,
    reference,
    returnUrl: return_url,
    paymentMethod: methodOf(request.card),
    shopperInteraction: 'Ecommerce',
    ...(capture && { captureDelayHours: 0 }),
    // Switches off Adyen's own 3-D Secure: it would be a second one, and nobody would complete it.
    additionalData: { executeThreeD: 'false', ...(!capture && { manualCapture: 'true' }) },
    ...(mpiData && { mpiData }),
    ...(shopper_statement && { shopperStatement: shopper_statement }),
    metadata: { ripper_installation: installation },
  })
}

/**
 * A request about the payment with this id of Adyen's. Null if the request needs an amount that cannot be expressed.
 *
 * A reversal by id and one by our reference are two steps of one operation, so each has its own key.
 */
export function settleRequest(
  kind: SettleKind,
  request: SettleRequest,
  psp_reference: string,
  account: AdyenAccount,
): WireRequest | null {
  const { reference } = request
  const bare = { merchantAccount: account.merchant_account, reference }
  const of = (path: string) => `/payments/${encodeURIComponent(psp_reference)}/${path}`
  if (kind === 'void') return post(account, of('cancels'), reference, bare)
  if (kind === 'reverse') return post(account, of('reversals'), `${reference}-reversal`, bare)
  const amount = amountSent(request)
  if (amount === null) return null
  return post(account, of(pathOf[kind]), reference, { ...bare, amount })
}

const pathOf = { capture: 'captures', refund: 'refunds' }

/** Cancels every uncaptured payment with this reference of ours. Adyen's id of it need not be known. */
export function cancelRequest({ reference, authorisation }: SettleRequest, account: AdyenAccount): WireRequest {
  return post(account, '/cancels', reference, {
    merchantAccount: account.merchant_account,
    paymentReference: authorisation.reference,
    reference,
  })
}

/** Asks for the payment methods, which moves nothing. */
export function methodsRequest(account: AdyenAccount): WireRequest {
  return post(account, '/paymentMethods', null, { merchantAccount: account.merchant_account })
}

function methodOf({ number, exp_month, exp_year, cvc, cardholder_name }: AuthoriseRequest['card']) {
  return {
    type: 'scheme',
    number,
    expiryMonth: String(exp_month).padStart(2, '0'),
    expiryYear: String(exp_year),
    ...(cvc !== null && { cvc }),
    ...(cardholder_name !== null && { holderName: cardholder_name }),
  }
}

const responses = new Set(['Y', 'N', 'U', 'A'])

/** Without a cryptogram liability cannot shift, and Adyen would reject the data as invalid. */
export function mpiDataOf(threeDs: AuthoriseRequest['three_ds']) {
  if (!threeDs?.authentication_value) return null
  const { version, eci, authentication_value, ds_transaction_id, status, ares_status } = threeDs
  return {
    cavv: authentication_value,
    ...(eci !== null && { eci }),
    ...(ds_transaction_id !== null && { dsTransID: ds_transaction_id }),
    threeDSVersion: version,
    directoryResponse: ares_status,
    // The status of the challenge, if there was one.
    ...(ares_status === 'C' && responses.has(status) && { authenticationResponse: status }),
  }
}

/** The characters that Adyen accepts and a statement shows, at most 22: `shopperStatement` of its API v72, 2026-07-01. */
function statementOf(descriptor: string): string {
  const plain = descriptor.normalize('NFKD').replace(/[^A-Za-z0-9 .,'_?+*/-]/g, '')
  return plain.replace(/ +/g, ' ').trim().slice(0, 22).trim()
}

function post(
  { api_url, api_key }: AdyenAccount,
  path: string,
  idempotency_key: string | null,
  body: object,
): WireRequest {
  return {
    method: 'POST',
    url: `${api_url}${path}`,
    headers: {
      'x-api-key': api_key,
      accept: 'application/json',
      'content-type': 'application/json',
      ...(idempotency_key !== null && { 'idempotency-key': idempotency_key }),
    },
    body: JSON.stringify(body),
  }
}
