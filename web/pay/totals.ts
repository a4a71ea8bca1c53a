// The bill: the lines, their total, and the difference between that and the amount.

import type { Pricing } from './context.ts'
import { currencyOf, type Purchase } from './link.ts'

/** An item of a session. Amounts in minor units; `unit_amount` is null while a line has no price. */
export type Item = {
  kind: 'product' | 'shipping' | 'discount' | 'fee'
  sku: string | null
  name: string | null
  quantity: number
  unit_amount: number | null
}

/** `total` is negative for a discount. `adjustment` is the amount minus the lines; 0 if they agree. */
export type Bill = {
  lines: BillLine[]
  adjustment: number
  /** Null while it is not known. */
  amount: number | null
  currency: string | null
  order_reference: string | null
}

export type BillLine = {
  kind: Item['kind']
  name: string | null
  quantity: number
  unit_amount: number | null
  total: number | null
}

type ChargedTotals = Pick<Bill, 'amount' | 'currency' | 'order_reference'> & {
  items: Item[] | null
}

/** A line without a name has the name in the price list, or else its sku. */
export function billOf(
  { items, amount, currency, order_reference }: ChargedTotals,
  { price_list }: Pick<Pricing, 'price_list'>,
): Bill {
  const lines = (items ?? []).map((item) => lineOf(item, goodOf(item.sku, price_list, currency)))
  return { lines, adjustment: adjustmentOf(lines, amount), amount, currency, order_reference }
}

/** The bill with the amount that the service charges. Leaves out lines in another currency, which would mislead. */
export function chargedBill(bill: Bill | null, { amount, currency }: { amount: number; currency: string }): Bill {
  const lines = bill?.currency === currency ? bill.lines : []
  const order_reference = bill?.order_reference ?? null
  return { lines, adjustment: adjustmentOf(lines, amount), amount, currency, order_reference }
}

/** The bill of a purchase before the service has answered, with the prices in the page. */
export function expectedBill(purchase: Purchase, pricing: Pricing): Bill {
  const ordered = purchase.items ?? []
  const currency = purchase.currency ?? currencyOf(ordered, pricing, null) ?? pricing.currency ?? null
  const items = ordered.map(({ sku, quantity }): Item => {
    const unit_amount = goodOf(sku, pricing.price_list, currency)?.unit_amount ?? null
    return { kind: 'product', sku, name: null, quantity, unit_amount }
  })
  const amount = purchase.amount ?? sumOf(items) ?? pricing.amount
  return billOf({ items, amount, currency, order_reference: purchase.order_reference }, pricing)
}

function goodOf(sku: string | null, list: Pricing['price_list'], currency: string | null) {
  return list?.find((each) => each.sku === sku && each.currency === currency)
}

function adjustmentOf(lines: BillLine[], amount: number | null): number {
  const totals = lines.map((line) => line.total)
  if (lines.length === 0 || amount === null || totals.includes(null)) return 0
  return amount - totals.reduce<number>((sum, total) => sum + total!, 0)
}

/** Null without lines, or while one has no price. */
function sumOf(items: Item[]): number | null {
  if (items.length === 0 || items.some((item) => item.unit_amount === null)) return null
  return items.reduce((sum, item) => sum + item.quantity * item.unit_amount!, 0)
}

function lineOf({ kind, sku, name, quantity, unit_amount }: Item, good: { name: string } | undefined): BillLine {
  const sign = kind === 'discount' ? -1 : 1
  return {
    kind,
    name: name ?? good?.name ?? sku,
    quantity,
    unit_amount,
    total: unit_amount === null ? null : sign * quantity * unit_amount,
  }
}
