// A payment's receipt as a person sees it: what it says, what became of each letter, and whether it may be sent again. Sending it again
// only queues it: the job sends it as it sends the first.

import type { AnySql, Sql } from '../../database/open.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { beginAs } from '../../merchants/write-as.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { paidOf } from './paid-of.ts'
import { receiptTextOf } from './receipt.ts'
import {
  findReceipt,
  findWaiting,
  listReceiptLines,
  lockPaymentOf,
  queueAgain,
  type ReceiptContents,
  type ReceiptLine,
} from './receipt-store.ts'

/** In 24 hours, of one payment. */
export const sent_again_max = 3
const day_ms = 24 * 3_600_000

/** Why a receipt cannot be sent again. */
export const receiptHindrances = ['not_captured', 'no_address', 'no_mail_server', 'sent_often'] as const
export type ReceiptHindrance = (typeof receiptHindrances)[number]

const hindranceWords: Record<ReceiptHindrance, string> = {
  not_captured: 'The payment is not captured, so there is no receipt.',
  no_address: 'No email address is kept of the payment: none was given, or it was deleted.',
  no_mail_server: 'Receipts of this mode are not sent: no mail server is set up for them.',
  sent_often: `The receipt was sent again ${sent_again_max} times within 24 hours. Try again tomorrow.`,
}

/** Undefined where the payment is not captured. */
export async function readReceipt(sql: Sql, key: PaymentKey, now: Date) {
  const receipt = await findReceipt(sql, key)
  return receipt && viewReceipt(receipt, await standingOf(sql, receipt, now))
}

function viewReceipt(receipt: ReceiptContents, { lines, waiting_since, hindrance }: Standing) {
  return {
    ...receiptTextOf(paidOf(receipt)),
    to: receipt.customer?.email ?? null,
    waiting_since: timestampOrNull(waiting_since),
    /** Null where it may be sent again now. */
    hindrance,
    letters: lines.map(({ change, at, actor, detail }) => ({
      state: change.slice('receipt.'.length) as 'asked' | 'sent' | 'given_up' | 'unknown',
      at: timestamp(at),
      actor,
      reason: typeof detail.reason === 'string' ? detail.reason : null,
    })),
  }
}

/**
 * Queues the receipt to be sent again; where it waits already that is enough, and `waits_since` says so. Throws `resource_not_found` or
 * `receipt_not_possible`.
 */
export async function sendReceiptAgain(
  { sql, ids }: { sql: Sql; ids: Ids },
  key: PaymentKey,
  { cause, now }: { cause: Cause; now: Date },
): Promise<{ waits_since: Date | null }> {
  return beginAs(sql, cause, async (tx) => {
    // Until the transaction ends nobody else counts the letters.
    const payment = await lockPaymentOf(tx, key)
    if (!payment) throw noPayment()
    const receipt = await findReceipt(tx, key)
    if (!receipt) throw new Refusal('receipt_not_possible', hindranceWords.not_captured)
    const { lines, waiting_since, hindrance } = await standingOf(tx, receipt, now)
    if (waiting_since) return { waits_since: waiting_since }
    if (hindrance) throw new Refusal('receipt_not_possible', hindranceWords[hindrance])
    const sequence = lines.filter(isAsked).length + 1
    const line = lineOf(ids, payment, cause, { change: 'receipt.asked', detail: { sequence }, at: now })
    await queueAgain(tx, { ...receipt, sequence }, line)
    return { waits_since: null }
  })
}

type Standing = {
  lines: ReceiptLine[]
  waiting_since: Date | null
  hindrance: ReceiptHindrance | null
}

async function standingOf(sql: AnySql, receipt: ReceiptContents, now: Date): Promise<Standing> {
  const lines = await listReceiptLines(sql, receipt)
  const { waiting_since, is_sent } = await findWaiting(sql, receipt, now)
  const after = now.getTime() - day_ms
  const is_often = lines.filter((line) => isAsked(line) && line.at.getTime() > after).length >= sent_again_max
  const hindrance = !receipt.customer?.email
    ? 'no_address'
    : !is_sent
      ? 'no_mail_server'
      : is_often
        ? 'sent_often'
        : null
  return { lines, waiting_since, hindrance }
}

function isAsked({ change }: ReceiptLine): boolean {
  return change === 'receipt.asked'
}
