// The connector to Adyen over HTTP, against books that carry things out later: what other acquirers are asked for by a look-up is
// told by notices here.

import { ObjectSerializer } from '@adyen/api-library/lib/src/typings/checkout/objectSerializer.js'
import { describe, expect, test } from 'vitest'
import {
  type AuthoriseRequest,
  NotSent,
  type OperationKind,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import { authoriseRequest, lookUpOf, settleRequest } from './acquirer-requests.ts'
import type { Fault } from './fakes/adyen/faults.ts'
import { type AdyenUnderTest, connection_name, openAdyenUnderTest, settles_after_ms } from './fakes/adyen/under-test.ts'
import { numberFor } from './fakes/numbers.ts'

type SettleKind = Exclude<OperationKind, 'authorise'>

/** A charge that was approved, and how to ask for something of it and hear what became of that. */
async function charged(change: Partial<AuthoriseRequest> & { behaviour?: AcquirerBehaviour } = {}) {
  const { behaviour = 'approve', ...rest } = change
  const tested = await openAdyenUnderTest()
  const request = authoriseRequest(numberFor(behaviour), rest)
  const answer = await tested.acquirer.authorise(request)
  const ask = (amount = request.amount): SettleRequest => ({
    ...settleRequest(request, { amount }),
    authorisation: {
      reference: request.reference,
      handle: null,
      acquirer_transaction_id: answer.acquirer_transaction_id,
    },
  })
  const settle = (kind: SettleKind, amount?: number) => settled(tested, kind, ask(amount))
  return { tested, request, answer, ask, settle }
}

/** What its notice says in the end. */
async function settled(tested: AdyenUnderTest, kind: SettleKind, request: SettleRequest) {
  const answer = await tested.acquirer[kind](request)
  if (answer.result !== 'accepted') return answer
  expect(tested.told(kind, request.reference)).toBeNull()
  await tested.clock.advance(settles_after_ms)
  const notice = tested.told(kind, request.reference)!
  const { acquirer_transaction_id } = answer
  expect(notice).toMatchObject({ acquirer_transaction_id })
  return notice.answer
}

describe('authorise', () => {
  test.each([true, false])('approves, capture %s', async (capture) => {
    const { tested, request, answer } = await charged({ capture })
    const { reference, amount, currency } = request
    expect(answer).toEqual({
      result: 'approved',
      captured: capture,
      amount,
      currency,
      acquirer_transaction_id: expect.stringMatching(/^[A-Z0-9]{16}$/),
    })
    expect(tested.told('authorise', reference)!.answer).toEqual({ ...answer, captured: false })
    const { acquirer } = tested
    expect(await acquirer.lookUp(lookUpOf(reference))).toEqual({ result: 'only_notices_tell' })
    const always = { since: new Date(0), until: new Date('2100-01-01') }
    expect(await acquirer.listAuthorisations(always)).toEqual([])
    expect(tested.fake.books.payments[0]!.metadata).toEqual({ ripper_installation: 'ours' })
  })

  test('while the first is under way, the second is not known', async () => {
    const tested = await openAdyenUnderTest()
    const request = authoriseRequest(numberFor('approve_slowly'))
    const first = tested.acquirer.authorise(request)
    await tested.clock.sleepers(8_000)
    await expect(tested.reopen().authorise(request)).rejects.toBeInstanceOf(Unanswered)
    await tested.clock.advance(8_000)
    expect(await first).toMatchObject({ result: 'approved' })
    expect(tested.fake.books.payments).toHaveLength(1)
  })
})

describe('capture, void, reverse, refund', () => {
  test.each<[SettleKind, SettleKind, 'approved' | 'refused']>([
    ['capture', 'capture', 'refused'],
    ['capture', 'void', 'refused'],
    ['capture', 'reverse', 'approved'],
    ['capture', 'refund', 'approved'],
    ['void', 'capture', 'refused'],
    ['void', 'void', 'refused'],
    ['void', 'reverse', 'refused'],
    ['reverse', 'capture', 'refused'],
    ['reverse', 'void', 'refused'],
    ['reverse', 'reverse', 'refused'],
    ['reverse', 'refund', 'refused'],
  ])('%s, then %s: %s', async (first, second, result) => {
    const { settle } = await charged()
    expect(await settle(first)).toMatchObject({ result: 'approved' })
    expect(await settle(second)).toMatchObject(
      result === 'approved' ? { result } : { result, authorisation_known: true },
    )
  })

  test.each<SettleKind>(['capture', 'void', 'reverse', 'refund'])(
    'a lost %s that is sent again is done once',
    async (kind) => {
      const { tested, ask } = await charged({ capture: kind === 'refund' })
      const { acquirer, fake, clock, told } = tested
      const request = ask()
      fake.next('lose_answer_after')
      await expect(acquirer[kind](request)).rejects.toBeInstanceOf(Unanswered)
      await clock.advance(acquirer.safe_window_ms)
      const again = await tested.reopen()[kind](request)
      const notice = told(kind, request.reference)!
      expect(again).toEqual({ result: 'accepted', acquirer_transaction_id: notice.acquirer_transaction_id })
      expect(notice.answer).toMatchObject({ result: 'approved' })
      expect(fake.books.modifications).toHaveLength(1)
    },
  )

  test.each([
    ['refuse_capture_once', 'capture'],
    ['refuse_void_once', 'void'],
  ] as const)('%s', async (behaviour, kind) => {
    const { settle } = await charged({ behaviour })
    expect(await settle(kind)).toMatchObject({ result: 'refused', reason: 'Do not honour' })
    expect(await settle(kind)).toMatchObject({ result: 'approved' })
  })

  test('refunds in parts, up to what was captured and no more', async () => {
    const { settle } = await charged({ capture: true })
    expect(await settle('refund', 1000)).toMatchObject({ result: 'approved' })
    expect(await settle('refund', 3201)).toMatchObject({ result: 'refused' })
    expect(await settle('refund', 1013)).toMatchObject({ result: 'refused' })
    expect(await settle('refund', 3200)).toMatchObject({ result: 'approved' })
  })

  test('what nobody has named yet is not captured, voided or refunded', async () => {
    const { tested, request } = await charged()
    const moves = tested.fake.moves()
    for (const kind of ['capture', 'void', 'refund'] as const) {
      expect(await tested.acquirer[kind](settleRequest(request))).toMatchObject({
        result: 'refused',
        decline_code: 'in_progress',
        authorisation_known: true,
      })
    }
    expect(tested.fake.moves()).toBe(moves)
  })
})

describe('a lost answer', () => {
  async function lost(behaviour: AcquirerBehaviour, capture: boolean) {
    const tested = await openAdyenUnderTest()
    const request = authoriseRequest(numberFor(behaviour), { capture })
    const over = expect(tested.acquirer.authorise(request)).rejects.toBeInstanceOf(Unanswered)
    await tested.clock.sleepers(2_000)
    await tested.clock.advance(2_000)
    await over
    return { tested, request, reversal: settleRequest(request) }
  }

  test.each([
    ['lost_then_captured', 'approved'],
    ['lost_then_declined', 'declined'],
  ] as const)('%s is told 30 s after the request', async (behaviour, result) => {
    const { tested, request } = await lost(behaviour, true)
    await tested.clock.advance(27_999)
    expect(tested.told('authorise', request.reference)).toBeNull()
    await tested.clock.advance(1)
    expect(tested.told('authorise', request.reference)!.answer).toMatchObject({ result })
  })

  test('of a reservation: it is cancelled by our reference', async () => {
    const { tested, reversal } = await lost('lost_then_captured', false)
    await tested.clock.advance(tested.acquirer.safe_window_ms)
    expect(await settled(tested, 'reverse', reversal)).toMatchObject({ result: 'approved' })
    expect(tested.fake.books.isLive(tested.fake.books.payments[0]!)).toBe(false)
  })

  test('of what was captured: cancelling finds nothing, and by its id it is given back', async () => {
    const { tested, request, reversal } = await lost('lost_then_captured', true)
    await tested.clock.advance(tested.acquirer.safe_window_ms)
    expect(await settled(tested, 'reverse', reversal)).toMatchObject({ authorisation_known: false })
    // Its own notice names it, and an orphan is taken back by that name, under the same reference or another.
    const { acquirer_transaction_id } = tested.told('authorise', request.reference)!
    const authorisation = { ...reversal.authorisation, acquirer_transaction_id }
    const again = { ...reversal, authorisation }
    const accepted = await tested.acquirer.reverse(again)
    expect(accepted).toMatchObject({ result: 'accepted' })
    await tested.clock.advance(settles_after_ms)
    expect(tested.told('reverse', again.reference)!.answer).toMatchObject({ result: 'approved' })
    const [payment] = tested.fake.books.payments
    expect(tested.fake.books.sum(payment!, 'refund')).toBe(request.amount)
  })

  test('of what never arrived: there is nothing to reverse', async () => {
    const { tested, request, reversal } = await lost('lost_then_not_found', true)
    expect(await settled(tested, 'reverse', reversal)).toMatchObject({
      decline_code: 'unknown_authorisation',
      authorisation_known: false,
    })
    expect(tested.told('authorise', request.reference)).toBeNull()
  })
})

const gone_wrong = { code: 'processing_error', category: 'provider_error' }
const failed = { result: 'failed', decline: gone_wrong }
const rows: [Fault, object | 'unanswered', number][] = [
  ['lose_answer_before', 'unanswered', 0],
  ['lose_answer_after', 'unanswered', 1],
  ['error_before', 'unanswered', 0],
  ['error_after', 'unanswered', 1],
  ['never_left', failed, 0],
  ['running', 'unanswered', 1],
  ['too_many', 'unanswered', 0],
  ['unauthorised', failed, 0],
  ['forbidden', failed, 0],
  ['unprocessable', failed, 0],
  ['proxy_says_422', 'unanswered', 1],
  ['html', 'unanswered', 1],
  ['empty', 'unanswered', 1],
  ['truncated', 'unanswered', 1],
  ['wrong_amount', { result: 'approved', amount: 1 }, 1],
  ['wrong_currency', { result: 'approved', currency: 'EUR' }, 1],
  ['strange_currency', { result: 'under_way' }, 1],
  ['strange_result', { result: 'under_way' }, 1],
  ['wrong_reference', 'unanswered', 1],
  ['wants_three_ds', { result: 'declined', decline: { code: 'authentication_required' } }, 0],
]

describe('a fault', () => {
  test.each(rows)('%s', async (fault, expected, payments) => {
    const tested = await openAdyenUnderTest()
    const { acquirer, fake } = tested
    const request = authoriseRequest(numberFor('approve'))
    fake.next(fault)
    const answer = await acquirer.authorise(request).catch((error: Error) => error)
    if (expected === 'unanswered') expect(answer).toBeInstanceOf(Unanswered)
    else expect(answer).toMatchObject(expected)
    expect(fake.books.payments).toHaveLength(payments)
    // Whatever was said, a notice says what is there, and the amount that was asked for.
    const told = payments ? { answer: { result: 'approved', amount: 4200, currency: 'GBP' } } : null
    if (told) expect(tested.told('authorise', request.reference)).toMatchObject(told)
    else expect(tested.heard()).toEqual([])
    // No line that people read holds the card, a key or what was sent.
    const words = answer instanceof Error ? answer.message : JSON.stringify(answer)
    const { api_key, hmac_key } = fake
    for (const secret of [request.card.number, api_key, hmac_key]) {
      expect(words).not.toContain(secret)
    }
    if (fault === 'wants_three_ds') return
    // Sent again within the week, it moves nothing more.
    await acquirer.authorise(request).catch(() => null)
    expect(fake.books.payments.length).toBeLessThanOrEqual(1)
  })
})

describe('credentials', () => {
  test.each([
    ['a wrong key', { api_key: 'wrong' }, 401],
    ['another account', { merchant_account: 'TeaPOS' }, 403],
  ])('%s charges nothing', async (_, change, status) => {
    const { openWith, fake } = await openAdyenUnderTest()
    const acquirer = openWith(change)
    const answer = await acquirer.authorise(authoriseRequest(numberFor('approve')))
    const reason = expect.stringMatching(`^${connection_name}: .*${status}`)
    expect(answer).toMatchObject({ ...failed, decline: { ...gone_wrong, reason } })
    expect(fake.books.payments).toEqual([])
  })

  test('without any, nothing is sent', async () => {
    const { openWith, sent } = await openAdyenUnderTest()
    const charge = openWith(null).authorise(authoriseRequest(numberFor('approve')))
    await expect(charge).rejects.toBeInstanceOf(NotSent)
    expect(sent).toEqual([])
  })

  test.each<[string, object, object]>([
    ['good', {}, { result: 'works', notes: [] }],
    ['a wrong key', { api_key: 'wrong' }, { reason: expect.stringContaining('401') }],
    ['another account', { merchant_account: 'TeaPOS' }, { reason: expect.stringContaining('merchant_account (901)') }],
  ])('are checked: %s', async (_, change, expected) => {
    const { credentials, wire, fake } = await openAdyenUnderTest()
    const asked = { credentials: { ...credentials, ...change }, mode: 'sandbox' as const, wire }
    expect(await adyen.check(asked)).toMatchObject(expected)
    expect(fake.moves()).toBe(0)
  })
})

test('whichever reference a notice of a modification bears, it leads to the charge', async () => {
  const { tested, request, answer, ask } = await charged()
  const capture = ask()
  const accepted = await tested.acquirer.capture(capture)
  await tested.clock.advance(settles_after_ms)
  const names = {
    authorisation_transaction_id: answer.acquirer_transaction_id,
    acquirer_transaction_id: accepted.result === 'accepted' && accepted.acquirer_transaction_id,
  }
  expect(tested.heard('own').at(-1)).toMatchObject({ ...names, reference: capture.reference })
  expect(tested.heard('payment').at(-1)).toMatchObject({ ...names, reference: request.reference })
})

test('late, twice and out of order: the same notices', async () => {
  const { tested, settle } = await charged()
  await settle('capture')
  await settle('refund', 1000)
  const first = tested.heard()
  await tested.clock.advance(5 * 24 * 3_600_000)
  expect(tested.heard()).toEqual(first)
  expect(new Set(first.map(({ notice_id }) => notice_id)).size).toBe(first.length)
  expect(first.map(({ about }) => about)).toEqual(['authorise', 'capture', 'refund'])
})

test("each body is one of the vendor's, and nothing of it is unknown to its library", async () => {
  const three_ds = {
    version: '2.2.0',
    eci: '05',
    authentication_value: 'AAABBEg0VhI0VniQEjRWAAAAAAA=',
    ds_transaction_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
    status: 'Y',
    ares_status: 'C',
  }
  const { tested, settle } = await charged({ three_ds })
  await settle('capture')
  await settle('refund', 100)
  await settle('reverse')
  await settle('void')
  await tested.acquirer.reverse(settleRequest(authoriseRequest(numberFor('approve'))))
  const kinds = [
    ...['PaymentRequest', 'PaymentCaptureRequest', 'PaymentRefundRequest'],
    ...['PaymentReversalRequest', 'PaymentCancelRequest', 'StandalonePaymentCancelRequest'],
  ]
  expect(tested.sent).toHaveLength(kinds.length)
  for (const [index, kind] of kinds.entries()) {
    const body = JSON.parse(tested.sent[index]!.body!)
    expect(plain(ObjectSerializer.serialize(body, kind))).toEqual(body)
  }
  const [charge] = tested.sent
  const wrong = { ...JSON.parse(charge!.body!), unknown_member: 'x' }
  expect(plain(ObjectSerializer.serialize(wrong, kinds[0]!))).not.toEqual(wrong)
})

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
