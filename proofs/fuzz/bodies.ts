// Bodies as the description allows them, made to be taken: what the schema leaves open is filled in sensibly.

import fc from 'fast-check'
import { publishedNumbers, testNumber } from '../../src/cards/test-cards.ts'
import { shop } from '../../tests/support/service.ts'
import { place } from './breaks.ts'
import type { Schema } from './document.ts'
import { type Members, Ref, type Value } from './value.ts'

/** A value that the schema allows, and that most often the service takes too. */
export function allowed(schema: Schema, name = ''): fc.Arbitrary<Value> {
  const known = sensible[name]
  if (known) return known
  if (schema.enum) return fc.constantFrom(...(schema.enum as Value[]))
  if ('const' in schema) return fc.constant(schema.const as Value)
  if (schema.anyOf) return anyOf(schema.anyOf.map((each) => allowed(each, name)))
  switch ([schema.type].flat()[0]) {
    case 'object':
      return membersOf(schema)
    case 'array':
      return fc.array(allowed(schema.items ?? {}), { maxLength: 4 })
    case 'integer':
      return fc.integer(rangeOf(schema))
    case 'number':
      return fc.oneof(fc.integer(rangeOf(schema)), fc.constant(rangeOf(schema).min + 0.5))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return textOf(schema)
  }
}

/** The first is what stays of it where it is shrunk. */
function anyOf(each: fc.Arbitrary<Value>[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { withCrossShrink: true },
    ...each.map((arbitrary, index) => ({ arbitrary, weight: index === 0 ? 4 : 1 })),
  )
}

function membersOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Value> {
  const members = Object.entries(properties).map(([name, schema]) => [name, allowed(schema, name)])
  const requiredKeys = required.filter((name) => name in properties)
  return fc.record(Object.fromEntries(members), { requiredKeys }) as fc.Arbitrary<Members>
}

function rangeOf({ minimum = 0, maximum = 1_000_000 }: Schema): { min: number; max: number } {
  return { min: Math.ceil(minimum), max: Math.floor(Math.max(minimum, maximum)) }
}

function textOf({ minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<Value> {
  const range = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }
  return fc.oneof(
    { withCrossShrink: true },
    fc.string({ ...range, unit: fc.constantFrom(...'abc déß-_.ñ字') }),
    fc.string({ ...range, unit: 'grapheme' }).filter((text) => text.length <= maxLength),
  )
}

/** Something of the pool. */
export function ref(what: string): fc.Arbitrary<Ref> {
  return place.map((at) => new Ref(what, at))
}

// Not the one whose Directory Server keeps silent, nor those that answer after seconds.
const cards = [
  ...publishedNumbers.filter((number) => number !== '4000000000002354'),
  ...['005', '059', '901', '902', '904', '905', '906'].map((abc) => testNumber('visa', { abc })),
  ...['10', '30', '50', '70', '72', '81'].map((yz) => testNumber('mastercard', { yz })),
  ...['2', '4', '5', '9'].map((r) => testNumber('visa', { r })),
  testNumber('amex'),
]

const text = fc.string({ minLength: 1, maxLength: 30, unit: fc.constantFrom(...'ab c字é') })
const line = fc
  .record({
    kind: fc.constantFrom('product', 'product', 'shipping', 'fee'),
    sku: fc.constantFrom('tea', 'pot', 'zest'),
    name: text,
    quantity: fc.integer({ min: 1, max: 20 }),
    unit_amount: fc.integer({ min: 10, max: 10_000 }),
    tax_amount: fc.integer({ min: 0, max: 10 }),
    tax_rate: fc.integer({ min: 0, max: 2500 }),
  })
  .map((each) => each as Members)
const large = Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`key ${nth}`, 'x']))
const metadata = fc
  .dictionary(
    fc.oneof(fc.constantFrom('order', '__proto__', 'constructor', '10', 'a[b]'), text),
    fc.string({ maxLength: 40, unit: fc.constantFrom(...'ab 1字"\\\u2028') }),
    { maxKeys: 5, noNullPrototype: true },
  )
  .map((each) => each as Members)
const reference = fc.oneof(
  { withCrossShrink: true },
  fc.string({ minLength: 1, maxLength: 64, unit: fc.constantFrom(...'ab-_#0字') }),
  fc.constantFrom('order 1', 'order 2', `order ${testNumber('visa')}`),
)

/** What the schema cannot say of a field, by its name. */
const sensible: Record<string, fc.Arbitrary<Value>> = {
  amount: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom(4200, 1, 99_999_999_999)),
  currency: fc.constantFrom('GBP', 'GBP', 'EUR', 'jpy', 'KWD', 'Usd'),
  items: fc.oneof(fc.array(line, { minLength: 1, maxLength: 3 }), fc.constant(null)),
  metadata: fc.oneof(
    { weight: 20, arbitrary: metadata },
    { weight: 1, arbitrary: fc.constantFrom<Value>(large, { order: testNumber('visa') }) },
  ),
  order_reference: reference,
  account_id: reference,
  account_created: fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:00.1234567+00:00', null),
  email: fc.constantFrom('ada@example.com', 'grace@example.com'),
  customer_email: fc.constantFrom('Ada@Example.com', 'grace@example.com'),
  card_last4: fc.constantFrom('4242', '0000', '4444'),
  decline_code: fc.constantFrom('do_not_honour', 'insufficient_funds'),
  created_from: fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:00.1234567+00:00'),
  created_before: fc.constantFrom('9999-12-31T23:59:59Z', '2025-01-01T00:00-05:00'),
  receipt_email: fc.constantFrom('ada@example.com', 'grace@example.com'),
  statement_descriptor_suffix: fc.string({
    minLength: 1,
    maxLength: 23,
    unit: fc.constantFrom(...'AB 1'),
  }),
  confirmation_url: fc.constantFrom(`${shop}/thanks`, `${shop}/thanks?a=b`),
  description: text,
  capture_method: fc.constant('automatic'),
  public_key: ref('public_key'),
  integration: fc.constantFrom('default', 'default', 'priced', 'fixed', 'strict', 'nowhere'),
  card_reference: ref('card_reference'),
  number: fc.constantFrom(...cards),
  exp_month: fc.integer({ min: 1, max: 12 }),
  exp_year: fc.integer({ min: 2028, max: 2035 }),
  cvc: fc.constantFrom('123', '123', '123', '1234'),
  url: fc.constantFrom(`${shop}/hooks`, `${shop}/hooks?a=b`, 'https://shop.example:8443/'),
  event_filter: fc.subarray(['payment.captured', 'payment.held', 'payment.voided', 'payment.paid']),
}
