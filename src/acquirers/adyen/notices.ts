// What Adyen posts to us. It is the only source of what became of a request, so that nothing is decided by a field that its
// signature does not cover: those give words and times alone.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import {
  type AuthoriseAnswer,
  NotGenuine,
  type Notice,
  type NoticePost,
  type SettleAnswer,
} from '../acquirer.ts'
import type { NoticeKey } from '../connector.ts'
import { wordsOf } from '../words.ts'
import { refusedWith } from './answers.ts'
import type { AdyenCredentials } from './credentials.ts'
import { moneyRead } from './currencies.ts'

/** `fails`: the event itself says that it went wrong, with `success: "true"`. */
const events: Record<string, { about: Notice['about']; fails?: true }> = {
  AUTHORISATION: { about: 'authorise' },
  EXPIRE: { about: 'expiry' },
  CAPTURE: { about: 'capture' },
  CAPTURE_FAILED: { about: 'capture', fails: true },
  CANCELLATION: { about: 'void' },
  // Reversals of ours alone cancel by our reference, or cancel or refund, whichever fits.
  TECHNICAL_CANCEL: { about: 'reverse' },
  CANCEL_OR_REFUND: { about: 'reverse' },
  REFUND: { about: 'refund' },
  REFUND_FAILED: { about: 'refund', fails: true },
  REFUNDED_REVERSED: { about: 'refund', fails: true },
  ...Object.fromEntries(
    `NOTIFICATION_OF_CHARGEBACK REQUEST_FOR_INFORMATION CHARGEBACK CHARGEBACK_REVERSED SECOND_CHARGEBACK
     PREARBITRATION_WON PREARBITRATION_LOST NOTIFICATION_OF_FRAUD`
      .split(/\s+/)
      .map((event) => [event, { about: 'dispute' }]),
  ),
}

// The signature joins its fields by colons. Where they stand in one field alone, it can be read in one way only.
const name = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/)

const item = z.object({
  pspReference: name,
  originalReference: name.or(z.literal('')).nullish(),
  merchantAccountCode: name,
  merchantReference: z.string().nullish(),
  amount: z.object({ value: z.int(), currency: z.string().regex(/^[A-Z]{3}$/) }),
  eventCode: name,
  success: z.enum(['true', 'false']),
  eventDate: z.string(),
  reason: z.string().nullish().default(null),
  additionalData: z.looseObject({ hmacSignature: z.string() }),
})

const frame = z.object({
  live: z.enum(['true', 'false']),
  notificationItems: z.array(z.object({ NotificationRequestItem: item })).min(1),
})

type Item = z.infer<typeof item>

/** Throws NotGenuine. What is about nothing of ours is read as no notice. */
export function noticesIn(
  { headers, body }: NoticePost,
  { credentials, mode }: Pick<NoticeKey<AdyenCredentials>, 'credentials' | 'mode'>,
): Notice[] {
  if (!isAdmitted(headers.authorization ?? '', credentials)) {
    throw new NotGenuine('the user or password is not that of the connection')
  }
  const read = frame.safeParse(jsonIn(body)).data
  if (!read) throw new NotGenuine('the body is no notification')
  if (read.live !== String(mode === 'live')) throw new NotGenuine(`it is not of mode ${mode}`)
  const items = read.notificationItems.map((each) => each.NotificationRequestItem)
  for (const each of items) {
    if (!isSigned(each, credentials.hmac_key))
      throw new NotGenuine('the signature is of something else')
    if (each.merchantAccountCode !== credentials.merchant_account) {
      throw new NotGenuine('it is about another merchant account')
    }
  }
  return items.flatMap(noticeOf)
}

function noticeOf(read: Item): Notice[] {
  const { pspReference, eventCode, success, merchantReference } = read
  const event = Object.hasOwn(events, eventCode) ? events[eventCode] : undefined
  // That something did not happen which nobody asked for is no news.
  if (!event || (event.about === 'expiry' && success === 'false')) return []
  const occurred_at = new Date(read.eventDate)
  if (Number.isNaN(occurred_at.getTime())) throw new NotGenuine(`${eventCode} without a time`)
  const { about } = event
  const original = read.originalReference || null
  const authorisation_transaction_id = original ?? (about === 'dispute' ? null : pspReference)
  const is_charge = about === 'authorise' || about === 'expiry'
  return [
    {
      notice_id: createHash('sha256')
        .update(`${pspReference}:${eventCode}:${success}`)
        .digest('hex'),
      about,
      // The charge's or the operation's own: which of them a modification's notice bears is their choice.
      reference: /^[0-9a-f]{32}$/.test(merchantReference ?? '') ? merchantReference! : null,
      acquirer_transaction_id: is_charge ? authorisation_transaction_id : pspReference,
      authorisation_transaction_id,
      answer: answerOf(read, event),
      occurred_at,
      // They repeat our mark where the account is set up so, and do not sign it.
      is_ours: null,
    },
  ]
}

function answerOf(
  { eventCode, success, reason, pspReference, amount }: Item,
  { about, fails }: (typeof events)[string],
): AuthoriseAnswer | SettleAnswer | null {
  if (about === 'expiry' || about === 'dispute') return null
  const acquirer_transaction_id = pspReference
  const is_done = success === 'true' && !fails
  const words = wordsOf(reason)
  if (about === 'authorise') {
    if (!is_done) {
      const decline = { code: 'card_declined', category: 'soft', reason: words } as const
      return { result: 'declined', decline, acquirer_transaction_id }
    }
    const money = moneyRead(amount)
    // It does not say whether it was captured, too: whoever asked for it knows.
    return money && { result: 'approved', acquirer_transaction_id, captured: false, ...money }
  }
  if (is_done) return { result: 'approved', acquirer_transaction_id }
  if (eventCode !== 'TECHNICAL_CANCEL') return refusedWith(null, words ?? 'Refused')
  // Nothing that is reserved bears the reference. Where it was captured in spite of that, its own notice says so.
  const none = { decline_code: 'unknown_authorisation', authorisation_known: false } as const
  return { result: 'refused', reason: words ?? 'Nothing to cancel', ...none }
}

function isSigned(read: Item, hmac_key: string): boolean {
  const { pspReference, originalReference, merchantAccountCode, merchantReference } = read
  const { value, currency } = read.amount
  const signed = [
    ...[pspReference, originalReference, merchantAccountCode, merchantReference],
    ...[value, currency, read.eventCode, read.success],
  ].join(':')
  const expected = createHmac('sha256', Buffer.from(hmac_key, 'hex')).update(signed).digest()
  const given = Buffer.from(read.additionalData.hmacSignature, 'base64')
  return given.length === expected.length && timingSafeEqual(expected, given)
}

/** Whether it comes with the user and password that were set for notices, where they were. */
function isAdmitted(
  authorization: string,
  { notice_user, notice_password }: AdyenCredentials,
): boolean {
  if (notice_user === undefined) return true
  const expected = `Basic ${Buffer.from(`${notice_user}:${notice_password}`).toString('base64')}`
  return timingSafeEqual(hashOf(expected), hashOf(authorization))
}

/** Of one length, so that they can be compared in one time. */
function hashOf(words: string): Buffer {
  return createHash('sha256').update(words).digest()
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
