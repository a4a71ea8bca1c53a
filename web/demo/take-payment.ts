// The lines that take a payment. The page shows them exactly, from `async` on.

import type { ConfirmResult, Ripper as RipperScript } from '../checkout/api.ts'
import type { Order } from './kept.ts'

declare const Ripper: RipperScript
type OnPaid = (result: ConfirmResult) => void

export async function takePayment(order: Order, thank: OnPaid) {
  const shop = await Ripper.loadCheckout(order.public_key)
  const payment = shop.checkout({
    clientSecret: order.client_secret,
    appearance: { theme: 'auto', variables: { colorPrimary: '#2f5d46' } },
  })
  payment.on('complete', thank)
  payment.mount('#checkout')
  return payment
}
