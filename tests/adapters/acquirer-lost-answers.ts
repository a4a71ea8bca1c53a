// The acquirer suite's part on answers that come late or never.

import { expect, test } from 'vitest'
import { Unanswered } from '../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import {
  type AcquirerTraits,
  authoriseRequest,
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
    const { acquirer, clock, reopen, request, under_way } = await loseAnswer(open, behaviour)
    expect(under_way).toEqual({ result: 'in_progress' })
    const early = await acquirer.capture(settleRequest(request))
    const refused = { result: 'refused', decline_code: 'in_progress', authorisation_known: true }
    if (early.result !== 'accepted') expect(early).toMatchObject(refused)
    await clock.advance(27_999)
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toEqual({ result: 'in_progress' })
    expect(await acquirer.listAuthorisations(always)).toEqual([])
    await clock.advance(1 + traits.captures_after_ms)
    const found = await reopen().lookUp(lookUpOf(request.reference))
    expect(found).toMatchObject({ result: 'found', kind: 'authorise', answer })
    const listed = await acquirer.listAuthorisations(always)
    const { reference, installation, amount, currency } = request
    const names = { reference, installation, acquirer_transaction_id: expect.any(String) }
    const authorised_at = expect.any(Date)
    const live = { ...names, amount, currency, captured: true, authorised_at }
    expect(listed).toEqual(behaviour === 'lost_then_captured' ? [live] : [])
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
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toMatchObject({
      answer: { result: 'approved', captured: false },
    })
    expect(await settled(tested, 'capture', settleRequest(request))).toMatchObject({
      result: 'approved',
    })
  })

  test('lost_then_not_found is never found, and there is nothing to reverse', async () => {
    const { tested, acquirer, clock, request, under_way } = await loseAnswer(
      open,
      'lost_then_not_found',
    )
    expect(under_way).toEqual({ result: 'not_found' })
    await clock.advance(3_600_000)
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toEqual({ result: 'not_found' })
    expect(await settled(tested, 'reverse', settleRequest(request))).toMatchObject({
      decline_code: 'unknown_authorisation',
      authorisation_known: false,
    })
  })

  test('lost_for_ever stays under way', async () => {
    const { acquirer, clock, request, under_way } = await loseAnswer(open, 'lost_for_ever')
    expect(under_way).toEqual({ result: 'in_progress' })
    await clock.advance(72 * 3_600_000)
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toEqual({ result: 'in_progress' })
    expect(await acquirer.listAuthorisations(always)).toEqual([])
  })

  if (traits.settles_what_is_under_way) {
    test.each(['capture', 'void', 'reverse'] as const)(
      'lost_for_ever, and a %s of it is approved once',
      async (kind) => {
        const { tested, acquirer, request } = await loseAnswer(open, 'lost_for_ever')
        const approved = await settled(tested, kind, settleRequest(request))
        expect(approved).toMatchObject({ result: 'approved' })
        const refused = await settled(tested, kind, settleRequest(request))
        expect(refused).toMatchObject({ result: 'refused' })
        expect(await acquirer.listAuthorisations(always)).toEqual([])
      },
    )
  }

  test('a reference that nobody sent is not found', async () => {
    const { acquirer } = await open()
    expect(await acquirer.lookUp(lookUpOf(mintReference()))).toEqual({ result: 'not_found' })
  })
}

export function slowAnswerTests(open: OpenAcquirer): void {
  test('approves slowly: eight seconds', async () => {
    const { acquirer, clock, traits, numberFor } = await open()
    const request = authoriseRequest(numberFor('approve_slowly'), { capture: true })
    let answered = false
    const answer = acquirer.authorise(request).finally(() => {
      answered = true
    })
    await clock.sleepers(8_000)
    await clock.advance(7_999)
    expect(answered).toBe(false)
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toEqual({ result: 'in_progress' })
    await clock.advance(1)
    expect(await answer).toMatchObject({ result: 'approved', captured: true })
    await clock.advance(traits.captures_after_ms)
    expect(await acquirer.lookUp(lookUpOf(request.reference))).toMatchObject({ result: 'found' })
  })
}

export function lifeTests(open: OpenAcquirer): void {
  test.each<AcquirerBehaviour>(['lost_then_captured', 'lost_then_declined', 'approve_slowly'])(
    '%s is there once it cannot be on its way any more, and found in the end',
    async (behaviour) => {
      const { acquirer, clock, numberFor } = await open()
      const request = authoriseRequest(numberFor(behaviour), { capture: true })
      const over = acquirer.authorise(request).catch(() => null)
      await clock.sleepers(2_000)
      await clock.advance(acquirer.safe_window_ms)
      expect(await acquirer.lookUp(lookUpOf(request.reference))).not.toEqual({
        result: 'not_found',
      })
      await clock.advance(60_000)
      expect(await acquirer.lookUp(lookUpOf(request.reference))).toMatchObject({ result: 'found' })
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

async function loseAnswer(open: OpenAcquirer, behaviour: AcquirerBehaviour) {
  const tested = await open()
  const { acquirer, clock, reopen, numberFor } = tested
  const request = authoriseRequest(numberFor(behaviour), { capture: true })
  const lost = expect(acquirer.authorise(request)).rejects.toBeInstanceOf(Unanswered)
  await clock.sleepers(2_000)
  const under_way = await acquirer.lookUp(lookUpOf(request.reference))
  await clock.advance(2_000)
  await lost
  return { tested, acquirer, clock, reopen, request, under_way }
}
