// What 3dsecure.io takes, member by member, for a payment in a browser: whatever is not here is refused, so that a wrong
// spelling is seen at once. Written from the vendor's reference, not from our own field rules.

import { z } from 'zod'

const uuid = z.uuidv4()
const url = (length: number) => z.url().max(length)
const text = (least: number, most: number) => z.string().min(least).max(most)
const digits = (form: RegExp) => z.string().regex(form)
const account = digits(/^[1-9]\d{12,18}$/)

const preauth = z.strictObject({
  acctNumber: account,
  ds: z.enum(['standin', 'visa', 'mastercard', 'jcb', 'upi', 'amex', 'protectbuy', 'sbn']).optional(),
})

const payment = z.strictObject({
  messageType: z.literal('AReq'),
  messageVersion: z.enum(['2.1.0', '2.2.0']),
  messageCategory: z.literal('01'),
  deviceChannel: z.literal('02'),
  threeDSServerTransID: uuid,
  threeDSCompInd: z.enum(['Y', 'N', 'U']),
  threeDSRequestorURL: url(2048),
  threeDSRequestorAuthenticationInd: digits(/^0[1-6]$/),
  threeDSRequestorChallengeInd: digits(/^0[1-9]$/).optional(),
  acctNumber: account,
  cardExpiryDate: digits(/^\d\d(0[1-9]|1[0-2])$/).optional(),
  cardholderName: digits(/^[\x20-\x7e]{2,45}$/).optional(),
  email: z.email().max(254).optional(),
  acquirerBIN: text(1, 11),
  acquirerMerchantID: text(1, 35),
  mcc: digits(/^\d{4}$/),
  merchantCountryCode: digits(/^\d{3}$/),
  merchantName: text(1, 40),
  purchaseAmount: digits(/^\d{1,48}$/),
  purchaseCurrency: digits(/^\d{3}$/),
  purchaseExponent: digits(/^\d$/),
  purchaseDate: digits(/^\d{14}$/),
  transType: z.enum(['01', '03', '10', '11', '28']),
  notificationURL: url(256),
  browserAcceptHeader: text(1, 2048),
  browserUserAgent: text(1, 2048),
  browserIP: z.union([z.ipv4(), z.ipv6()]).optional(),
  browserLanguage: text(1, 8),
  browserJavascriptEnabled: z.boolean().optional(),
  browserJavaEnabled: z.boolean().optional(),
  browserColorDepth: z.enum(['1', '4', '8', '15', '16', '24', '32', '48']).optional(),
  browserScreenHeight: digits(/^\d{1,6}$/).optional(),
  browserScreenWidth: digits(/^\d{1,6}$/).optional(),
  browserTZ: digits(/^[+-]?\d{1,4}$/).optional(),
})

/** By version: 2.1.0 does not know browsers without scripts; 2.2.0 wants to be told. */
const auth = payment.refine((body) => {
  const facts = [body.browserJavaEnabled, body.browserColorDepth, body.browserScreenHeight]
  const runs_script = [...facts, body.browserScreenWidth, body.browserTZ].every((fact) => fact !== undefined)
  if (body.messageVersion === '2.1.0') {
    return runs_script && body.browserJavascriptEnabled === undefined
  }
  return body.browserJavascriptEnabled === true ? runs_script : body.browserJavascriptEnabled === false
})

const postauth = z.strictObject({ threeDSServerTransID: uuid })

export const bodies = { preauth, auth, postauth }
export type Step = keyof typeof bodies
export type AuthBody = z.infer<typeof auth>

const headers = new Set([
  ...['apikey', 'accept', 'content-type', 'content-length'],
  ...['host', 'connection', 'user-agent', 'transfer-encoding'],
])

/** The first header that nobody asked for; null where all are known. */
export function strangeHeader(names: string[]): string | null {
  return names.find((name) => !headers.has(name)) ?? null
}
