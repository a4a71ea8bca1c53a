import { expect, test } from 'vitest'
import { looksLikeCardNumber } from '../../cards/card-data.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Item } from '../purchase.ts'
import { checkPrice, type PriceRequest, type PriceRules } from './price-check.ts'

const line = (changes: Partial<Item> = {}): Item => ({
  kind: 'product',
  sku: 'tea',
  name: null,
  quantity: 1,
  unit_amount: null,
  tax_amount: null,
  tax_rate: null,
  type: null,
  ...changes,
})
const entry = (sku: string, unit_amount: number, currency = 'GBP') => ({
  sku,
  name: `A ${sku}`,
  unit_amount,
  currency,
  tax_rate: 2000,
})

const none: PriceRules = {
  default_amount: null,
  default_currency: null,
  price_list: null,
  require_verified_amount: false,
}
const listed: PriceRules = { ...none, price_list: [entry('tea', 850), entry('post', 300)] }
const fixed: PriceRules = { ...none, default_amount: 1000, default_currency: 'GBP' }
const nothing: PriceRequest = { amount: null, currency: null, items: null }

/** `amount currency source: detail`, or the refusal's code, field and message. */
function told(asked: Partial<PriceRequest>, rules: PriceRules): string {
  try {
    const { amount, currency, source, detail } = checkPrice({ ...nothing, ...asked }, rules)
    expect(looksLikeCardNumber(detail ?? '')).toBe(false)
    return `${amount} ${currency} ${source}${detail === null ? '' : `: ${detail}`}`
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `${error.code} ${error.field}: ${error.message}`
  }
}

const two = [line({ quantity: 2 }), line({ kind: 'shipping', sku: 'post' })]
const gbp = { currency: 'GBP' }
const most = 99_999_999_999

test.each<[string, Partial<PriceRequest>, PriceRules, string]>([
  ['the sum', { amount: 2000, ...gbp, items: two }, listed, '2000 GBP price_list'],
  ['the sum, not sent', { items: two }, listed, '2000 GBP price_list'],
  [
    'a fee, and a price of its own that is right',
    { items: [line({ kind: 'fee', name: 'x', unit_amount: 850 })] },
    listed,
    '850 GBP price_list',
  ],
  [
    'another sum',
    { amount: 1999, items: two },
    listed,
    '1999 GBP mismatch: the amount is 1999 and the items come to 2000',
  ],
  [
    'a price of its own that is wrong',
    { amount: 1, items: [line(), line({ name: 'x', unit_amount: 1 })] },
    listed,
    '1 GBP mismatch: items[1].unit_amount is 1, on the price list it is 850',
  ],
  [
    'a discount',
    { amount: 100, items: [line(), line({ kind: 'discount', name: 'x', unit_amount: 750 })] },
    listed,
    '100 GBP mismatch: items[1] is a discount, which the price list does not know',
  ],
  [
    'no sku',
    { amount: 850, items: [line(), line({ sku: null, name: 'x', unit_amount: 0 })] },
    listed,
    '850 GBP mismatch: items[1] has no sku to find it on the price list by',
  ],
  [
    'an unlisted sku that looks like a card',
    { amount: 850, items: [line({ sku: '4242424242424242' })] },
    listed,
    '850 GBP mismatch: items[0].sku is not on the price list in GBP',
  ],
  [
    'another currency',
    { amount: 850, currency: 'EUR', items: [line()] },
    listed,
    '850 EUR mismatch: items[0].sku is not on the price list in EUR',
  ],
  [
    'an empty list',
    { amount: 850, ...gbp, items: [line()] },
    { ...none, price_list: [] },
    '850 GBP mismatch: items[0].sku is not on the price list in GBP',
  ],
  [
    'a sum of too many digits',
    { amount: most, items: Array(50).fill(line({ sku: 'gold' })) },
    { ...none, price_list: [entry('gold', most)] },
    `${most} GBP mismatch: the amount is ${most} and the items come to more than ${most}`,
  ],
  [
    'a list and no items',
    { amount: 850 },
    listed,
    '850 GBP mismatch: the amount came without items to check against the price list',
  ],
  [
    'a list and no lines',
    { amount: 850, items: [] },
    listed,
    '850 GBP mismatch: the amount came without items to check against the price list',
  ],
  ['all from the default', {}, fixed, '1000 GBP integration_default'],
  ['the amount', { amount: 1000 }, fixed, '1000 GBP integration_default'],
  ['the currency', gbp, fixed, '1000 GBP integration_default'],
  ['items and no list', { items: [line()] }, fixed, '1000 GBP integration_default'],
  ['no items, a list and a default', {}, { ...fixed, price_list: listed.price_list }, '1000 GBP integration_default'],
  ['items, a list and a default', { items: two }, { ...fixed, price_list: listed.price_list }, '2000 GBP price_list'],
  [
    'another amount',
    { amount: 999, items: [line()] },
    fixed,
    "999 GBP mismatch: the amount is 999 GBP and the integration's is 1000 GBP",
  ],
  [
    'the amount in another currency',
    { amount: 1000, currency: 'JPY' },
    fixed,
    "1000 JPY mismatch: the amount is 1000 JPY and the integration's is 1000 GBP",
  ],
  ['nothing to check against', { amount: 5, ...gbp }, none, '5 GBP none'],
  ['a default currency alone', { amount: 5 }, { ...none, default_currency: 'EUR' }, '5 EUR none'],
  ['items and nothing to check against', { amount: 5, ...gbp, items: [line()] }, none, '5 GBP none'],
])('%s', (_, asked, rules, expected) => {
  expect(told(asked, rules)).toBe(expected)
})

const twice = [entry('tea', 850), entry('tea', 990, 'EUR'), entry('cup', 700, 'EUR')]
const required = 'currency_required currency: currency is required: the settings of the integration give none.'

test.each<[string, Partial<PriceRequest>, PriceRules, string]>([
  ['no currency anywhere', { amount: 5 }, none, required],
  ['of the entries named', { items: [line({ sku: 'cup' })] }, { ...none, price_list: twice }, '700 EUR price_list'],
  ['of a sku in two currencies', { items: [line()] }, { ...none, price_list: twice }, required],
  ['of a list in two currencies', { amount: 5 }, { ...none, price_list: twice }, required],
  ['of an empty list', { amount: 5 }, { ...none, price_list: [] }, required],
  [
    'of a list that lacks the sku',
    { amount: 5, items: [line({ sku: 'x' })] },
    listed,
    '5 GBP mismatch: items[0].sku is not on the price list in GBP',
  ],
  [
    'of the default before that of the list',
    { items: [line()] },
    { ...none, price_list: twice, default_currency: 'EUR' },
    '990 EUR price_list',
  ],
  ['neither amount nor currency', {}, none, 'invalid_request amount: amount is required.'],
  ['no amount', gbp, none, 'invalid_request amount: amount is required.'],
  ['no amount, a list and no items', {}, listed, 'invalid_request amount: amount is required.'],
  ['a default in another currency', { currency: 'EUR' }, fixed, 'invalid_request amount: amount is required.'],
  [
    'no amount, and items that cannot be verified',
    { items: [line({ sku: 'x' })] },
    listed,
    'invalid_request amount: amount is required.',
  ],
  [
    'items that come to nothing',
    { items: [line({ sku: 'free' })] },
    { ...none, price_list: [entry('free', 0)] },
    `invalid_request items: items must come to an amount from 1 to ${most}.`,
  ],
  [
    'items that come to too much',
    { items: [line({ sku: 'gold' }), line({ sku: 'gold' })] },
    { ...none, price_list: [entry('gold', most)] },
    `invalid_request items: items must come to an amount from 1 to ${most}.`,
  ],
  [
    'a line that comes to too much',
    { amount: 5, items: [line(), line({ sku: 'gold', quantity: 2 })] },
    { ...none, price_list: [entry('gold', most)] },
    `invalid_request items[1].unit_amount: items[1].unit_amount times quantity must not exceed ${most}.`,
  ],
  [
    'a discount above the price on the list',
    { amount: 850, items: [line(), line({ kind: 'discount', name: 'x', unit_amount: 851 })] },
    listed,
    'invalid_request items: items have discounts that exceed everything else.',
  ],
])('%s', (_, asked, rules, expected) => {
  expect(told(asked, rules)).toBe(expected)
})

const at = (unit_amount: number) => [line(), line({ name: 'x', unit_amount })]

// Amounts and currencies that appear nowhere else, so that a repeated one is noticed.
test.each<[Partial<PriceRequest>, PriceRules, string, string]>([
  [{ amount: 77_712 }, { ...none, default_currency: 'XPF' }, 'amount', 'has nothing that it could be checked against'],
  [{ amount: 77_712 }, listed, 'items', 'are needed to check the amount against the price list'],
  [{ amount: 77_712 }, fixed, 'amount', "is not the integration's"],
  [{ currency: 'XPF', amount: 1000 }, fixed, 'currency', "is not that of the integration's amount"],
  [{ amount: 77_712, items: two }, listed, 'amount', 'is not what the items come to'],
  [{ amount: 77_712, items: at(77_713) }, listed, 'items[1].unit_amount', 'is not the one on the price list'],
  [{ amount: 5, currency: 'XPF', items: two }, listed, 'items[0].sku', 'is not on the price list in this currency'],
  [
    { amount: 5, items: [line({ sku: null, name: 'x' })] },
    listed,
    'items[0]',
    'has no sku to find it on the price list by',
  ],
  [
    { amount: 5, items: [line(), line({ kind: 'discount' })] },
    listed,
    'items[1]',
    'is a discount, which the price list does not know',
  ],
])('an amount that has to be verified, refused without a value: %j', (asked, rules, field, why) => {
  const message = told(asked, { ...rules, require_verified_amount: true })
  expect(message).toBe(`amount_unverified ${field}: ${field} ${why}: the amount could not be verified.`)
  expect(message).not.toMatch(/7771|XPF|1000/)
})

test('an amount that has to be verified, and is', () => {
  const must = { require_verified_amount: true }
  expect(told({ items: two }, { ...listed, ...must })).toBe('2000 GBP price_list')
  expect(told({}, { ...fixed, ...must })).toBe('1000 GBP integration_default')
})

const own = { name: 'Grand piano', tax_rate: 100_000, tax_amount: 850 }
const fromList = { name: 'A tea', unit_amount: 850, tax_rate: 2000, tax_amount: null }

test.each<[string, Partial<Item>, Partial<Item>]>([
  ['left to the list, without a name', { quantity: 2 }, { ...fromList, name: null }],
  ['left to the list, with words and taxes of its own', own, fromList],
  ['at the price of the list, with words and taxes of its own', { ...own, unit_amount: 850 }, fromList],
  ['at another price', { ...own, unit_amount: 851 }, { ...own, unit_amount: 851 }],
  ['a discount of the same amount', { ...own, kind: 'discount', unit_amount: 850 }, own],
  ['that the list lacks', { ...own, sku: 'piano', unit_amount: 850 }, own],
])('a line %s', (_, sent, expected) => {
  const post = line({ sku: 'post', quantity: 3 })
  const asked = { ...nothing, amount: 1, items: [post, line(sent)] }
  expect(checkPrice(asked, listed).items![1]).toEqual(line({ ...sent, ...expected }))
})

test('a line of a list without tax has none, and no lines are none', () => {
  const untaxed: PriceRules = { ...none, price_list: [{ ...entry('tea', 850), tax_rate: null }] }
  expect(checkPrice({ ...nothing, items: [line(own)] }, untaxed)).toMatchObject({
    amount: 850,
    source: 'price_list',
    items: [{ name: 'A tea', tax_rate: null, tax_amount: null }],
  })
  expect(checkPrice({ ...nothing, amount: 1, items: [] }, listed).items).toBeNull()
})
