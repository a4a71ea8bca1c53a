// The field rules of every message: versions 2.1.0 and 2.2.0, browser channel, payments. `required` may depend on the message.
// Fields that are not named here are ignored.
// Source: EMVCo's "3-D Secure Protocol and Core Functions Specification" 2.1.0 and 2.2.0, annex A. Those of AReq, ARes, RReq, CReq, CRes
// and Erro were compared with docs.3dsecure.io/3dsv2 of 2026-05-12 in 2026-11. Where the two versions differ, the looser one holds.

import { isObject, type JsonObject } from './json.ts'
import { isTransactionId } from './transaction-id.ts'

export type Rule = {
  required: boolean | ((message: JsonObject) => boolean)
  valid: (value: unknown, message: JsonObject) => boolean
}
type Rules = Record<string, Rule>

export const messageTypes = ['AReq', 'ARes', 'RReq', 'RRes', 'PReq', 'PRes', 'CReq', 'CRes', 'Erro'] as const
export type MessageType = (typeof messageTypes)[number]

/** A rule for strings: the whole string must match. */
const text = (form: RegExp) => (value: unknown) => typeof value === 'string' && form.test(value)
const upTo = (length: number) => text(new RegExp(`^[^]{1,${length}}$`, 'u'))
const boolean = (value: unknown) => typeof value === 'boolean'
const url = (length: number) => (value: unknown) => upTo(length)(value) && URL.canParse(value as string)

const must = (valid: Rule['valid']): Rule => ({ required: true, valid })
const may = (valid: Rule['valid']): Rule => ({ required: false, valid })
const mustWhen = (required: (message: JsonObject) => boolean, valid: Rule['valid']): Rule => ({
  required,
  valid,
})

const statusIs = (letters: string) => (message: JsonObject) =>
  typeof message.transStatus === 'string' && letters.includes(message.transStatus)
const is = (version: string) => (message: JsonObject) => message.messageVersion === version
/** Version 2.1.0 does not support browsers without scripts. */
const runsScript = (message: JsonObject) =>
  message.messageVersion === '2.1.0' || message.browserJavascriptEnabled === true

const id = must(isTransactionId)
const protocolVersion = must(text(/^\d{1,2}\.\d{1,2}\.\d{1,2}$/))
const accountNumber = text(/^\d{13,19}$/)
const twoDigits = text(/^\d\d$/)

// A Y or A without its value is accepted: it is an authentication without liability shift.
const result: Rules = {
  transStatusReason: mustWhen(statusIs('NUR'), text(/^(0[1-9]|1\d|2[0-6]|[89]\d)$/)),
  authenticationValue: may(text(/^(?=.{28}$)[a-zA-Z0-9+/]{26,28}={0,2}$/)),
  eci: may(text(/^[0-9A-Z]{1,2}$/)),
}
const authenticationType = text(/^(0[1-4]|[89]\d)$/)
const allTransactions: Rules = { threeDSServerTransID: id, acsTransID: id, dsTransID: id }

const areq: Rules = {
  threeDSServerTransID: id,
  threeDSServerRefNumber: must(upTo(32)),
  threeDSServerOperatorID: must(upTo(32)),
  threeDSServerURL: must(url(2048)),
  threeDSRequestorID: must(upTo(35)),
  threeDSRequestorName: must(upTo(40)),
  threeDSRequestorURL: must(url(2048)),
  threeDSRequestorAuthenticationInd: must(text(/^(0[1-7]|[89]\d)$/)),
  threeDSRequestorChallengeInd: may((value, message) =>
    text(message.messageVersion === '2.1.0' ? /^(0[1-4]|[89]\d)$/ : /^(0[1-9]|[89]\d)$/)(value),
  ),
  threeDSCompInd: must(text(/^[YNU]$/)),
  deviceChannel: must(text(/^02$/)),
  messageCategory: must(text(/^01$/)),
  acctNumber: must(accountNumber),
  cardExpiryDate: may(text(/^\d\d(0[1-9]|1[0-2])$/)),
  cardholderName: may(text(/^[\x20-\x7e]{2,45}$/)),
  email: may(text(/^(?=.{3,254}$)[^@\s]+@[^@\s]+$/u)),
  acquirerBIN: must(upTo(11)),
  acquirerMerchantID: must(upTo(35)),
  mcc: must(text(/^\d{4}$/)),
  merchantCountryCode: must(text(/^\d{3}$/)),
  merchantName: must(upTo(40)),
  purchaseAmount: must(text(/^\d{1,48}$/)),
  purchaseCurrency: must(text(/^\d{3}$/)),
  purchaseExponent: must(text(/^\d$/)),
  purchaseDate: must(text(/^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d){2}$/)),
  transType: may(text(/^(01|03|10|11|28)$/)),
  notificationURL: must(url(256)),
  browserAcceptHeader: must(upTo(2048)),
  browserUserAgent: must(upTo(2048)),
  browserIP: may(text(/^[\da-fA-F.:]{2,45}$/)),
  browserLanguage: must(text(/^[A-Za-z0-9-]{1,8}$/)),
  browserJavascriptEnabled: mustWhen(is('2.2.0'), boolean),
  browserJavaEnabled: mustWhen(runsScript, boolean),
  browserColorDepth: mustWhen(runsScript, text(/^(1|4|8|15|16|24|32|48)$/)),
  browserScreenHeight: mustWhen(runsScript, text(/^\d{1,6}$/)),
  browserScreenWidth: mustWhen(runsScript, text(/^\d{1,6}$/)),
  browserTZ: mustWhen(runsScript, text(/^[+-]?\d{1,4}$/)),
}

const ares: Rules = {
  ...allTransactions,
  ...result,
  acsReferenceNumber: must(upTo(32)),
  dsReferenceNumber: must(upTo(32)),
  transStatus: must((value, message) =>
    text(message.messageVersion === '2.1.0' ? /^[YNUACR]$/ : /^[YNUACDRI]$/)(value),
  ),
  acsURL: mustWhen(statusIs('C'), url(2048)),
  acsChallengeMandated: mustWhen(statusIs('C'), text(/^[YN]$/)),
  authenticationType: mustWhen(statusIs('C'), authenticationType),
  acsDecConInd: mustWhen(statusIs('D'), text(/^[YN]$/)),
  cardholderInfo: may(upTo(128)),
}

const rreq: Rules = {
  ...allTransactions,
  ...result,
  messageCategory: must(text(/^0[12]$/)),
  transStatus: must(text(/^[YNUAR]$/)),
  authenticationType: mustWhen(statusIs('YN'), authenticationType),
  interactionCounter: must(twoDigits),
  challengeCancel: may(twoDigits),
}

const cardRange: Rules = {
  startRange: must(accountNumber),
  endRange: must((value, range) => accountNumber(value) && inOrder(range)),
  actionInd: may(text(/^[AMD]$/)),
  acsStartProtocolVersion: protocolVersion,
  acsEndProtocolVersion: protocolVersion,
  threeDSMethodURL: may(url(256)),
}

const preq: Rules = {
  threeDSServerTransID: id,
  threeDSServerRefNumber: must(upTo(32)),
  threeDSServerOperatorID: may(upTo(32)),
  serialNum: may(upTo(20)),
}

const pres: Rules = {
  threeDSServerTransID: id,
  dsTransID: id,
  dsStartProtocolVersion: protocolVersion,
  dsEndProtocolVersion: protocolVersion,
  serialNum: must(upTo(20)),
  cardRangeData: may(
    (value) => Array.isArray(value) && value.every((range) => isObject(range) && !faultOfFields(range, cardRange)),
  ),
}

const challenge: Rules = { threeDSServerTransID: id, acsTransID: id }

const erro: Rules = {
  threeDSServerTransID: may(isTransactionId),
  acsTransID: may(isTransactionId),
  dsTransID: may(isTransactionId),
  errorCode: must(text(/^\d{3}$/)),
  errorComponent: must(text(/^[CSDA]$/)),
  errorDescription: must(upTo(2048)),
  errorDetail: must(upTo(2048)),
  errorMessageType: may(upTo(4)),
}

export const fieldRules: Record<MessageType, Rules> = {
  AReq: areq,
  ARes: ares,
  RReq: rreq,
  RRes: { ...allTransactions, resultsStatus: must(text(/^0[1-4]$/)) },
  PReq: preq,
  PRes: pres,
  CReq: { ...challenge, challengeWindowSize: must(text(/^0[1-5]$/)) },
  CRes: {
    ...challenge,
    transStatus: must(text(/^[YN]$/)),
    challengeCompletionInd: may(text(/^[YN]$/)),
  },
  Erro: erro,
}

export type FieldFault = { code: '201' | '203'; fields: string[] }

/** The fault in a message's fields, or null. A null or empty value is a format error, not a missing field. */
export function faultOfFields(message: JsonObject, rules: Rules): FieldFault | null {
  const missing: string[] = []
  const malformedFields: string[] = []
  for (const [name, { required, valid }] of Object.entries(rules)) {
    const value = message[name]
    if (value !== undefined) {
      if (!valid(value, message)) malformedFields.push(name)
    } else if (required === true || (required !== false && required(message))) missing.push(name)
  }
  if (missing.length > 0) return { code: '201', fields: missing }
  return malformedFields.length > 0 ? { code: '203', fields: malformedFields } : null
}

function inOrder({ startRange, endRange }: JsonObject): boolean {
  return String(startRange).padEnd(19, '0') <= String(endRange).padEnd(19, '9')
}
