// Reads a payment link: `?amount=4200&currency=GBP`, `?sku=tea:2&sku=cup`, or `#` and a client secret.

import { isEmail } from '../shared/email.ts'
import type { Good, Pricing } from './context.ts'

export type Link =
  /** A session that the merchant's server made. */
  | { kind: 'session'; client_secret: string; session_id: string }
  /** The same after the bank's full page. The secret is then not in the address, but kept by the tab. */
  | { kind: 'kept_session'; session_id: string }
  | { kind: 'purchase'; purchase: Purchase }
  | { kind: 'choice'; goods: Good[] }
  | { kind: 'fault'; fault: LinkFault }

/** The purchase for which the page creates a session. */
export type Purchase = {
  amount: number | null
  currency: string | null
  items: OrderedItem[] | null
  email: string | null
  order_reference: string | null
}

export type OrderedItem = { sku: string; quantity: number }

/** The faults. They are also the keys of their words, which name the parameter. */
export type LinkFault =
  | 'link_nothing'
  | 'link_amount'
  | 'link_currency'
  | 'link_currency_missing'
  | 'link_sku'
  | 'link_sku_currency'
  | 'link_sku_quantity'
  | 'link_order_reference'
  | 'link_secret'

export const quantity_max = 99
const amount_max = 99_999_999_999
const skus_max = 100

type Address = { search: string; hash: string }

/** Reads the address of the page. The shop's `pricing` shows whether there is anything to choose. */
export function readLink({ search, hash }: Address, pricing: Pricing): Link {
  const query = new URLSearchParams(search)
  // Sign-in pages and mail programs append fragments of their own, such as `#_=_`.
  if (hash.startsWith('#cs_') || (hash.length > 1 && search === '')) return readSecret(hash.slice(1))
  const wrong = rules.find(({ name, passes }) => {
    const values = valuesOf(query, name)
    return values.length > 1 || (values.length === 1 && !passes(values[0]!))
  })
  if (wrong) return { kind: 'fault', fault: wrong.fault }
  const amount = valuesOf(query, 'amount').map(Number)[0] ?? null
  const currency = valuesOf(query, 'currency')[0]?.toUpperCase() ?? null
  const items = readSkus(query.getAll('sku'), pricing, { amount, currency })
  if (typeof items === 'string') return { kind: 'fault', fault: items }
  const list = pricing.price_list ?? []
  if (items === null && amount === null) {
    if (list.length > 0) return choice(list, currency ?? pricing.currency)
    if (pricing.amount === null) return { kind: 'fault', fault: 'link_nothing' }
  }
  if (amount !== null && !currency && !pricing.currency && list.length === 0) {
    return { kind: 'fault', fault: 'link_currency_missing' }
  }
  const email = readEmail(query)
  const order_reference = valuesOf(query, 'order_reference')[0] ?? null
  const purchase = { amount, currency, items, email, order_reference }
  const currencies = new Set(list.map((good) => good.currency))
  if (items && amount === null && currencies.size > 1) {
    // Goods may have prices in several currencies. The service charges the one that the page shows.
    purchase.currency = currencyOf(items, pricing, currency)
  }
  return { kind: 'purchase', purchase }
}

/** The purchase as a query in its one spelling, `?sku=tea:2&currency=GBP`. Reading it gives the same purchase. */
export function queryOf({ amount, currency, items, email, order_reference }: Purchase): string {
  const query = new URLSearchParams()
  for (const { sku, quantity } of items ?? []) query.append('sku', `${sku}:${quantity}`)
  if (amount !== null) query.set('amount', String(amount))
  if (currency !== null) query.set('currency', currency)
  if (email !== null) query.set('email', email)
  if (order_reference !== null) query.set('order_reference', order_reference)
  return `?${query}`
}

type Rule = { name: string; passes: (value: string) => boolean; fault: LinkFault }

const rules: Rule[] = [
  { name: 'amount', passes: isAmount, fault: 'link_amount' },
  { name: 'currency', passes: (value) => /^[a-z]{3}$/i.test(value), fault: 'link_currency' },
  {
    name: 'order_reference',
    passes: (value) => /^\P{Cc}{1,64}$/u.test(value),
    fault: 'link_order_reference',
  },
]

/** An empty email or reference counts as none. An empty amount is a fault, because another amount would be charged. */
function valuesOf(query: URLSearchParams, name: string): string[] {
  const values = query.getAll(name)
  return name === 'amount' || name === 'currency' ? values : values.filter((value) => value !== '')
}

/** Null if there is no such address: the page then asks for it. A `+` that the link did not encode has come as a space. */
function readEmail(query: URLSearchParams): string | null {
  const addresses = query.getAll('email').map((value) => value.trim().replaceAll(' ', '+'))
  const [email, ...others] = new Set(addresses.filter(isEmail))
  return email && others.length === 0 ? email : null
}

function isAmount(value: string): boolean {
  return /^[0-9]{1,11}$/.test(value) && Number(value) >= 1 && Number(value) <= amount_max
}

function readSecret(fragment: string): Link {
  const [, session_id, secret] = /^(cs_[0-9a-f]{24})(_secret_[0-9a-f]{64})?$/.exec(fragment) ?? []
  if (!session_id) return { kind: 'fault', fault: 'link_secret' }
  if (!secret) return { kind: 'kept_session', session_id }
  return { kind: 'session', client_secret: fragment, session_id }
}

type RequestedAmount = { amount: number | null; currency: string | null }

/** The lines of the `sku` parameters, each sku once; null if there are none. */
function readSkus(values: string[], pricing: Pricing, asked: RequestedAmount): OrderedItem[] | LinkFault | null {
  if (values.length === 0) return null
  const list = pricing.price_list ?? []
  const known = new Set(list.map((good) => good.sku))
  const quantities = new Map<string, number>()
  for (const value of values) {
    const { sku, quantity } = splitSku(value, known)
    // Without a price list a line only describes what the amount is for.
    if (!known.has(sku) && (list.length > 0 || asked.amount === null)) return 'link_sku'
    if (!/^[0-9]{1,2}$/.test(quantity) || Number(quantity) === 0) return 'link_sku_quantity'
    quantities.set(sku, (quantities.get(sku) ?? 0) + Number(quantity))
  }
  const items = [...quantities].map(([sku, quantity]) => ({ sku, quantity }))
  if (items.some(({ quantity }) => quantity > quantity_max)) return 'link_sku_quantity'
  if (items.length > skus_max) return 'link_sku'
  if (asked.amount === null && currencyOf(items, pricing, asked.currency) === null) {
    return 'link_sku_currency'
  }
  return items
}

/** A sku may itself contain a colon. */
function splitSku(value: string, known: Set<string>): { sku: string; quantity: string } {
  const colon = value.lastIndexOf(':')
  if (colon < 1 || known.has(value)) return { sku: value, quantity: '1' }
  return { sku: value.slice(0, colon), quantity: value.slice(colon + 1) }
}

/** The currency in which the price list has all of these goods; the one in the link if it names one. */
export function currencyOf(
  items: OrderedItem[],
  { currency, price_list }: Pricing,
  asked: string | null,
): string | null {
  const list = price_list ?? []
  const candidates = asked ? [asked] : [currency, ...list.map((good) => good.currency)]
  const priced = (sku: string, code: string) => list.some((good) => good.sku === sku && good.currency === code)
  return candidates.find((code) => code && items.every(({ sku }) => priced(sku, code))) ?? null
}

/** Only goods with a price in the same currency can be chosen together. */
function choice(list: Good[], currency: string | null): Link {
  const offered = list.some((good) => good.currency === currency) ? currency : list[0]!.currency
  return { kind: 'choice', goods: list.filter((good) => good.currency === offered) }
}
