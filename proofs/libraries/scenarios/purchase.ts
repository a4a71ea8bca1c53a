// What scenarios buy.

import type { Part } from '../play.ts'

export const purchase = {
  amount: 4200,
  currency: 'gbp',
  receipt_email: 'ada@example.com',
  metadata: { order_id: 'A-1' },
}

/** Names and texts that every library has to write into a form. */
export const odd = { 'order id': 'A 1', 'tea & milk': 'a=b&c', été: '☕ = 50 %+', 'list.0': '[]' }

/** The id of an intent that is paid. */
export async function intentPaid({ shop, gives }: Pick<Part, 'shop' | 'gives'>): Promise<string> {
  const intent = await gives('payment_intents.create', { params: purchase }, {})
  await shop.pay(intent)
  return intent.id
}
