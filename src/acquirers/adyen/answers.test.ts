// How Adyen's answers are read: one fault in each row, and nothing is approved by guessing.

import { describe, expect, test } from 'vitest'
import { type AuthoriseRequest, type SettleRequest, Unanswered } from '../acquirer.ts'
import type { WireAnswer } from '../wire.ts'
import { authoriseAnswer, settleAnswer } from './answers.ts'

const name = 'adyen:conn_1'
const reference = '0123456789abcdef0123456789abcdef'
const charge = { reference, amount: 4200, currency: 'GBP', capture: false } as AuthoriseRequest
const psp = 'NC6HT9CRT65ZGN82'
const good = {
  pspReference: psp,
  merchantReference: reference,
  resultCode: 'Authorised',
  amount: { value: 4200, currency: 'GBP' },
}
const approved = { result: 'approved', acquirer_transaction_id: psp, captured: false, amount: 4200, currency: 'GBP' }
const under_way = { result: 'under_way', acquirer_transaction_id: psp }

function answer(status: number, body: object | string, headers = {}): WireAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = typeof body === 'string' ? null : (JSON.parse(text) as Record<string, unknown>)
  return { status, headers, text, json }
}

/** The result of reading it; `unanswered` if that is thrown. */
function read(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    expect(error).toBeInstanceOf(Unanswered)
    expect((error as Error).message).toContain(name)
    return 'unanswered'
  }
}

const readCharge = (wireAnswer: WireAnswer, request = charge) => read(() => authoriseAnswer(wireAnswer, request, name))

describe('a charge with 200', () => {
  test.each<[string, object, unknown]>([
    ['approved', {}, approved],
    ['without an amount, since all of it is', { amount: undefined }, approved],
    [
      'another amount, which whoever asked judges',
      { amount: { value: 1, currency: 'GBP' } },
      { ...approved, amount: 1 },
    ],
    ['another currency', { amount: { value: 4200, currency: 'EUR' } }, { ...approved, currency: 'EUR' }],
    ['a currency that nobody knows', { amount: { value: 4200, currency: 'XXX' } }, under_way],
    ['an amount that is none', { amount: { value: '4200', currency: 'GBP' } }, under_way],
    ['a fraction', { amount: { value: 42.5, currency: 'GBP' } }, under_way],
    ['no reference', { merchantReference: undefined }, approved],
    ['the reference of another', { merchantReference: 'another' }, 'unanswered'],
    ['approved without a name', { pspReference: undefined }, 'unanswered'],
    ['received', { resultCode: 'Received' }, under_way],
    ['pending', { resultCode: 'Pending' }, under_way],
    ['pending without a name', { resultCode: 'Pending', pspReference: undefined }, 'unanswered'],
    ['a result that nobody knows', { resultCode: 'Perhaps' }, under_way],
    ['in small letters', { resultCode: 'authorised' }, under_way],
    ['no result', { resultCode: undefined }, 'unanswered'],
    [
      'a part',
      { resultCode: 'PartiallyAuthorised', amount: { value: 100, currency: 'GBP' } },
      { ...approved, amount: 100 },
    ],
    ['a part that is the whole', { resultCode: 'PartiallyAuthorised' }, under_way],
    ['a part of what?', { resultCode: 'PartiallyAuthorised', amount: undefined }, under_way],
  ])('%s', (_, change, expected) => {
    expect(readCharge(answer(200, { ...good, ...change }))).toEqual(expected)
  })

  test('that was to be captured is captured at once', () => {
    const request = { ...charge, capture: true }
    expect(readCharge(answer(200, good), request)).toEqual({ ...approved, captured: true })
  })

  test.each<[string, object, string, string, string]>([
    ['Refused', { refusalReasonCode: '12' }, 'declined', 'insufficient_funds', 'soft'],
    ['Refused', { refusalReasonCode: '7' }, 'failed', 'processing_error', 'provider_error'],
    ['Refused', {}, 'declined', 'card_declined', 'soft'],
    ['Refused', { amount: { value: 1, currency: 'EUR' } }, 'declined', 'card_declined', 'soft'],
    ['Cancelled', {}, 'declined', 'card_declined', 'soft'],
    ['Error', {}, 'failed', 'processing_error', 'provider_error'],
    ['Error', { refusalReasonCode: '9' }, 'declined', 'issuer_unavailable', 'network'],
    ['RedirectShopper', {}, 'declined', 'authentication_required', 'soft'],
    ['ChallengeShopper', {}, 'declined', 'authentication_required', 'soft'],
    ['IdentifyShopper', {}, 'declined', 'authentication_required', 'soft'],
  ])('%s %o', (resultCode, change, result, code, category) => {
    const wireAnswer = answer(200, { ...good, resultCode, refusalReason: 'Words', ...change })
    const decline = { code, category, reason: expect.any(String) }
    expect(readCharge(wireAnswer)).toMatchObject({ result, decline, acquirer_transaction_id: psp })
  })
})

test('only a refusal by its code may be tried elsewhere', () => {
  const read = (change: object) => readCharge(answer(200, { ...good, ...change }))
  const refusalReasonCode = '12'
  expect(read({ resultCode: 'Refused', refusalReasonCode })).toMatchObject({
    may_retry_elsewhere: true,
  })
  for (const change of [
    { resultCode: 'Refused' },
    { resultCode: 'Cancelled', refusalReasonCode },
    { resultCode: 'Error', refusalReasonCode },
    { resultCode: 'RedirectShopper' },
  ]) {
    expect(read(change)).not.toHaveProperty('may_retry_elsewhere')
  }
})

const transient = { 'transient-error': 'true' }
const theirs = {
  status: 422,
  errorCode: '130',
  message: 'Reference Missing',
  errorType: 'validation',
}
const running = { ...theirs, errorCode: '704' }

describe('a charge without 2xx', () => {
  test.each<[string, number, object | string, object, 'failed' | 'unanswered']>([
    ['bad credentials', 401, { errorCode: '000' }, {}, 'failed'],
    ['bad credentials without a body', 401, '', {}, 'failed'],
    ['a disabled account', 403, { errorCode: '010' }, {}, 'failed'],
    ['a wall', 403, '<html>Access denied</html>', {}, 'failed'],
    ['judged and refused', 422, theirs, {}, 'failed'],
    ['unreadable to them', 400, { ...theirs, errorCode: '702' }, {}, 'failed'],
    ['running already', 422, running, {}, 'unanswered'],
    ['running already, as a conflict', 409, running, {}, 'unanswered'],
    ['running already, and transient', 422, running, transient, 'unanswered'],
    ['running already, transient and 503', 503, running, transient, 'unanswered'],
    ['422 of a proxy', 422, '<html>no</html>', {}, 'unanswered'],
    ['400 without a code', 400, {}, {}, 'unanswered'],
    ['a conflict', 409, theirs, {}, 'unanswered'],
    ['too many', 429, '', {}, 'unanswered'],
    ['too many, never taken', 429, '', transient, 'failed'],
    ['an error', 500, theirs, {}, 'unanswered'],
    ['an error, never taken', 500, theirs, transient, 'failed'],
    ['an error, kept', 500, theirs, { 'transient-error': 'false' }, 'unanswered'],
    ['their keys are away', 503, '', transient, 'failed'],
    ['no page', 404, '<html>not here</html>', {}, 'unanswered'],
    ['elsewhere', 302, '', {}, 'unanswered'],
    ['HTML with 200', 200, '<html>All is well</html>', {}, 'unanswered'],
    ['a cut answer', 200, JSON.stringify(good).slice(0, -20), {}, 'unanswered'],
    ['nothing with 200', 200, '', {}, 'unanswered'],
  ])('%s', (_, status, body, headers, expected) => {
    const outcome = readCharge(answer(status, body, headers))
    if (expected === 'unanswered') return expect(outcome).toBe(expected)
    const decline = { code: 'processing_error', category: 'provider_error' }
    expect(outcome).toMatchObject({ result: 'failed', decline, acquirer_transaction_id: null })
  })

  test('says why in a line that repeats nothing of the request or the body', () => {
    const message = 'Invalid card number 4111111111111111'
    const outcome = readCharge(answer(422, { ...theirs, errorCode: '101', message }))
    expect(outcome).toMatchObject({
      decline: { reason: `${name}: the request was refused (422 101)` },
    })
    const strange = readCharge(answer(422, { ...theirs, errorCode: message }))
    expect(strange).toMatchObject({ decline: { reason: `${name}: the request was refused (422)` } })
  })
})

const request = {
  reference: 'f'.repeat(32),
  authorisation: { reference, handle: null, acquirer_transaction_id: psp },
  amount: 4200,
  currency: 'GBP',
} satisfies SettleRequest
const received = {
  status: 'received',
  pspReference: 'MOD1',
  paymentPspReference: psp,
  reference: request.reference,
  merchantAccount: 'Tea',
}

describe('a capture, void, reversal or refund', () => {
  test.each<[string, number, object | string, object, unknown]>([
    ['received', 201, received, {}, 'accepted'],
    ['received by name alone', 201, { status: 'received', pspReference: 'MOD1' }, {}, 'accepted'],
    ['without a name', 201, { ...received, pspReference: undefined }, {}, 'unanswered'],
    ['another status', 201, { ...received, status: 'refused' }, {}, 'unanswered'],
    ["another's payment", 201, { ...received, paymentPspReference: 'X' }, {}, 'unanswered'],
    ["another's reference", 201, { ...received, reference: 'another' }, {}, 'unanswered'],
    ['HTML', 201, '<html></html>', {}, 'unanswered'],
    ['judged and refused', 422, { errorCode: '167' }, {}, 'refused'],
    ['running already', 422, running, {}, 'unanswered'],
    ['bad credentials, perhaps the second time', 401, '', {}, 'unanswered'],
    ['a disabled account, perhaps the second time', 403, '', {}, 'unanswered'],
    ['too many, never taken', 429, '', transient, 'unanswered'],
    ['an error', 500, '', {}, 'unanswered'],
    ['no page', 404, '', {}, 'unanswered'],
  ])('%s', (_, status, body, headers, expected) => {
    const outcome = read(() => settleAnswer(answer(status, body, headers), request, name))
    const answers = {
      accepted: { result: 'accepted', acquirer_transaction_id: 'MOD1' },
      refused: {
        result: 'refused',
        reason: `${name}: the request was refused (422 167)`,
        decline_code: null,
        authorisation_known: true,
      },
      unanswered: 'unanswered',
    }
    expect(outcome).toEqual(answers[expected as keyof typeof answers])
  })
})
