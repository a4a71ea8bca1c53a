// How the fake Adyen answers, and what it posts: each notice is signed as the vendor signs it.

import { createHmac } from 'node:crypto'
import type { NoticePost } from '../../../../src/acquirers/acquirer.ts'
import type { AdyenBooks, FakeModification, FakePayment } from './books.ts'

/** The answer to the request of a payment. */
export function paymentView(books: AdyenBooks, payment: FakePayment): object {
  const { psp, reference, amount, currency, refusal, downgraded } = payment
  const names = { pspReference: psp, merchantReference: reference }
  if (!books.isDecided(payment)) return { ...names, resultCode: 'Received' }
  if (!refusal) {
    const approved = { ...names, resultCode: 'Authorised', amount: { value: amount, currency } }
    return downgraded ? { ...approved, additionalData: not_shifted } : approved
  }
  const { raw, ...rest } = refusal
  return { ...names, ...rest, ...(raw && { additionalData: { refusalReasonRaw: raw } }) }
}

const not_shifted = { liabilityShift: 'false', threeDAuthenticated: 'true' }

/** The answer to the request of a modification: it says that it was received, whatever comes of it. */
export function modificationView(
  { psp, reference, payment, event, amount }: FakeModification,
  merchantAccount: string,
): object {
  return {
    merchantAccount,
    pspReference: psp,
    reference,
    status: 'received',
    ...((event === 'CAPTURE' || event === 'REFUND') &&
      payment && { amount: { value: amount, currency: payment.currency } }),
    // A cancellation by our reference does not know yet whether there is anything to cancel.
    ...(event !== 'TECHNICAL_CANCEL' && payment && { paymentPspReference: payment.psp }),
  }
}

/** With the signature still missing. */
export type NoticeItem = {
  pspReference: string
  originalReference?: string
  merchantAccountCode: string
  merchantReference: string
  amount: { value: number; currency: string }
  eventCode: string
  success: 'true' | 'false'
  eventDate: string
  reason: string
  additionalData: Record<string, string>
}

/** What happened by now, in its order. `bears`: whose reference the notices of modifications bear, which Adyen leaves open. */
export function itemsOf(
  books: AdyenBooks,
  { now, merchant_account, bears }: { now: Date; merchant_account: string; bears: 'own' | 'payment' },
): NoticeItem[] {
  books.lapse()
  const charges = books.payments.filter(books.isDecided).map((payment) => ({
    at: payment.decided_at!,
    item: {
      pspReference: payment.psp,
      merchantReference: payment.reference,
      eventCode: 'AUTHORISATION',
      success: wordOf(!payment.refusal),
      amount: { value: payment.amount, currency: payment.currency },
      reason: payment.refusal?.refusalReason ?? '000000:1111:03/2030',
      ...(payment.downgraded && { additionalData: not_shifted }),
    },
  }))
  const settled = books.modifications
    .filter(({ due_at }) => due_at <= now)
    .map(({ psp, payment, reference, event, amount, success, reason, due_at }) => ({
      at: due_at,
      item: {
        pspReference: psp,
        eventCode: event,
        success: wordOf(success),
        reason,
        ...(payment && { originalReference: payment.psp }),
        merchantReference: bears === 'own' || !payment ? reference : payment.reference,
        amount: { value: amount, currency: payment?.currency ?? 'EUR' },
      },
    }))
  const sent_back = books.modifications
    .filter(({ sent_back_at, success }) => sent_back_at && success)
    .map(({ psp, payment, reference, amount, sent_back_at }) => ({
      at: sent_back_at!,
      item: {
        pspReference: psp,
        eventCode: 'REFUND_FAILED',
        success: wordOf(true),
        reason: '',
        originalReference: payment!.psp,
        merchantReference: bears === 'own' ? reference : payment!.reference,
        amount: { value: amount, currency: payment!.currency },
      },
    }))
  return [...charges, ...settled, ...sent_back]
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, item }) => ({
      additionalData: {},
      ...item,
      merchantAccountCode: merchant_account,
      eventDate: at.toISOString(),
    }))
}

/** The characters that are signed: eight fields, joined by colons. */
export function signedText(item: NoticeItem): string {
  const { pspReference, originalReference = '', merchantAccountCode, merchantReference } = item
  const { value, currency } = item.amount
  const names = [pspReference, originalReference, merchantAccountCode, merchantReference]
  return [...names, value, currency, item.eventCode, item.success].join(':')
}

export function signed(hmac_key: string, item: NoticeItem): NoticeItem {
  return signingOnce(hmac_key)(item)
}

/** Signs each text once: whoever looks for new notices reads all of them. */
export function signingOnce(hmac_key: string): (item: NoticeItem) => NoticeItem {
  const key = Buffer.from(hmac_key, 'hex')
  const signatures = new Map<string, string>()
  return (item) => {
    const text = signedText(item)
    const known = signatures.get(text)
    const hmacSignature = known ?? createHmac('sha256', key).update(text).digest('base64')
    if (known === undefined) signatures.set(text, hmacSignature)
    return { ...item, additionalData: { ...item.additionalData, hmacSignature } }
  }
}

export function posted(items: NoticeItem[], headers = {}, live = 'false'): NoticePost {
  const notificationItems = items.map((each) => ({ NotificationRequestItem: each }))
  return {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ live, notificationItems }),
  }
}

function wordOf(success: boolean): 'true' | 'false' {
  return success ? 'true' : 'false'
}
