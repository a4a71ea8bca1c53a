// The lines of a Checkout Session as they are sold: each with its price, all in one currency, and what they cost together.

import { Refusal } from '../../kernel/errors.ts'
import { amount_max, type CheckoutSessionId } from '../../kernel/values.ts'
import type { PriceListItem } from '../../merchants/integration.ts'
import type { SoldLine } from '../../payments/checkout-session.ts'
import type { LineItem } from './checkout-body.ts'

type Sale = { lines: SoldLine[]; amount: number; currency: string }

type PriceList = { price_list: PriceListItem[] | null; default_currency: string | null }

/** Throws a refusal that names the first line without a price, of another currency, or above what can be charged. */
export function sellLines(id: CheckoutSessionId, items: LineItem[], pricing: PriceList): Sale {
  const currency = currencyOf(items, pricing)
  let amount = 0
  const lines = items.map((item, index) => {
    const line = { line_id: lineId(id, index), ...priceOf(item, index, { currency, pricing }), quantity: item.quantity }
    amount += line.unit_amount * line.quantity
    if (amount > amount_max) refuse(`line_items[${index}]`, `brings the total above ${amount_max}`)
    return line
  })
  if (amount === 0) refuse('line_items', 'must cost something together')
  return { lines, amount, currency }
}

/** A name that no other session's lines have. */
function lineId(id: CheckoutSessionId, index: number): string {
  return `li_${id.slice(-22)}${index.toString(16).padStart(2, '0')}`
}

/** That of the lines with a price of their own; else the one in which all others are on the list, the integration's own first. */
function currencyOf(items: LineItem[], { price_list, default_currency }: PriceList): string {
  const [own, other] = new Set(items.flatMap(({ price_data }) => price_data?.currency ?? []))
  if (other) {
    const index = items.findIndex(({ price_data }) => price_data?.currency === other)
    refuse(`line_items[${index}][price_data][currency]`, `must be ${own!.toLowerCase()}, as in the lines before`)
  }
  if (own) return own
  const list = price_list ?? []
  const codes = [...(default_currency ? [default_currency] : []), ...list.map(({ currency }) => currency)]
  const isPriced = (code: string) =>
    items.every(({ price }) => list.some(({ sku, currency }) => sku === price && currency === code))
  // Where none has all, the line that lacks a price in the first is refused.
  return codes.find(isPriced) ?? codes[0] ?? ''
}

function priceOf(
  { price, price_data }: LineItem,
  index: number,
  { currency, pricing }: { currency: string; pricing: PriceList },
): Omit<SoldLine, 'line_id' | 'quantity'> {
  if (price_data) {
    const { unit_amount, tax_behavior, product_data } = price_data
    const { name, description, images, metadata } = product_data
    return {
      sku: null,
      name,
      description: description ?? null,
      images: images ?? [],
      product_metadata: metadata ?? {},
      tax_behavior: tax_behavior ?? 'unspecified',
      unit_amount,
    }
  }
  const good = pricing.price_list?.find((each) => each.sku === price && each.currency === currency)
  if (!good) throw noPrice(`line_items[${index}][price]`, currency)
  return {
    sku: good.sku,
    name: good.name,
    description: null,
    images: good.image_url ? [good.image_url] : [],
    product_metadata: {},
    tax_behavior: 'inclusive',
    unit_amount: good.unit_amount,
  }
}

function noPrice(field: string, currency: string): Refusal {
  const where = currency === '' ? 'the price list of your default integration is empty' : `in ${currency.toLowerCase()}`
  const words = `${field} names no price that you have${currency === '' ? ':' : ''} ${where}. Send a sku of the price list, or price_data.`
  return new Refusal('invalid_request', words, { field, platform_code: 'resource_missing' })
}

function refuse(field: string, what: string): never {
  throw new Refusal('invalid_request', `${field} ${what}.`, { field })
}
