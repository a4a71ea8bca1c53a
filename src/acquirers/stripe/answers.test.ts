// One of Stripe's answers in each row, and its reading by the connector: an ambiguous answer counts as unanswered.

import { describe, expect, test } from 'vitest'
import { type AuthoriseRequest, Unanswered } from '../acquirer.ts'
import type { WireAnswer } from '../wire.ts'
import { cancelAnswer, captureAnswer, confirmAnswer, methodAnswer, prepareAnswer, refundAnswer } from './answers.ts'

const handle = 'pi_1'
const gbp = { amount: 4200, currency: 'GBP' }

const intent = {
  id: handle,
  status: 'requires_capture',
  amount: 4200,
  currency: 'gbp',
  amount_capturable: 4200,
  amount_received: 0,
  capture_method: 'manual',
  created: 1,
  latest_charge: 'ch_1',
}
const capturedIntent = {
  ...intent,
  status: 'succeeded',
  capture_method: 'automatic',
  amount_received: 4200,
  amount_capturable: 0,
}
const refund = { id: 're_1', status: 'succeeded', amount: 4200, currency: 'gbp' }

function answered(status: number, body: object | string): WireAnswer {
  const json = typeof body === 'string' ? null : (body as Record<string, unknown>)
  return { status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body), json }
}

const refused = (type: string, members: object = {}) => ({ error: { type, ...members } })
const cardError = (members: object) =>
  refused('card_error', {
    payment_intent: { id: handle, status: 'requires_payment_method' },
    ...members,
  })

/** Answers that show nothing about the outcome of any request. */
const silences: [string, WireAnswer][] = [
  ['a conflict', answered(409, refused('idempotency_error', { code: 'idempotency_key_in_use' }))],
  ['too many', answered(429, refused('rate_limit_error'))],
  ['too many, as it was once', answered(400, refused('invalid_request_error', { code: 'rate_limit' }))],
  ['their error', answered(500, refused('api_error'))],
  ['a gateway', answered(502, '<html>Bad gateway</html>')],
  ['HTML that is well', answered(200, '<html>All is well</html>')],
  ['truncated JSON', answered(200, '{"id":"pi_1","status":"requires_cap')],
  ['nothing', answered(200, '')],
  ['a redirect', answered(302, '')],
  ["a proxy's 400", answered(400, '<html>no</html>')],
  ["a proxy's 402", answered(402, '<html>pay for the proxy</html>')],
  ["a proxy's 404", answered(404, '<html>not here</html>')],
]

describe('a confirm', () => {
  const confirm = (answer: WireAnswer) => confirmAnswer(answer, handle, 'stripe:a')

  test.each<[string, WireAnswer, object]>([
    ['reserved', answered(200, intent), { result: 'approved', captured: false, ...gbp }],
    ['captured', answered(200, capturedIntent), { result: 'approved', captured: true, ...gbp }],
    [
      'another amount, which is theirs to say',
      answered(200, { ...intent, amount: 1, amount_capturable: 1 }),
      { result: 'approved', amount: 1, currency: 'GBP' },
    ],
    [
      'another currency, likewise',
      answered(200, { ...intent, currency: 'eur' }),
      { result: 'approved', amount: 4200, currency: 'EUR' },
    ],
    ['processing', answered(200, { ...intent, status: 'processing' }), { result: 'under_way' }],
    [
      'a decline',
      answered(402, cardError({ code: 'card_declined', decline_code: 'insufficient_funds' })),
      { result: 'declined', decline: { code: 'insufficient_funds', category: 'soft' } },
    ],
    [
      'a decline by an unknown code',
      answered(402, cardError({ code: 'card_declined', decline_code: 'of_tomorrow' })),
      { result: 'declined', decline: { code: 'card_declined', category: 'soft' } },
    ],
    [
      'an error at the bank',
      answered(402, cardError({ code: 'processing_error' })),
      { result: 'failed', decline: { category: 'provider_error' } },
    ],
    [
      'an authentication that they want',
      answered(200, { ...intent, status: 'requires_action' }),
      { result: 'declined', decline: { code: 'authentication_required' } },
    ],
    [
      'a wrong key',
      answered(401, refused('invalid_request_error')),
      { result: 'failed', decline: { category: 'provider_error' } },
    ],
    [
      'no permission',
      answered(403, '<html>Forbidden</html>'),
      { result: 'failed', decline: { category: 'provider_error' } },
    ],
    [
      'a refused request',
      answered(400, refused('invalid_request_error', { code: 'parameter_unknown', message: 'sk_live_secret' })),
      { result: 'contested', reason: 'stripe:a: the request was refused (400 parameter_unknown)' },
    ],
    ['no such intent', answered(404, refused('invalid_request_error')), { result: 'contested' }],
  ])('%s', (_, answer, expected) => {
    expect(confirm(answer)).toMatchObject(expected)
  })

  test.each<[string, WireAnswer]>([
    ...silences,
    ['another intent', answered(200, { ...intent, id: 'pi_2' })],
    ['an unknown status', answered(200, { ...intent, status: 'perhaps' })],
    ['unconfirmed', answered(200, { ...intent, status: 'requires_confirmation' })],
    ['cancelled', answered(200, { ...intent, status: 'canceled', latest_charge: null })],
    ['two amounts', answered(200, { ...intent, amount: 1 })],
    ['two amounts, captured', answered(200, { ...capturedIntent, amount_received: 1 })],
    ['a currency that nobody knows', answered(200, { ...intent, currency: 'xxx' })],
    ['an amount that is no number', answered(200, { ...intent, amount: '4200' })],
    [
      'a decline of another intent',
      answered(
        402,
        refused('card_error', {
          payment_intent: { id: 'pi_2', status: 'requires_payment_method' },
        }),
      ),
    ],
    [
      'a decline of what succeeded',
      answered(402, refused('card_error', { payment_intent: { id: handle, status: 'succeeded' } })),
    ],
  ])('%s: unanswered', (_, answer) => {
    expect(() => confirm(answer)).toThrow(Unanswered)
  })
})

describe('the steps before', () => {
  const request = { ...gbp } as AuthoriseRequest
  const unconfirmedIntent = {
    ...intent,
    status: 'requires_confirmation',
    amount_capturable: 0,
    latest_charge: null,
  }

  test.each<[string, WireAnswer, object]>([
    ['made', answered(200, unconfirmedIntent), { result: 'prepared', handle }],
    ['another amount', answered(200, { ...unconfirmedIntent, amount: 1 }), { result: 'failed' }],
    ['another currency', answered(200, { ...unconfirmedIntent, currency: 'eur' }), { result: 'failed' }],
    ['confirmed at once', answered(200, intent), { result: 'failed' }],
    ['refused', answered(400, refused('invalid_request_error')), { result: 'failed' }],
    ['used before', answered(400, refused('idempotency_error')), { result: 'failed' }],
    ['a wrong key', answered(401, ''), { result: 'failed' }],
  ])('an intent: %s', (_, answer, expected) => {
    expect(prepareAnswer(answer, request, 'stripe:a')).toMatchObject(expected)
  })

  test.each(silences)('%s: unanswered', (_, answer) => {
    expect(() => prepareAnswer(answer, request, 'stripe:a')).toThrow(Unanswered)
    expect(() => methodAnswer(answer, 'stripe:a')).toThrow(Unanswered)
  })

  test.each<[string, WireAnswer, object]>([
    ['made', answered(200, { id: 'pm_1' }), { method: 'pm_1' }],
    [
      'a number that is none',
      answered(402, refused('card_error', { code: 'incorrect_number' })),
      { result: 'declined', decline: { code: 'invalid_account', category: 'hard' } },
    ],
    [
      'an account that may not send numbers',
      answered(402, refused('invalid_request_error')),
      { result: 'failed', decline: { category: 'provider_error' } },
    ],
  ])('a card: %s', (_, answer, expected) => {
    expect(methodAnswer(answer, 'stripe:a')).toMatchObject(expected)
  })
})

describe('a capture, cancel and refund', () => {
  const capture = (answer: WireAnswer) => captureAnswer(answer, handle, gbp, 'stripe:a')
  const cancel = (answer: WireAnswer) => cancelAnswer(answer, handle, 'stripe:a')
  const giveBack = (answer: WireAnswer) => refundAnswer(answer, gbp, 'stripe:a')
  const cancelled = { ...intent, status: 'canceled' }

  test.each<[string, (answer: WireAnswer) => object, WireAnswer, object]>([
    ['captured', capture, answered(200, capturedIntent), { result: 'approved', acquirer_transaction_id: handle }],
    ['cancelled', cancel, answered(200, cancelled), { status: 'canceled' }],
    ['refunded', giveBack, answered(200, refund), { result: 'approved', acquirer_transaction_id: 're_1' }],
    ['pending', giveBack, answered(200, { ...refund, status: 'pending' }), { result: 'accepted' }],
    [
      'failed',
      giveBack,
      answered(200, { ...refund, status: 'failed', failure_reason: 'lost_or_stolen_card' }),
      {
        result: 'refused',
        reason: 'The refund failed (lost_or_stolen_card)',
        authorisation_known: true,
      },
    ],
    ['another state', capture, answered(400, refused('invalid_request_error')), { result: 'contested' }],
    ['a wrong key', cancel, answered(401, ''), { result: 'contested' }],
    [
      'a key of another request',
      giveBack,
      answered(400, refused('idempotency_error')),
      { result: 'refused', decline_code: 'reference_reused' },
    ],
    [
      'refused by the bank',
      capture,
      answered(402, refused('card_error', { decline_code: 'do_not_honor' })),
      { result: 'refused', decline_code: 'do_not_honor' },
    ],
  ])('%s', (_, read, answer, expected) => {
    expect(read(answer)).toMatchObject(expected)
  })

  test.each<[string, (answer: WireAnswer) => object, WireAnswer]>([
    ['another sum', capture, answered(200, { ...capturedIntent, amount_received: 1 })],
    ['another currency', capture, answered(200, { ...capturedIntent, currency: 'eur' })],
    ['not captured', capture, answered(200, intent)],
    ['another intent', capture, answered(200, { ...capturedIntent, id: 'pi_2' })],
    ['not cancelled', cancel, answered(200, intent)],
    ['another intent', cancel, answered(200, { ...cancelled, id: 'pi_2' })],
    ['another sum', giveBack, answered(200, { ...refund, amount: 1 })],
    ['an unknown status', giveBack, answered(200, { ...refund, status: 'perhaps' })],
  ])('%s: unanswered', (_, read, answer) => {
    expect(() => read(answer)).toThrow(Unanswered)
  })

  test.each(silences)('%s: unanswered', (_, answer) => {
    for (const read of [capture, cancel, giveBack]) expect(() => read(answer)).toThrow(Unanswered)
  })
})
