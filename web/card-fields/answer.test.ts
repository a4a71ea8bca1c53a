// What each answer of the service leads to.

import { describe, expect, test } from 'vitest'
import { readAnswer } from './answer.ts'

const made = {
  card_reference: 'card_1',
  brand: 'visa',
  last4: '4242',
  exp_month: 12,
  three_ds_method: { url: 'https://pay.example/3ds/method/t' },
}
const refusal = (error: string, message: string | null = null) => ({
  error,
  message,
  request_id: 'req_1',
})

function answer(status: number, body: unknown, retry_after: string | null = null) {
  return readAnswer({ status, body, retry_after }, 'test')
}

test('a reference, with the method where there is one', () => {
  expect(answer(201, made)).toEqual({
    kind: 'made',
    card_reference: 'card_1',
    brand: 'visa',
    last4: '4242',
    method_url: 'https://pay.example/3ds/method/t',
  })
  expect(answer(201, { ...made, three_ds_method: null })).toMatchObject({ method_url: null })
})

describe('a field that the service refuses', () => {
  test.each([
    ['number: Test mode takes test card numbers only.', 'number', 'not_a_test_card'],
    ['exp_month: This card has expired.', 'expiry', 'expiry_past'],
    ['exp_year must be a whole number.', 'expiry', 'expiry_past'],
    ['cvc: The security code of this card has 3 digits.', 'code', 'code_incomplete'],
    ['cardholder_name: Enter the name on the card.', 'name', 'name_is_number'],
  ])('%s', (message, field, code) => {
    expect(answer(400, refusal('invalid_request', message))).toEqual({
      kind: 'refused',
      fault: { field, code },
    })
  })

  test('in live mode a number is refused in other words', () => {
    const body = refusal('invalid_request', 'number: This is a test card number.')
    expect(readAnswer({ status: 400, body, retry_after: null }, 'live')).toEqual({
      kind: 'refused',
      fault: { field: 'number', code: 'card_refused' },
    })
  })
})

test.each([
  [401, 'unauthorized'],
  [409, 'session_expired'],
  [400, 'invalid_request'],
])('%i %s is handed on', (status, code) => {
  expect(answer(status, refusal(code, 'The reason.'))).toEqual({
    kind: 'error',
    error: { code, message: 'The reason.', request_id: 'req_1' },
    quiet_s: null,
  })
})

test.each<[string, unknown, string | null, number]>([
  ['with a time', refusal('rate_limit_exceeded'), '7', 7],
  ['without one', refusal('rate_limit_exceeded'), null, 60],
  ['in plain text', null, '30', 30],
])('429 %s', (_, body, retry_after, quiet_s) => {
  expect(answer(429, body, retry_after)).toMatchObject({
    kind: 'error',
    error: { code: 'rate_limit_exceeded' },
    quiet_s,
  })
})

test.each<[string, number, unknown]>([
  ['a failure', 500, refusal('internal_error')],
  ['a store that is away', 503, refusal('store_unavailable')],
  ['a success without a reference', 201, {}],
  ['a page in between', 200, null],
  ['a refusal in words of something else', 403, null],
])('another try may better %s', (_, status, body) => {
  expect(answer(status, body).kind).toBe('unreachable')
})
