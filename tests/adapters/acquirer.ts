// What every acquirer promises, run against each implementation of the port.

import { describe, expect, test } from 'vitest'
import type { AuthoriseRequest } from '../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import { lifeTests, lostAnswerTests, slowAnswerTests } from './acquirer-lost-answers.ts'
import { lapseTests, partTests } from './acquirer-parts.ts'
import { acceptedTests, refundTests } from './acquirer-refunds.ts'
import {
  type AcquirerTraits,
  authoriseRequest,
  expectLearned,
  lookUpOf,
  type OpenAcquirer,
  refusedAs,
  settled,
  settleRequest,
} from './acquirer-requests.ts'
import { fenceTests, raceTests, referenceTests, settlementTests } from './acquirer-settlement.ts'

export function acquirerSuite(name: string, open: OpenAcquirer, traits: AcquirerTraits): void {
  describe(name, () => {
    describe('authorise', () => answerTests(open))
    describe('the reference of an authorisation', () => authorisationReferenceTests(open, traits))
    describe('a slow answer', () => slowAnswerTests(open))
    describe('a lost answer', () => lostAnswerTests(open, traits))
    describe('how long a request is on its way, and its reference known', () => lifeTests(open))
    if (traits.lists_to_ms !== null) {
      describe('authorisations within times', () => listTests(open))
    }
    describe('capture, void, reverse', () => settlementTests(open, traits))
    describe('refunds', () => refundTests(open))
    if (traits.captures_parts) describe('a part', () => partTests(open, traits))
    if (traits.lapses_after_ms !== null) describe('a lapse', () => lapseTests(open, traits))
    if (traits.settles_after_ms > 0) describe('accepted', () => acceptedTests(open))
    describe('a reversal before its authorisation', () => fenceTests(open))
    if (traits.judges_repeats) {
      describe('the reference of an operation', () => referenceTests(open))
    }
    describe('operations at once, and refused once', () => raceTests(open))
  })
}

function answerTests(open: OpenAcquirer): void {
  test.each([true, false])('approves, capture %s', async (capture) => {
    const tested = await open()
    const { acquirer, clock, traits, numberFor } = tested
    const request = authoriseRequest(numberFor('approve'), { capture })
    const answer = await acquirer.authorise(request)
    const { amount, currency } = request
    const acquirer_transaction_id = expect.stringMatching(/./)
    const { says_lapse_after_ms: life_ms, says } = traits
    const lapse = !capture && life_ms !== null && { expires_at: new Date(clock.now().getTime() + life_ms) }
    const approved = { result: 'approved', captured: capture, amount, currency, ...lapse, ...says }
    if (traits.captures_after_ms > 0 && capture) {
      expect(answer).toEqual({ result: 'under_way', acquirer_transaction_id })
      await expectLearned(tested, lookUpOf(request.reference), { result: 'in_progress' })
      await clock.advance(traits.captures_after_ms)
    } else expect(answer).toEqual({ ...approved, acquirer_transaction_id })
    const standing = { state: capture ? 'captured' : 'reserved', amount, currency }
    const named = { ...approved, acquirer_transaction_id: answer.acquirer_transaction_id }
    const found = { result: 'found', kind: 'authorise', answer: named, standing } as const
    await expectLearned(tested, lookUpOf(request.reference), found)
  })

  test.each([
    ['do_not_honor', 'do_not_honor', 'soft', 'Do not honour'],
    ['insufficient_funds', 'insufficient_funds', 'soft', 'Insufficient funds'],
    ['incorrect_cvc', 'incorrect_cvc', 'soft', 'Security code'],
    ['card_declined', 'card_declined', 'soft', 'declined'],
    ['card_velocity_exceeded', 'card_velocity_exceeded', 'soft', 'too often'],
    ['authentication_required', 'authentication_required', 'soft', 'authentication'],
    ['expired_card', 'expired_card', 'hard', 'Expired'],
    ['lost_card', 'lost_card', 'hard', 'Lost'],
    ['stolen_card', 'stolen_card', 'hard', 'Stolen'],
    ['suspected_fraud', 'suspected_fraud', 'fraud', 'fraud'],
    ['fraudulent', 'fraudulent', 'fraud', 'fraud'],
    ['issuer_unavailable', 'issuer_unavailable', 'network', 'unavailable'],
    ['processing_error', 'processing_error', 'provider_error', 'Processing error'],
  ] as const)('%s', async (behaviour, code, category, reason) => {
    const tested = await open()
    const { acquirer, numberFor } = tested
    const request = authoriseRequest(numberFor(behaviour), { capture: true })
    const answer = await acquirer.authorise(request)
    expect(answer).toMatchObject({
      result: category === 'provider_error' ? 'failed' : 'declined',
      decline: { code, category, reason: expect.stringMatching(new RegExp(reason, 'i')) },
    })
    const found = { result: 'found', kind: 'authorise', answer, standing: null } as const
    await expectLearned(tested, lookUpOf(request.reference), found)
    expect(await settled(tested, 'capture', settleRequest(request))).toMatchObject(
      refusedAs(tested.traits, 'not_approved'),
    )
  })
}

function authorisationReferenceTests(open: OpenAcquirer, traits: AcquirerTraits): void {
  test('a reference is answered once: again, at once, and by another process', async () => {
    const { acquirer, reopen, numberFor } = await open()
    const request = authoriseRequest(numberFor('approve'))
    const answers = await Promise.all([acquirer.authorise(request), acquirer.authorise(request)])
    answers.push(await acquirer.authorise(request), await reopen().authorise(request))
    expect(new Set(answers.map((answer) => answer.acquirer_transaction_id)).size).toBe(1)
  })
  if (!traits.judges_repeats) return

  test.each<[string, Partial<AuthoriseRequest>]>([
    ['amount', { amount: 4201 }],
    ['currency', { currency: 'EUR' }],
    ['capture', { capture: true }],
  ])('a reference with another %s fails and moves nothing', async (_, change) => {
    const { acquirer, numberFor } = await open()
    const request = authoriseRequest(numberFor('approve'))
    const first = await acquirer.authorise(request)
    expect(await acquirer.authorise({ ...request, ...change })).toMatchObject({
      result: 'failed',
      decline: { code: 'processing_error', category: 'provider_error' },
    })
    expect(await acquirer.authorise(request)).toEqual(first)
  })

  test('a reference with another card fails', async () => {
    const { acquirer, numberFor } = await open()
    const request = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(request)
    const { card } = authoriseRequest(numberFor('insufficient_funds'))
    expect(await acquirer.authorise({ ...request, card })).toMatchObject({ result: 'failed' })
  })
}

function listTests(open: OpenAcquirer): void {
  test('lists what was authorised within them and is live, oldest first', async () => {
    const tested = await open()
    const { acquirer, clock, reopen, traits, numberFor } = tested
    const shown = (refunded_amount: number) => traits.shows_refunds && { refunded_amount }
    const authorise = async (behaviour: AcquirerBehaviour, capture = false) => {
      const request = authoriseRequest(numberFor(behaviour), { capture })
      await acquirer.authorise(request)
      const { reference, installation, amount, currency } = request
      const authorised_at = clock.now()
      const names = { reference, installation, acquirer_transaction_id: expect.any(String) }
      const refunded = capture && shown(0)
      const live = { ...names, amount, currency, captured: capture, ...refunded, authorised_at }
      await clock.advance(traits.lists_to_ms!)
      return { request, live }
    }
    await authorise('approve')
    const since = clock.now()
    const held = await authorise('approve')
    const captured = await authorise('approve', true)
    const captured_later = await authorise('approve')
    const voided = await authorise('approve')
    const reversed = await authorise('approve')
    const taken_back = await authorise('approve', true)
    await authorise('do_not_honor')
    await authorise('processing_error')
    const refunded = await authorise('approve', true)
    const last = await authorise('approve')
    await authorise('approve')
    await settled(tested, 'capture', settleRequest(captured_later.request))
    await settled(tested, 'void', settleRequest(voided.request))
    await settled(tested, 'reverse', settleRequest(reversed.request))
    await settled(tested, 'reverse', settleRequest(taken_back.request))
    await settled(tested, 'refund', settleRequest(refunded.request, { amount: 1000 }))
    const within = { since, until: last.live.authorised_at }
    const taken = { ...captured_later.live, captured: true, ...shown(0) }
    const given_back = { ...refunded.live, ...shown(1000) }
    const expected = [held.live, captured.live, taken, given_back, last.live]
    expect(await acquirer.listAuthorisations(within)).toEqual(expected)
    expect(await reopen().listAuthorisations(within)).toEqual(expected)
  })
}
