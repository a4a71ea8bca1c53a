// The acquirer suite's part on answers that come late or never.

import { expect, test } from 'vitest'
import { Unanswered } from '../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import {
  type AcquirerTraits,
  authoriseRequest,
  expectLearned,
  learn,
  lookUpOf,
  mintReference,
  type OpenAcquirer,
  settled,
  settleRequest,
} from './acquirer-requests.ts'

/** Everything that was and will be asked in a test. */
const always = { since: new Date(0), until: new Date('2100-01-01') }

export function lostAnswerTests(open: OpenAcquirer, traits: AcquirerTraits): void {
  test.each<[AcquirerBehaviour, object]>([
    ['lost_then_captured', { result: 'approved', captured: true }],
    ['lost_then_declined', { result: 'declined', decline: { category: 'soft' } }],
  ])('%s is found 30 s after the request', async (behaviour, answer) => {
    const lost = await loseAnswer(open, behaviour, { result: 'in_progress' })
    const { tested, acquirer, clock, reopen, request } = lost
    const early = await acquirer.capture(settleRequest(request))
    const refused = { result: 'refused', decline_code: 'in_progress', authorisation_known: true }
    if (early.result !== 'accepted') expect(early).toMatchObject(refused)
    await clock.advance(27_999)
    await expectLearned(tested, lookUpOf(request.reference), { result: 'in_progress' })
    expect(await acquirer.listAuthorisations(always)).toEqual([])
    await clock.advance(1 + traits.captures_after_ms)
    const found = { result: 'found', kind: 'authorise', answer } as const
    await expectLearned(tested, lookUpOf(request.reference), found, reopen())
    const listed = await acquirer.listAuthorisations(always)
    const { reference, installation, amount, currency } = request
    const names = { reference, installation, acquirer_transaction_id: expect.any(String) }
    const authorised_at = expect.any(Date)
    const money = {
      amount,
      currency,
      captured: true,
      ...(traits.shows_refunds && { refunded_amount: 0 }),
    }
    const live = { ...names, ...money, authorised_at }
    expect(listed).toEqual(acquirer.lists && behaviour === 'lost_then_captured' ? [live] : [])
    // Sent again under the same reference, it is not charged again: it is answered.
    expect(await acquirer.authorise(request)).toMatchObject(answer)
  })

  test('is authorised, not captured, where no capture was asked for', async () => {
    const tested = await open()
    const { acquirer, clock, numberFor } = tested
    const request = authoriseRequest(numberFor('lost_then_captured'), { capture: false })
    const lost = expect(acquirer.authorise(request)).rejects.toBeInstanceOf(Unanswered)
    await clock.sleepers(2_000)
    await clock.advance(30_000)
    await lost
    const answer = { result: 'approved', captured: false }
    await expectLearned(tested, lookUpOf(request.reference), { result: 'found', answer })
    expect(await settled(tested, 'capture', settleRequest(request))).toMatchObject({
      result: 'approved',
    })
  })

  test('lost_then_not_found is never found, and there is nothing to reverse', async () => {
    const not_found = { result: 'not_found' } as const
    const { tested, clock, request } = await loseAnswer(open, 'lost_then_not_found', not_found)
    await clock.advance(3_600_000)
    await expectLearned(tested, lookUpOf(request.reference), not_found)
    expect(await settled(tested, 'reverse', settleRequest(request))).toMatchObject({
      decline_code: 'unknown_authorisation',
      authorisation_known: false,
    })
  })

  test('lost_for_ever stays under way', async () => {
    const in_progress = { result: 'in_progress' } as const
    const lost = await loseAnswer(open, 'lost_for_ever', in_progress)
    const { tested, acquirer, clock, request } = lost
    await clock.advance(72 * 3_600_000)
    await expectLearned(tested, lookUpOf(request.reference), in_progress)
    expect(await acquirer.listAuthorisations(always)).toEqual([])
  })

  if (traits.settles_what_is_under_way) {
    test.each(['capture', 'void', 'reverse', 'refund'] as const)(
      'lost_for_ever, and a %s of it is approved once',
      async (kind) => {
        const lost = await loseAnswer(open, 'lost_for_ever', { result: 'in_progress' })
        const { tested, acquirer, request } = lost
        const approved = await settled(tested, kind, settleRequest(request))
        expect(approved).toMatchObject({ result: 'approved' })
        const refused = await settled(tested, kind, settleRequest(request))
        expect(refused).toMatchObject({ result: 'refused' })
        expect(await acquirer.listAuthorisations(always)).toEqual([])
      },
    )
  }

  test('a reference that nobody sent is not found', async () => {
    await expectLearned(await open(), lookUpOf(mintReference()), { result: 'not_found' })
  })
}

export function slowAnswerTests(open: OpenAcquirer): void {
  test('approves slowly: eight seconds', async () => {
    const tested = await open()
    const { acquirer, clock, traits, numberFor } = tested
    const request = authoriseRequest(numberFor('approve_slowly'), { capture: true })
    let answered = false
    const answer = acquirer.authorise(request).finally(() => {
      answered = true
    })
    await clock.sleepers(8_000)
    await clock.advance(7_999)
    expect(answered).toBe(false)
    await expectLearned(tested, lookUpOf(request.reference), { result: 'in_progress' })
    await clock.advance(1)
    const approved = { result: 'approved', captured: true }
    const first = traits.captures_after_ms > 0 ? { result: 'under_way' } : approved
    expect(await answer).toMatchObject(first)
    await clock.advance(traits.captures_after_ms)
    const found = { result: 'found', kind: 'authorise', answer: approved } as const
    await expectLearned(tested, lookUpOf(request.reference), found)
  })
}

export function lifeTests(open: OpenAcquirer): void {
  test.each<AcquirerBehaviour>(['lost_then_captured', 'lost_then_declined', 'approve_slowly'])(
    '%s is there once it cannot be on its way any more, and found in the end',
    async (behaviour) => {
      const tested = await open()
      const { acquirer, clock, numberFor } = tested
      const request = authoriseRequest(numberFor(behaviour), { capture: true })
      const over = acquirer.authorise(request).catch(() => null)
      await clock.sleepers(2_000)
      await clock.advance(acquirer.safe_window_ms)
      const asked = lookUpOf(request.reference)
      expect(await learn(tested, asked)).not.toEqual({ result: 'not_found' })
      await clock.advance(60_000)
      const answer = { result: behaviour === 'lost_then_declined' ? 'declined' : 'approved' }
      await expectLearned(tested, asked, { result: 'found', answer })
      await over
    },
  )

  test('a reference is known for as long as is promised', async () => {
    const tested = await open()
    const { acquirer, clock, reopen, numberFor } = tested
    expect(acquirer.reference_life_ms).toBeGreaterThan(acquirer.safe_window_ms)
    const request = authoriseRequest(numberFor('approve'))
    const answer = await acquirer.authorise(request)
    const capture = settleRequest(request)
    const captured = await settled(tested, 'capture', capture)
    const reversal = settleRequest(request)
    const reversed = await settled(tested, 'reverse', reversal)
    await clock.advance(acquirer.reference_life_ms)
    expect(await reopen().authorise(request)).toEqual(answer)
    expect(await settled(tested, 'capture', capture, reopen())).toEqual(captured)
    expect(await settled(tested, 'reverse', reversal, reopen())).toEqual(reversed)
  })
}

async function loseAnswer(
  open: OpenAcquirer,
  behaviour: AcquirerBehaviour,
  at_first: { result: 'in_progress' | 'not_found' },
) {
  const tested = await open()
  const { acquirer, clock, reopen, numberFor } = tested
  const request = authoriseRequest(numberFor(behaviour), { capture: true })
  const lost = expect(acquirer.authorise(request)).rejects.toBeInstanceOf(Unanswered)
  await clock.sleepers(2_000)
  await expectLearned(tested, lookUpOf(request.reference), at_first)
  await clock.advance(2_000)
  await lost
  return { tested, acquirer, clock, reopen, request }
}
