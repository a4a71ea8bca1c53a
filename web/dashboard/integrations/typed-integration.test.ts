// What the form of an integration sends: the members that were touched, in the units of the API.

import { expect, test } from 'vitest'
import type { Integration } from '../client/answers.ts'
import * as form from './typed-integration.ts'
import { Mistyped, type TypedLine } from './typed-integration.ts'

const before: Integration = {
  integration_id: 'int_1',
  name: 'shop',
  is_default: true,
  is_hosted_page: false,
  handle: null,
  hosted_page_url: null,
  mode_setting: 'auto',
  allowed_origins: ['https://shop.example'],
  confirmation_url: null,
  default_amount: null,
  default_currency: 'GBP',
  price_list: null,
  require_verified_amount: false,
  order_reference_metadata_key: null,
  on_3ds_unavailable: 'proceed',
  review_window_seconds: 432_000,
  at_deadline: 'void',
  escalate_after_seconds: null,
  capture_below: 2000,
  capture: 'automatic',
  test_connections: [],
  appearance: { theme: 'dark' },
  terms_url: null,
  support_url: null,
  back_url: null,
  created_at: '',
  deleted_at: null,
}

const differenceOf = (known: Integration | null, typed: Record<string, string>, lines: TypedLine[], locale = 'en-GB') =>
  form.differenceOf(known, typed, lines, locale)

/** The form as it is opened. */
const untouched = {
  name: 'shop',
  mode_setting: 'auto',
  allowed_origins: 'https://shop.example\n',
  default_currency: 'GBP',
  on_3ds_unavailable: 'proceed',
  review_days: '5',
  at_deadline: 'void',
  capture_below: '20.00',
  capture: 'automatic',
  theme: 'dark',
  handle: '',
}
const tea = { sku: 'tea', name: 'Tea', price: '8.5', currency: 'gbp', tax: '20', image_url: '' }
const tea_line = { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'GBP', tax_rate: 2000, image_url: null }

test('what nobody touched is not sent', () => {
  expect(differenceOf(before, untouched, [])).toEqual({})
})

test.each<[object, object]>([
  [{ capture_below: '12,5' }, { capture_below: 1250 }],
  [{ default_currency: 'jpy', capture_below: '2000' }, { default_currency: 'JPY' }],
  [{ capture: 'manual' }, { capture: 'manual' }],
  [{ escalate_hours: '1.5' }, { escalate_after_seconds: 5400 }],
  [
    { is_hosted_page: 'on', handle: 'tea' },
    { is_hosted_page: true, handle: 'tea' },
  ],
  [{ theme: '' }, { appearance: null }],
  [{ colorPrimary: '#0a7d5c' }, { appearance: { theme: 'dark', variables: { colorPrimary: '#0a7d5c' } } }],
  [{ test_connections: 'trial bank-checks' }, { test_connections: ['trial', 'bank-checks'] }],
])('typed %j, sent %j', (typed, sent) => {
  expect(differenceOf(before, { ...untouched, ...typed }, [])).toEqual(sent)
})

test('a price list goes in and comes out the same', () => {
  expect(differenceOf(before, untouched, [tea])).toEqual({ price_list: [tea_line] })
  const dear = { ...tea_line, unit_amount: 1_234_567, tax_rate: 550 }
  const listed = { ...before, price_list: [tea_line, dear] }
  for (const locale of ['en-GB', 'de', 'fr', 'ar-EG']) {
    const lines = listed.price_list.map((line) => form.typedLine(line, locale))
    expect([locale, differenceOf(listed, untouched, lines, locale)]).toEqual([locale, {}])
  }
  expect(differenceOf(listed, untouched, [])).toEqual({ price_list: null })
})

test('of a new integration only what is typed is sent', () => {
  const typed = { name: 'app', mode_setting: 'auto', review_days: '5', theme: '' }
  expect(differenceOf(null, typed, [])).toMatchObject({ name: 'app' })
  expect(differenceOf(null, typed, [])).not.toHaveProperty('allowed_origins')
})

test.each([
  [[{ ...tea, price: '8.555' }]],
  [[{ ...tea, price: '1.234' }]],
  [[{ ...tea, price: '' }]],
  [[{ ...tea, tax: 'none' }]],
])('what is no amount is not sent: %j', (lines) => {
  expect(() => differenceOf(before, untouched, lines)).toThrow(Mistyped)
})
