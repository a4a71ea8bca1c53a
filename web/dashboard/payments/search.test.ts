import { expect, test } from 'vitest'
import { type Filters, filtersOf, queryOf, understand } from './search.ts'

test.each([
  ['pay_0123456789abcdef01234567', { screen: 'payments/pay_0123456789abcdef01234567' }],
  [' cs_0123456789abcdef01234567', { screen: 'payments/cs_0123456789abcdef01234567' }],
  ['req_0123456789abcdef01234567', { screen: 'requests?request_id=req_0123456789abcdef01234567' }],
  ['Jo@Shop.example', { filters: { customer_email: 'jo@shop.example' } }],
  ['4242', { filters: { card_last4: '4242' } }],
  ['42.00', { filters: { amount: '4200' } }],
  ['£42', { filters: { amount: '4200', currency: 'GBP' } }],
  ['4,200 gbp', { filters: { amount: '420000', currency: 'GBP' } }],
  ['JPY 500', { filters: { amount: '500', currency: 'JPY' } }],
  ['KWD 1.234', { filters: { amount: '1234', currency: 'KWD' } }],
  ['19.99 €', { filters: { amount: '1999', currency: 'EUR' } }],
  ['12345', { filters: { order_reference: '12345' } }],
  ['A-1042', { filters: { order_reference: 'A-1042' } }],
  ['  ', { filters: {} }],
])('%s', (typed, understood) => {
  expect(understand(typed)).toEqual(understood)
})

test('filters go into an address and come out of it again', () => {
  const filters: Filters = { status: 'held', customer_email: 'jo+tea@shop.example' }
  expect(filtersOf(queryOf(filters))).toEqual(filters)
  expect(filtersOf('?status=held&colour=red')).toEqual({ status: 'held' })
  expect(filtersOf('?status=lost')).toEqual({})
  expect(queryOf({ status: undefined })).toBe('')
})
