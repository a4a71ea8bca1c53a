// The AReq: the data about a purchase that the bank receives.

import { currencyOf, type Mode } from '../../kernel/values.ts'
import type { AuthenticationRequest } from '../three-ds.ts'
import { browserFields } from './browser-fields.ts'
import { fieldRules } from './field-rules.ts'
import { type Message, present } from './messages.ts'

/** Our identity at the Directory Servers. */
export type ServerIdentity = {
  server_reference_number: string
  operator_id: string
  requestor_id: string
  requestor_name: string
  requestor_url: string
}

/** The AReq of our own 3DS Server, which names itself. */
export function buildAReq(
  request: AuthenticationRequest,
  { mode, identity }: { mode: Mode; identity: ServerIdentity },
): Message {
  const { requestor_url, requestor_name } = identity
  return {
    ...purchaseFields(request, { mode, requestor_url, requestor_name }),
    threeDSServerRefNumber: identity.server_reference_number,
    threeDSServerOperatorID: identity.operator_id,
    threeDSServerURL: request.results_url,
    threeDSRequestorID: identity.requestor_id,
    threeDSRequestorName: requestor_name,
  }
}

/** The fields by which a 3DS Server names itself and the requestors that it registered. */
export const identityFields = [
  ...(['threeDSServerRefNumber', 'threeDSServerOperatorID', 'threeDSServerURL'] as const),
  ...(['threeDSRequestorID', 'threeDSRequestorName'] as const),
]

/** All of an AReq but `identityFields`. */
export function purchaseFields(
  request: AuthenticationRequest,
  requestor: Pick<ServerIdentity, 'requestor_url' | 'requestor_name'> & { mode: Mode },
): Message {
  const currency = currencyOf(request.currency)
  if (!currency) throw new Error(`no currency has the code ${request.currency}`)
  return {
    messageType: 'AReq',
    messageVersion: request.version,
    threeDSServerTransID: request.server_transaction_id,
    threeDSRequestorURL: requestor.requestor_url,
    threeDSRequestorAuthenticationInd: '01',
    threeDSRequestorChallengeInd: '01',
    threeDSCompInd: request.method_completion,
    deviceChannel: '02',
    messageCategory: '01',
    acctNumber: request.number,
    cardExpiryDate: expiry(request),
    ...present('cardholderName', cardholderName(request.cardholder_name)),
    ...present('email', email(request.email)),
    ...merchantFields(request.merchant, requestor),
    purchaseAmount: String(request.amount),
    purchaseCurrency: currency.numeric,
    purchaseExponent: String(currency.exponent),
    purchaseDate: request.purchased_at.toISOString().replace(/\D/g, '').slice(0, 14),
    transType: '01',
    notificationURL: request.notification_url,
    ...browserFields(request.browser, request.version),
  }
}

/** Test mode needs no acquiring profile, so missing values are made up. Live mode sends the known ones. */
function merchantFields(
  merchant: AuthenticationRequest['merchant'],
  { mode, requestor_name }: Pick<ServerIdentity, 'requestor_name'> & { mode: Mode },
): Record<string, string> {
  const stand_in = mode === 'test'
  return {
    ...present('acquirerBIN', merchant.acquirer_bin || (stand_in && '400000') || null),
    ...present('acquirerMerchantID', merchant.acquirer_merchant_id || (stand_in && 'RIPPERTEST') || null),
    ...present('mcc', merchant.mcc || (stand_in && '5999') || null),
    ...present('merchantCountryCode', merchant.country || (stand_in && '826') || null),
    merchantName: [...(merchant.name || requestor_name)].slice(0, 40).join(''),
  }
}

function expiry({ exp_month, exp_year }: { exp_month: number; exp_year: number }): string {
  const two = (value: number) => String(value % 100).padStart(2, '0')
  return `${two(exp_year)}${two(exp_month)}`
}

/** Cards are embossed in ASCII: accents are dropped, and a name in another script is not sent. */
function cardholderName(name: string | null): string | null {
  const plain = (name ?? '').normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim()
  return /^[\x20-\x7e]{2,}$/.test(plain) ? plain.slice(0, 45).trim() : null
}

function email(address: string | null): string | null {
  return address && fieldRules.AReq.email!.valid(address, {}) ? address : null
}
