// Each reason that the service gives for an amount that did not verify has words here.

import { expect, test } from 'vitest'
import { newHold } from '../../../src/payments/hold.ts'
import { checkPrice, type PriceRequest, type PriceRules } from '../../../src/payments/sessions/price-check.ts'
import { type HoldDetail, holdDetailIn } from './hold-detail.ts'

const rules: PriceRules = {
  default_amount: null,
  default_currency: 'GBP',
  price_list: null,
  require_verified_amount: false,
}
const listed = {
  ...rules,
  price_list: [{ sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', tax_rate: null, image_url: null }],
}
const line = {
  kind: 'product' as const,
  sku: 'tea',
  name: 'Tea',
  quantity: 1,
  unit_amount: 850,
  tax_amount: null,
  tax_rate: null,
  type: null,
}
const discount = { ...line, kind: 'discount' as const, sku: null, name: 'Less', unit_amount: 10 }

test.each<[Partial<PriceRequest>, PriceRules, string, Partial<HoldDetail>]>([
  [{ amount: 1700 }, listed, 'hold_detail_no_items', {}],
  [
    { amount: 1700 },
    { ...rules, default_amount: 1000 },
    ...(['hold_detail_other_amount', { amount: 1700, expected: 1000, other: 'GBP' }] as const),
  ],
  [
    { amount: 1700, currency: 'JPY' },
    { ...rules, default_amount: 1000 },
    'hold_detail_other_amount',
    { amount: 1700, currency: 'JPY', expected: 1000, other: 'GBP' },
  ],
  [{ amount: 900, items: [line] }, listed, 'hold_detail_other_sum', { amount: 900, expected: 850 }],
  [{ amount: 840, items: [line, discount] }, listed, 'hold_detail_discount', { number: 2 }],
  [{ amount: 850, items: [{ ...line, sku: null }] }, ...([listed, 'hold_detail_no_sku', { number: 1 }] as const)],
  [
    { amount: 850, items: [line, { ...line, sku: 'pot' }] },
    ...([listed, 'hold_detail_unlisted', { number: 2 }] as const),
  ],
  [
    { amount: 800, items: [{ ...line, unit_amount: 800 }] },
    ...([listed, 'hold_detail_other_price', { number: 1, amount: 800, expected: 850 }] as const),
  ],
])('%j', (asked, settings, key, values) => {
  const request = { amount: null, currency: 'GBP', items: null, ...asked }
  const { detail } = checkPrice(request, settings)
  const mismatch = holdDetailIn(detail ?? '', request.currency)
  expect(mismatch).toEqual({ key, currency: request.currency, ...values })
})

test('an amount that was only reserved', () => {
  const session = {
    amount_verified: true,
    amount_verification_detail: null,
    amount_verification_source: 'server_minted' as const,
  }
  const now = new Date('2026-11-23T10:00:00Z')
  const { detail } = newHold(
    session,
    {
      merchant_id: 'm_1',
      payment_id: 'pay_0123456789abcdef01234567',
      amount: 1,
      capture_method: null,
      created_at: now,
    },
    {
      review_window_seconds: 60,
      escalate_after_seconds: null,
      capture_below: null,
      at_deadline: 'void',
      capture: 'automatic',
    },
    now,
  )
  expect(holdDetailIn(detail!, 'GBP')?.key).toBe('hold_detail_reserved')
})

test('a sentence of no form that is known is not guessed', () => {
  expect(holdDetailIn('something of tomorrow', 'GBP')).toBeNull()
})
