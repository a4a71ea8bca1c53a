// What shoppers of a simulated world buy, what their pages claim of it, and what the shops' own lists say.

import type { PriceListItem } from '../../src/merchants/integration.ts'
import type { Chance } from './chance.ts'

export type Purchase = {
  amount: number
  currency: string
  customer?: { email: string }
  order_reference?: string
  items?: object[]
}

/** The list of those shops that have one. */
export const price_list: PriceListItem[] = [
  { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', tax_rate: 2_000 },
  { sku: 'pot', name: 'Teapot', unit_amount: 2_400, currency: 'GBP' },
]

/** Of whom the shop knows, and of whoever types an address into its page. */
export const emails = { named: 'ada@example.com', typed: 'eve@example.com' }

export function choosePurchase(chance: Chance): Purchase {
  return {
    amount: chance.pick([100, 4_200, 999, 5_000, 123_456]),
    currency: 'GBP',
    ...(chance.often(0.9) && { customer: { email: emails.named } }),
    ...(chance.often(0.3) && { order_reference: `order-${chance.below(2)}` }),
  }
}

/** A basket as a page sends it, whose script anybody may have changed: it names the list's prices, and things of its own. */
export function withBasket(purchase: Purchase, chance: Chance): Purchase {
  if (chance.often(0.6)) return purchase
  const lines = price_list.slice(0, 1 + chance.below(2)).map(({ sku, name, unit_amount }) => ({
    sku,
    quantity: 1 + chance.below(2),
    unit_amount,
    ...chance.pick([{ name }, { name: 'Grand piano' }, { name, tax_rate: 100_000 }]),
  }))
  const sum = lines.reduce((total, line) => total + line.quantity * line.unit_amount, 0)
  return { ...purchase, items: lines, amount: chance.often(0.9) ? sum : purchase.amount }
}
