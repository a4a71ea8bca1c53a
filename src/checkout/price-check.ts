// What a price list says of a basket: lines named by sku alone get its price and name.

import type { PriceListItem } from '../merchants/integration.ts'
import type { Item } from './purchase.ts'

/** Prices the lines that carry no price of their own. A sku that the list lacks, or has in another currency, stays open. */
export function priceItems(lines: Item[], list: PriceListItem[] | null, currency: string): Item[] {
  if (!list) return lines
  const priced = new Map(
    list.filter((item) => item.currency === currency).map((item) => [item.sku, item]),
  )
  return lines.map((line) => {
    const item = line.unit_amount === null && line.sku !== null ? priced.get(line.sku) : undefined
    if (!item) return line
    const { unit_amount, tax_rate } = item
    return {
      ...line,
      name: line.name ?? item.name,
      unit_amount,
      tax_rate: line.tax_rate ?? tax_rate ?? null,
    }
  })
}
