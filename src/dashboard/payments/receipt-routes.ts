// The receipt of a payment at the dashboard: what it says, what became of its letters, and sending it again.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { writerBy } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { modeOfPayment } from '../../payments/reading/mode-store.ts'
import { readReceipt, receiptHindrances, sendReceiptAgain } from '../../payments/receipts/send-again.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { peopleIn, peopleView } from '../people.ts'
import { shownEmail } from '../shoppers.ts'
import { paymentMode } from './payment-routes.ts'

const shared = {
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}/receipt' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
}

export const readReceiptHere = route({
  ...shared,
  method: 'GET',
  summary: 'The receipt of a payment, what became of its letters, and whether it may be sent again',
  access: signedIn('read_transactions'),
  status: 200,
  reply: z.object({
    /** Null where the payment is not captured. */
    receipt: z
      .object({
        /** Masked as everywhere. */
        to: z.string().nullable(),
        subject: z.string(),
        text: z.string(),
        waiting_since: z.string().nullable(),
        /** Why it cannot be sent again now. */
        hindrance: z.enum(receiptHindrances).nullable(),
        letters: z.array(
          z.object({
            state: z.enum(['asked', 'sent', 'given_up', 'unknown']),
            at: z.string(),
            actor: z.string(),
            reason: z.string().nullable(),
          }),
        ),
      })
      .nullable(),
    people: peopleView,
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, params, now }) => {
    const key = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
    const mode = await modeOfPayment(sql, { merchant_id: holder.merchant_id, params })
    if (mode === null) throw notThere()
    const receipt = await readReceipt(sql, key, now)
    if (!receipt) return { receipt: null, people: {} }
    const lines = receipt.letters.map(({ actor }) => ({ actor, subject: key.payment_id }))
    const people = await peopleIn(sql, lines, holder)
    return { receipt: { ...receipt, to: shownEmail(receipt.to, mode, holder) }, people }
  },
})

export const sendReceiptHere = route({
  ...shared,
  method: 'POST',
  summary: 'Send the receipt of a payment again',
  access: signedIn('read_shoppers', { mode: paymentMode }),
  body: z.strictObject({}),
  status: 204,
  reply: z.null(),
  refusals: ['receipt_not_possible'],
  handle: async (context: Context, { holder, params, request_id, now }) => {
    const key = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
    await sendReceiptAgain(context, key, { cause: writerBy(holder, request_id), now })
    return null
  },
})
