// A refund that failed and whose money a person gave back another way, such as by a bank transfer: it is owed no more, and its amount is
// not offered again. The API and events do not know of it; at the acquirer nothing changes.

import { z } from 'zod'
import { type JournalChange, journalLine } from '../../audit/journal.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { beginAs } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { amount as amountField, oneLine } from '../../payments/fields.ts'
import { modeOfRefund } from '../../payments/reading/mode-store.ts'
import { owedRefunds } from '../../payments/reading/owed-refunds.ts'
import { lockPayment, type PaymentRead } from '../../payments/reading/payment-store.ts'
import { findRefund } from '../../payments/reading/refund-store.ts'
import { refuseBeyond } from '../../payments/refunds/refund-limit-store.ts'
import { type Member, notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { isLimited } from './payment-routes.ts'
import { type Settlement, saveSettlement } from './settle-otherwise-store.ts'

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
    note: oneLine(255).meta({ description: 'how it was given back' }),
  }),
  refusals: ['refund_limit_exceeded', 'refund_not_owed'],
  handle: (context: Context, { body, ...request }) =>
    changeRefund(context, request, (payment, refund_id) => {
      const { amount } = body
      const refund = owedRefunds(payment).find((each) => each.refund_id === refund_id)
      if (refund?.owed_amount !== amount) {
        throw new Refusal('refund_not_owed', 'Nothing of the refund is owed any more, or another amount is.')
      }
      return {
        added_amount: amount,
        otherwise: { at: request.now, amount },
        change: 'refund.settled_otherwise',
        detail: body,
      }
    }),
})

export const reopenRefundHere = route({
  ...shared,
  method: 'DELETE',
  summary: 'Take back that the money of a failed refund was given back another way',
  refusals: ['refund_limit_exceeded'],
  handle: (context: Context, request) =>
    changeRefund(context, request, (payment, refund_id) => {
      const amount = payment.refunds?.find((each) => each.refund_id === refund_id)?.otherwise_amount
      // Somebody has taken it back already, or nobody ever said so.
      if (!amount) throw notThere()
      return { added_amount: 0, otherwise: null, change: 'refund.reopened', detail: { amount } }
    }),
})

type Request = { holder: Member; params: Record<string, string>; request_id: string; now: Date }

type Change = Pick<JournalChange, 'change'> & {
  /** What would be given back of the payment in addition. */
  added_amount: number
  otherwise: Settlement | null
  detail: { amount: number; note?: string }
}

/** What `changeOf` makes of the payment is done, by support up to its limit: so it may take back what it may give. */
async function changeRefund(
  { sql, ids }: Context,
  { holder, params, request_id, now: at }: Request,
  changeOf: (payment: PaymentRead, refund_id: string) => Change,
): Promise<null> {
  await beginAs(sql, holder, async (tx, member) => {
    const refund = await findRefund(tx, { merchant_id: holder.merchant_id, refund_id: params.refund_id! })
    const payment = refund && (await lockPayment(tx, refund))
    if (!payment) throw notThere()
    const { refund_id } = refund
    const { added_amount, otherwise, change, detail } = changeOf(payment, refund_id)
    if (isLimited(member)) await refuseBeyond(tx, payment, added_amount)
    const { merchant_id, session_id, payment_id, currency, mode } = payment
    const line = journalLine(ids, {
      merchant_id,
      session_id,
      subject: payment_id,
      actor: `user ${holder.user_id}`,
      request_id,
      at,
      change,
      // The overview counts lines that have a mode.
      detail: { ...detail, refund_id, currency, mode },
    })
    await saveSettlement(tx, refund, { otherwise, line })
  })
  return null
}
