// How long an authorisation lives, by what an acquirer says of it.

import { expect, test } from 'vitest'
import { expiryOf } from './answers.ts'
import { expiryIn as expiryAtCheckout, paymentIn } from './checkout-com/payments.ts'
import { expiryIn as expiryAtStripe, intentIn } from './stripe/intents.ts'

const authorised_at = new Date('2026-09-01T12:00:00Z')

test.each<[string, string, boolean]>([
  ['a week later', '2026-09-08T12:00:00Z', true],
  ['a second later', '2026-09-01T12:00:01Z', true],
  ['at once', '2026-09-01T12:00:00Z', false],
  ['before', '2026-08-31T12:00:00Z', false],
  ['a year later', '2027-09-01T12:00:00Z', true],
  ['three years later', '2029-09-01T12:00:00Z', false],
  ['at the end of all years', '9999-12-31T23:59:59Z', false],
  ['at no time', 'soon', false],
])('an end %s', (_, text, is_told) => {
  const expires_at = new Date(text)
  expect(expiryOf(authorised_at, expires_at)).toEqual(is_told ? { expires_at } : {})
})

const seconds = authorised_at.getTime() / 1000
const week_seconds = 7 * 24 * 3600

test.each<[string, unknown, boolean]>([
  ['a week later', seconds + week_seconds, true],
  ['before', seconds - 1, false],
  ['beyond all times', 1e15, false],
  ['no number', '2026-09-08', false],
  ['negative', -1, false],
  ['nothing', null, false],
  ['left out', undefined, false],
])("Stripe's word: %s", (_, capture_before, is_told) => {
  const card = { three_d_secure: { result: 'authenticated' }, capture_before }
  const intent = intentIn({
    ...{ id: 'pi_1', status: 'requires_capture', amount: 4200, currency: 'gbp', created: seconds },
    latest_charge: { payment_method_details: { card } },
  })!
  expect(expiryAtStripe(intent)).toEqual(is_told ? { expires_at: new Date('2026-09-08T12:00:00Z') } : {})
  // What is malformed leaves the rest readable.
  expect(intent.latest_charge).toMatchObject({ payment_method_details: { card: { three_d_secure: {} } } })
})

test.each<[string, object, boolean]>([
  ['a week after its request', { requested_on: authorised_at }, true],
  ['a week after the answer', { processed_on: authorised_at }, true],
  ['of no known time', {}, false],
  ['of a request at no time', { requested_on: 'now' }, false],
  ['before the request', { requested_on: '2026-09-09T12:00:00Z' }, false],
  ['no text', { requested_on: authorised_at, expires_on: 7 }, false],
  ['nothing', { requested_on: authorised_at, expires_on: null }, false],
  ['left out', { requested_on: authorised_at, expires_on: undefined }, false],
])("Checkout.com's word: %s", (_, change, is_told) => {
  const money = { amount: 4200, currency: 'GBP' }
  const said = { id: 'pay_1', status: 'Authorized', ...money, expires_on: '2026-09-08T12:00:00Z', ...change }
  const payment = paymentIn(JSON.parse(JSON.stringify(said)))!
  expect(expiryAtCheckout(payment)).toEqual(is_told ? { expires_at: new Date('2026-09-08T12:00:00Z') } : {})
})
