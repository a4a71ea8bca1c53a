// The notices that Adyen posts to us. They are the only source of a request's outcome, so no decision uses a field that the
// signature does not cover. Such fields only give words and times, and make a decline stricter.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type AuthoriseAnswer, NotGenuine, type Notice, type NoticePost, type SettleAnswer } from '../acquirer.ts'
import { refusedWith } from '../answers.ts'
import type { NoticeKey } from '../connector.ts'
import { jsonIn } from '../wire.ts'
import { wordsOf } from '../words.ts'
import { liabilityIn } from './answers.ts'
import type { AdyenCredentials } from './credentials.ts'
import { moneyRead } from './currencies.ts'
import { declineToldOf } from './declines.ts'
import { disputeOf } from './disputes.ts'

/**
 * `fails`: the event itself reports a failure, although it has `success: "true"`. `announces`: its outcome comes in a
 * notice of its own. From the published list of 2026-11, docs.adyen.com/development-resources/webhooks/webhook-types; a
 * test names the others.
 */
export const noticeEvents: Record<string, { about: Notice['about']; fails?: true; announces?: true }> = {
  AUTHORISATION: { about: 'authorise' },
  // The new amount of what is reserved.
  AUTHORISATION_ADJUSTMENT: { about: 'authorise' },
  // A person's review of the risk: a rejected payment is then cancelled or refunded.
  MANUAL_REVIEW_ACCEPT: { about: 'authorise', announces: true },
  MANUAL_REVIEW_REJECT: { about: 'reverse', announces: true },
  EXPIRE: { about: 'expiry' },
  CAPTURE: { about: 'capture' },
  CAPTURE_FAILED: { about: 'capture', fails: true },
  CANCELLATION: { about: 'void' },
  // Only our reversals cancel by our reference, or "cancel or refund", whichever applies.
  TECHNICAL_CANCEL: { about: 'reverse' },
  CANCEL_OR_REFUND: { about: 'reverse' },
  VOID_PENDING_REFUND: { about: 'reverse' },
  REFUND: { about: 'refund' },
  // The refund waits for the capture.
  POSTPONED_REFUND: { about: 'refund', announces: true },
  REFUND_FAILED: { about: 'refund', fails: true },
  REFUNDED_REVERSED: { about: 'refund', fails: true },
  ...Object.fromEntries(
    `NOTIFICATION_OF_CHARGEBACK REQUEST_FOR_INFORMATION CHARGEBACK CHARGEBACK_REVERSED SECOND_CHARGEBACK
     PREARBITRATION_OPEN PREARBITRATION_WON PREARBITRATION_LOST NOTIFICATION_OF_FRAUD`
      .split(/\s+/)
      .map((event) => [event, { about: 'dispute' }]),
  ),
}

// The signature joins its fields by colons. It is unambiguous only if at most one field contains colons.
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

/**
 * Events that are not read need not have this form: Adyen does not sign reports, for example, and names them by files.
 * A refused post would hold up all later ones.
 */
const unread = z
  .object({ eventCode: z.string().refine((code) => !Object.hasOwn(noticeEvents, code)) })
  .transform(() => null)

const frame = z.object({
  live: z.enum(['true', 'false']),
  notificationItems: z.array(z.object({ NotificationRequestItem: z.union([item, unread]) })).min(1),
})

type Item = z.infer<typeof item>

/** Throws NotGenuine. A notice that does not concern us is skipped. */
export function noticesIn(
  { headers, body }: NoticePost,
  { credentials, mode, installation }: Omit<NoticeKey<AdyenCredentials>, 'now'>,
): Notice[] {
  if (!isAdmitted(headers.authorization ?? '', credentials)) {
    throw new NotGenuine('the user or password is not that of the connection')
  }
  const notification = frame.safeParse(jsonIn(body)).data
  if (!notification) throw new NotGenuine('the body is no notification')
  if (notification.live !== String(mode === 'live')) throw new NotGenuine(`it is not of mode ${mode}`)
  const items = notification.notificationItems
    .map((each) => each.NotificationRequestItem)
    .filter((each) => each !== null)
  for (const each of items) {
    if (!isSigned(each, credentials.hmac_key)) throw new NotGenuine('the signature is of something else')
    if (each.merchantAccountCode !== credentials.merchant_account) {
      throw new NotGenuine('it is about another merchant account')
    }
  }
  return items.flatMap((each) => noticeOf(each, { installation, is_live: mode === 'live' }))
}

function noticeOf(item: Item, { installation, is_live }: { installation: string; is_live: boolean }): Notice[] {
  const { pspReference, eventCode, success, merchantReference } = item
  const event = Object.hasOwn(noticeEvents, eventCode) ? noticeEvents[eventCode] : undefined
  // A failed expiry is no news, because nobody requested it.
  if (!event || (event.about === 'expiry' && success === 'false')) return []
  const occurred_at = new Date(item.eventDate)
  if (Number.isNaN(occurred_at.getTime())) throw new NotGenuine(`${eventCode} without a time`)
  const { about } = event
  const original = item.originalReference || null
  const is_charge = about === 'authorise' || about === 'expiry'
  // An event about a charge has an id of its own. Without the original's id the charge is unknown.
  const authorisation_transaction_id = original ?? (is_charge ? pspReference : null)
  const dispute = about === 'dispute' && disputeOf({ ...item, originalReference: original, is_live })
  const mark = item.additionalData['metadata.ripper_installation']
  return [
    {
      notice_id: createHash('sha256').update(`${pspReference}:${eventCode}:${success}`).digest('hex'),
      about,
      // The reference of the charge or of the operation: Adyen chooses which of them a modification's notice has.
      reference: /^[0-9a-f]{32}$/.test(merchantReference ?? '') ? merchantReference! : null,
      acquirer_transaction_id: is_charge ? authorisation_transaction_id : pspReference,
      authorisation_transaction_id,
      answer: answerOf(item, event),
      ...(dispute && { dispute }),
      occurred_at,
      // Adyen repeats our mark only for some account settings, and does not sign it. So another mark says nothing.
      is_ours: mark === installation ? true : null,
    },
  ]
}

function answerOf(
  { eventCode, success, reason, pspReference, amount, additionalData, originalReference }: Item,
  { about, fails, announces }: (typeof noticeEvents)[string],
): AuthoriseAnswer | SettleAnswer | null {
  if (about === 'dispute' || announces) return null
  const acquirer_transaction_id = pspReference
  const is_done = success === 'true' && !fails
  const words = wordsOf(reason)
  if (about === 'authorise') {
    const is_adjustment = eventCode === 'AUTHORISATION_ADJUSTMENT'
    if (is_adjustment && !(is_done && originalReference)) return null
    if (!is_done) {
      return { result: 'declined', decline: declineToldOf(reason), acquirer_transaction_id }
    }
    const money = moneyRead(amount)
    // The notice does not say whether the amount was captured as well. The code that made the request knows.
    if (!money) return null
    const approval = {
      result: 'approved',
      acquirer_transaction_id: originalReference || pspReference,
      captured: false,
      ...money,
    } as const
    return { ...approval, ...liabilityIn(additionalData) }
  }
  if (is_done) {
    // A cancellation or lapse need not say how much it released.
    const says_amount = about === 'capture' || about === 'refund' || amount.value > 0
    if (!says_amount) return { result: 'approved', acquirer_transaction_id }
    const money = moneyRead(amount)
    // An unreadable amount cannot be compared with the requested one.
    return money && { result: 'approved', acquirer_transaction_id, money }
  }
  if (eventCode !== 'TECHNICAL_CANCEL') return refusedWith(null, words ?? 'Refused')
  // No reserved payment has the reference. If a payment was captured in spite of that, another notice reports it.
  const none = { decline_code: 'unknown_authorisation', authorisation_known: false } as const
  return { result: 'refused', reason: words ?? 'Nothing to cancel', ...none }
}

function isSigned(item: Item, hmac_key: string): boolean {
  const { pspReference, originalReference, merchantAccountCode, merchantReference } = item
  const { value, currency } = item.amount
  const signed_text = [
    ...[pspReference, originalReference, merchantAccountCode, merchantReference],
    ...[value, currency, item.eventCode, item.success],
  ].join(':')
  const expected = createHmac('sha256', Buffer.from(hmac_key, 'hex')).update(signed_text).digest()
  const signature = Buffer.from(item.additionalData.hmacSignature, 'base64')
  return signature.length === expected.length && timingSafeEqual(expected, signature)
}

/** Whether the post has the user and password that were set for notices, if any were set. */
function isAdmitted(authorization: string, { notice_user, notice_password }: AdyenCredentials): boolean {
  if (notice_user === undefined) return true
  const expected = `Basic ${Buffer.from(`${notice_user}:${notice_password}`).toString('base64')}`
  return timingSafeEqual(hashOf(expected), hashOf(authorization))
}

/** Hashes have equal lengths, so that they can be compared in constant time. */
function hashOf(words: string): Buffer {
  return createHash('sha256').update(words).digest()
}
