// A refund that failed and whose money a person gave back another way, such as by a bank transfer: it is owed no more, and its amount is
// not offered again. The API and events do not know of it; at the acquirer nothing changes.

import { z } from 'zod'
import { type JournalChange, type JournalLine, journalLine } from '../../audit/journal.ts'
import { looksLikeCardNumber } from '../../cards/card-data.ts'
import type { AnySql } from '../../database/open.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { beginAs } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { amount as amountField, must, text } from '../../payments/fields.ts'
import { modeOfRefund } from '../../payments/reading/mode-store.ts'
import { owedRefunds, refundSums } from '../../payments/reading/owed-refunds.ts'
import { findPayment, type PaymentRead } from '../../payments/reading/payment-store.ts'
import { refuseBeyond } from '../../payments/refund.ts'
import { findRefundLimit } from '../../payments/refunds/refund-limit-store.ts'
import { type Member, notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { isLimited } from './payment-routes.ts'
import { lockPaymentOf, type RefundKey, saveSettlement } from './settle-otherwise-store.ts'

const shared = {
  path: '/dashboard/api/{merchant_id}/refunds/{refund_id}/otherwise' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  access: signedIn('refund_payments', {
    gravity: 'money',
    mode: async ({ sql }, { merchant_id = '', ...params }) =>
      /^ref_[0-9a-f]{24}$/.test(params.refund_id ?? '') ? modeOfRefund(sql, { merchant_id, params }) : null,
  }),
  status: 204,
  reply: z.null(),
}

export const settleRefundHere = route({
  ...shared,
  method: 'POST',
  summary: 'Note that the money of a failed refund was given back another way',
  body: z.strictObject({
    /** What the person saw as owed: what has changed since is not settled with it. */
    amount: amountField,
    note: text(255)
      .trim()
      .min(1, must('not be empty'))
      .regex(/^\P{Cc}*$/u, must('be one line'))
      .refine((note) => !looksLikeCardNumber(note), must('not contain a card number'))
      .meta({ description: 'how it was given back' }),
  }),
  refusals: ['refund_limit_exceeded', 'refund_not_owed'],
  handle: async (context: Context, { holder, params, body, request_id, now: at }) => {
    const key = { merchant_id: holder.merchant_id, refund_id: params.refund_id! }
    const { amount } = body
    await beginAs(context.sql, holder, async (tx, member) => {
      const payment = await lockPayment(tx, key)
      const refund = owedRefunds(payment).find(({ refund_id }) => refund_id === key.refund_id)
      if (refund?.owed_amount !== amount) {
        throw new Refusal('refund_not_owed', 'Nothing of the refund is owed any more, or another amount is.')
      }
      await refuseBeyondLimit(tx, member, payment, amount)
      const detail = { ...body, refund_id: key.refund_id, currency: payment.currency }
      const by = { actor: `user ${holder.user_id}` as const, request_id, at }
      const line = lineOf(context, payment, { change: 'refund.settled_otherwise', detail, ...by })
      await saveSettlement(tx, key, { otherwise: { at, amount }, line })
    })
    return null
  },
})

export const reopenRefundHere = route({
  ...shared,
  method: 'DELETE',
  summary: 'Take back that the money of a failed refund was given back another way',
  refusals: [],
  handle: async (context: Context, { holder, params, request_id, now: at }) => {
    const key = { merchant_id: holder.merchant_id, refund_id: params.refund_id! }
    await beginAs(context.sql, holder, async (tx) => {
      const payment = await lockPayment(tx, key)
      const amount = payment.refunds?.find(({ refund_id }) => refund_id === key.refund_id)?.otherwise_amount
      // Somebody has taken it back already, or nobody ever said so.
      if (!amount) throw notThere()
      const detail = { refund_id: key.refund_id, amount, currency: payment.currency }
      const by = { actor: `user ${holder.user_id}` as const, request_id, at }
      const line = lineOf(context, payment, { change: 'refund.reopened', detail, ...by })
      await saveSettlement(tx, key, { otherwise: null, line })
    })
    return null
  },
})

/** With all its refunds, as they stay until the transaction ends: whatever begins, ends or settles one of them waits. */
async function lockPayment(tx: AnySql, key: RefundKey): Promise<PaymentRead> {
  const payment_id = await lockPaymentOf(tx, key)
  const payment = payment_id && (await findPayment(tx, key.merchant_id, payment_id))
  if (!payment) throw notThere()
  return payment
}

/** What support gives back another way counts as what it refunds does. */
async function refuseBeyondLimit(tx: AnySql, member: Member, payment: PaymentRead, amount: number): Promise<void> {
  if (!isLimited(member)) return
  const { currency } = payment
  const refunded_amount = payment.refunded_amount + refundSums(payment).otherwise_amount
  refuseBeyond(await findRefundLimit(tx, payment), { refunded_amount, currency }, amount)
}

function lineOf(
  { ids }: Pick<Context, 'ids'>,
  { merchant_id, session_id, payment_id: subject, mode }: PaymentRead,
  { detail, ...change }: Pick<JournalChange, 'change' | 'detail' | 'actor' | 'request_id' | 'at'>,
): JournalLine {
  // The overview counts lines that have a mode.
  return journalLine(ids, { merchant_id, session_id, subject, detail: { ...detail, mode }, ...change })
}
