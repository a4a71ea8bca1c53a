// Checks the amount that a page sent against the merchant's settings. A price list prices the basket, and a default amount is
// compared. Without either there is nothing to check against.

import { Refusal } from '../../kernel/errors.ts'
import { amount_max } from '../../kernel/values.ts'
import type { Integration, PriceListItem } from '../../merchants/integration.ts'
import { basketFault, type Item, totalFault } from '../purchase.ts'
import type { AmountVerificationSource } from '../session.ts'

export type PriceRules = Pick<
  Integration,
  'default_amount' | 'default_currency' | 'price_list' | 'require_verified_amount'
>

/** What a page sends about its purchase; null for what it leaves to the settings. */
export type PriceRequest = { amount: number | null; currency: string | null; items: Item[] | null }

type PriceCheck = {
  amount: number
  currency: string
  /** With the list's texts and taxes if their price is the list's. */
  items: Item[] | null
  source: Exclude<AmountVerificationSource, 'server_minted'>
  /** Why the amount did not verify, if the source is a mismatch. */
  detail: string | null
}

/** Why an amount did not verify: `detail` contains the amounts and is for the merchant; `words` is for the sender. */
type AmountMismatch = { field: string; words: string; detail: string | null }

type AmountCheck = Pick<PriceCheck, 'amount' | 'source'> & { doubt: AmountMismatch | null }

export const verified_sources: readonly AmountVerificationSource[] = [
  'server_minted',
  'integration_default',
  'price_list',
]

/**
 * Verifies an amount as far as the settings allow. Throws `invalid_request` if the amount is neither sent nor known, and
 * `currency_required` likewise for the currency. Throws `amount_unverified` if the settings require a verified amount and this
 * one is not.
 */
export function checkPrice(request: PriceRequest, rules: PriceRules): PriceCheck {
  const lines = request.items && request.items.length > 0 ? request.items : null
  const currency = request.currency ?? rules.default_currency ?? listCurrency(lines, rules.price_list)
  if (currency === null) throw unknownCurrency(request.amount, lines, rules)
  const items = lines && priceBasket(lines, { list: rules.price_list, currency, sent_by: 'page' })
  const { amount, source, doubt } = check({ amount: request.amount, currency, lines: items }, rules)
  if (rules.require_verified_amount && doubt) {
    const { field, words } = doubt
    const message = `${field} ${words}: the amount could not be verified.`
    throw new Refusal('amount_unverified', message, { field })
  }
  return { amount, source, detail: doubt?.detail ?? null, currency, items }
}

type BasketPrice = { amount: number | null; currency: string; lines: Item[] | null }

function check({ amount, currency, lines }: BasketPrice, rules: PriceRules): AmountCheck {
  const { price_list, default_amount, default_currency } = rules
  if (lines && price_list) return checkLines({ amount, currency, lines }, price_list)
  if (default_amount !== null) {
    const same = currency === default_currency
    // In another currency the default amount says nothing.
    const charged = amount ?? (same ? default_amount : amountRequired())
    if (same && charged === default_amount) return verified(charged, 'integration_default')
    return mismatch(charged, {
      ...(same
        ? { field: 'amount', words: "is not the integration's" }
        : { field: 'currency', words: "is not that of the integration's amount" }),
      detail: `the amount is ${charged} ${currency} and the integration's is ${default_amount} ${default_currency}`,
    })
  }
  const charged = amount ?? amountRequired()
  if (!price_list) return { amount: charged, source: 'none', doubt: unchecked }
  return mismatch(charged, {
    field: 'items',
    words: 'are needed to check the amount against the price list',
    detail: 'the amount came without items to check against the price list',
  })
}

const unchecked: AmountMismatch = {
  field: 'amount',
  words: 'has nothing that it could be checked against',
  detail: null,
}

/** Every line must be on the list at its price. The amount is then the sum of the lines. */
function checkLines({ amount, currency, lines }: BasketPrice & { lines: Item[] }, list: PriceListItem[]): AmountCheck {
  const prices = pricesIn(list, currency)
  for (const [index, line] of lines.entries()) {
    const doubt = doubtOf(line, { name: `items[${index}]`, prices, currency })
    if (doubt) return mismatch(amount ?? amountRequired(), doubt)
  }
  const sum = lines.reduce((total, line) => total + line.quantity * line.unit_amount!, 0)
  if (amount === null) return verified(chargeable(sum), 'price_list')
  if (amount === sum) return verified(amount, 'price_list')
  return mismatch(amount, {
    field: 'amount',
    words: 'is not what the items come to',
    detail: `the amount is ${amount} and the items come to ${inWords(sum)}`,
  })
}

type PriceList = { name: string; prices: Map<string, PriceListItem>; currency: string }

/** Why a line is not verified. The reason repeats no text from the page, because that may be anything. */
function doubtOf({ kind, sku, unit_amount }: Item, { name, prices, currency }: PriceList): AmountMismatch | null {
  const mismatch = (field: string, words: string, detail = words): AmountMismatch => ({
    field,
    words,
    detail: `${field} ${detail}`,
  })
  if (kind === 'discount') return mismatch(name, 'is a discount, which the price list does not know')
  if (sku === null) return mismatch(name, 'has no sku to find it on the price list by')
  const item = prices.get(sku)
  if (!item) {
    const words = 'is not on the price list in'
    return mismatch(`${name}.sku`, `${words} this currency`, `${words} ${currency}`)
  }
  if (unit_amount === item.unit_amount) return null
  return mismatch(
    `${name}.unit_amount`,
    'is not the one on the price list',
    `is ${unit_amount}, on the price list it is ${item.unit_amount}`,
  )
}

function verified(amount: number, source: PriceCheck['source']): AmountCheck {
  return { amount, source, doubt: null }
}

function mismatch(amount: number, doubt: AmountMismatch): AmountCheck {
  return { amount, source: 'mismatch', doubt }
}

function amountRequired(): never {
  throw new Refusal('invalid_request', 'amount is required.', { field: 'amount' })
}

function chargeable(sum: number): number {
  if (sum >= 1 && sum <= amount_max) return sum
  const words = `items must come to an amount from 1 to ${amount_max}.`
  throw new Refusal('invalid_request', words, { field: 'items' })
}

/** A sum with too many digits for an amount could look like a card number. */
function inWords(sum: number): string {
  return sum > amount_max ? `more than ${amount_max}` : String(sum)
}

/** The single currency of the entries that the lines name, or of the whole list if the lines name none. */
function listCurrency(lines: Item[] | null, list: PriceListItem[] | null): string | null {
  const matches = list?.filter(({ sku }) => lines?.some((line) => line.sku === sku)) ?? []
  const entries = matches.length > 0 ? matches : (list ?? [])
  const currencies = new Set(entries.map(({ currency }) => currency))
  return currencies.size === 1 ? [...currencies][0]! : null
}

/** An amount that is missing everywhere is reported first: adding only the currency would lead to another refusal. */
function unknownCurrency(amount: number | null, lines: Item[] | null, rules: PriceRules): Refusal {
  if (amount === null && !(lines && rules.price_list)) amountRequired()
  const words = 'currency is required: the settings of the integration give none.'
  return new Refusal('currency_required', words, { field: 'currency' })
}

type Pricing = { list: PriceListItem[] | null; currency: string; sent_by: 'server' | 'page' }

/**
 * The lines completed from the list. Throws `invalid_request` if a price from the list makes them break a rule. The earlier
 * checks of the body could not report that.
 */
export function priceBasket(lines: Item[], by: Pricing): Item[] {
  const priced = priceItems(lines, by)
  for (const [index, line] of priced.entries()) {
    const fault = totalFault(line)
    if (fault) throw brokenRule(`items[${index}].unit_amount`, fault)
  }
  const fault = basketFault(priced)
  if (fault) throw brokenRule('items', fault)
  return priced
}

function brokenRule(field: string, message: string): Refusal {
  return new Refusal('invalid_request', `${field} ${message}.`, { field })
}

/**
 * Completes lines from the list. A line without a price takes the list's texts and taxes, too. So does a line from a page that
 * names the list's price, since it counts as verified. A name that was not sent stays null. A sku that the list lacks, or has
 * in another currency, stays without a price.
 */
export function priceItems(lines: Item[], { list, currency, sent_by }: Pricing): Item[] {
  if (!list) return lines
  const prices = pricesIn(list, currency)
  return lines.map((line) => {
    const { kind, sku, name, unit_amount } = line
    const item = sku === null ? undefined : prices.get(sku)
    const passes = sent_by === 'page' && kind !== 'discount' && unit_amount === item?.unit_amount
    if (!item || (unit_amount !== null && !passes)) return line
    const { unit_amount: price, tax_rate = null } = item
    return {
      ...line,
      name: name === null ? null : item.name,
      unit_amount: price,
      tax_rate,
      tax_amount: null,
    }
  })
}

function pricesIn(list: PriceListItem[], currency: string): Map<string, PriceListItem> {
  return new Map(list.filter((item) => item.currency === currency).map((item) => [item.sku, item]))
}
