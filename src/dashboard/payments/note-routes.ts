// A note on a payment by a person at the dashboard. Whoever may read shoppers may write it, since it may name the shopper.

import { z } from 'zod'
import { route } from '../../http/route.ts'
import { writerBy } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { oneLine } from '../../payments/fields.ts'
import { notePayment } from '../../payments/history/note-payment.ts'
import { signedIn } from '../../users/signed-in.ts'
import { paymentMode } from './payment-routes.ts'

export const notePaymentHere = route({
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/payments/{payment_id}/notes',
  summary: 'Write a note on a payment',
  tag: 'Dashboard',
  dialect: 'dashboard',
  access: signedIn('read_shoppers', { mode: paymentMode }),
  body: z.strictObject({
    note: oneLine(255).meta({ description: 'what others should know of the payment' }),
  }),
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, { holder, params, request_id, body, now }) => {
    const key = { merchant_id: holder.merchant_id, payment_id: params.payment_id! }
    await notePayment(context, key, { cause: writerBy(holder, request_id), note: body.note, now })
    return null
  },
})
