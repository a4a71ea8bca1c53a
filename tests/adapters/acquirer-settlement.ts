// The acquirer suite's part on captures, voids and reversals.

import { expect, test } from 'vitest'
import type { SettleRequest } from '../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import {
  type AcquirerTraits,
  authoriseRequest,
  expectLearned,
  lookUpOf,
  mintReference,
  nameOf,
  type OpenAcquirer,
  refusedAs,
  settled,
  settleRequest,
} from './acquirer-requests.ts'

type Operation = 'capture' | 'void' | 'reverse'

export function settlementTests(open: OpenAcquirer, traits: AcquirerTraits): void {
  test.each<[Operation, Operation, string | null]>([
    ['capture', 'capture', 'already_captured'],
    ['capture', 'void', 'already_captured'],
    ['capture', 'reverse', null],
    ['void', 'capture', 'already_voided'],
    ['void', 'void', 'already_voided'],
    ['void', 'reverse', 'already_voided'],
    ['reverse', 'capture', 'already_reversed'],
    ['reverse', 'void', 'already_reversed'],
    ['reverse', 'reverse', 'already_reversed'],
  ])('%s, then %s: %s', async (first, second, decline_code) => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    const { authorisation } = request
    const answer = await settled(tested, first, request)
    expect(answer).toMatchObject({ result: 'approved' })

    const next = settleRequest(authorised)
    const answer_next = await settled(tested, second, next)
    expect(answer_next).toMatchObject(decline_code ? refusedAs(traits, decline_code) : { result: 'approved' })
    // Each reference goes on being answered as it was, whatever happened since.
    expect(await settled(tested, first, request, reopen())).toEqual(answer)
    expect(await settled(tested, second, next, reopen())).toEqual(answer_next)
    const asked = { ...lookUpOf(next.reference, second), authorisation }
    const found = { result: 'found', kind: second, answer: answer_next } as const
    const is_kept = decline_code === null || traits.keeps_refusals
    const is_alike = first === second && first !== 'capture'
    if (traits.tells_alike_apart || !is_alike) {
      await expectLearned(tested, asked, is_kept ? found : { result: 'not_found' })
    }
    const done = decline_code ? first : second
    const state = { capture: 'captured', void: 'voided', reverse: 'reversed' }[done]
    const approved = { result: 'approved' }
    const stands = { result: 'found', answer: approved, standing: { state } } as const
    await expectLearned(tested, lookUpOf(authorised.reference), stands)
  })

  const other_money: [string, Partial<SettleRequest>, string][] = [
    ['another amount', { amount: 4201 }, 'amount_mismatch'],
    ['another currency', { currency: 'EUR' }, 'amount_mismatch'],
  ]
  test.each<[string, Partial<SettleRequest>, string]>([
    ...(traits.judges_money ? other_money : []),
    ['no such authorisation', { authorisation: nameOf('f'.repeat(32)) }, 'unknown_authorisation'],
  ])('refuses %s, and goes on saying why', async (_, change, decline_code) => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    for (const kind of ['capture', 'void', 'reverse'] as const) {
      const request = settleRequest(authorised, change)
      const answer = await settled(tested, kind, request)
      const is_unnamed = kind !== 'reverse' && !traits.captures_by_reference
      const refused = is_unnamed
        ? refusedAs({ names_refusals: true }, 'in_progress')
        : refusedAs(traits, decline_code, decline_code !== 'unknown_authorisation')
      expect(answer).toMatchObject({ ...refused, reason: expect.any(String) })
      expect(await settled(tested, kind, request, reopen())).toEqual(answer)
      const found = { result: 'found', kind, answer } as const
      const is_kept = traits.keeps_refusals && !is_unnamed
      const asked = lookUpOf(request.reference, kind)
      await expectLearned(tested, asked, is_kept ? found : { result: 'not_found' })
    }
    const captured = await settled(tested, 'capture', settleRequest(authorised))
    expect(captured).toMatchObject({ result: 'approved' })
  })

  test('what is captured at once is not captured again, but can be reversed', async () => {
    const tested = await open()
    const { acquirer, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'), { capture: true })
    await acquirer.authorise(authorised)
    await tested.clock.advance(traits.captures_after_ms)
    const refused = refusedAs(traits, 'already_captured')
    const ask = (kind: Operation) => settled(tested, kind, settleRequest(authorised))
    expect(await ask('capture')).toMatchObject(refused)
    expect(await ask('void')).toMatchObject(refused)
    expect(await ask('reverse')).toMatchObject({ result: 'approved' })
  })
}

export function fenceTests(open: OpenAcquirer): void {
  test('an authorisation that its reversal overtook is failed, and moves nothing', async () => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'), { capture: true })
    await acquirer.prepare?.(authorised)
    const reversal = settleRequest(authorised)
    const reversed = await settled(tested, 'reverse', reversal)
    expect(reversed).toMatchObject({ result: 'refused', authorisation_known: false })
    const answer = await reopen().authorise(authorised)
    if (acquirer.late_approval_ms > 0) return
    expect(answer).toMatchObject({ result: 'failed' })
    expect(await acquirer.authorise(authorised)).toEqual(answer)
    const within = { since: new Date(0), until: new Date('2100-01-01') }
    expect(await acquirer.listAuthorisations(within)).toEqual([])
    expect(await settled(tested, 'reverse', reversal, reopen())).toEqual(reversed)
    const unknown = { decline_code: 'unknown_authorisation', authorisation_known: false }
    for (const kind of ['capture', 'void', 'reverse'] as const) {
      const answer = await settled(tested, kind, settleRequest(authorised))
      expect(answer).toMatchObject(unknown)
    }
  })

  test('a capture or void that finds nothing fences nothing', async () => {
    const tested = await open()
    const { acquirer, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.capture(settleRequest(authorised))
    await acquirer.void(settleRequest(authorised))
    expect(await acquirer.authorise(authorised)).toMatchObject({ result: 'approved' })
  })

  test('an authorisation and its reversal at once: nothing is left', async () => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    if (acquirer.late_approval_ms > 0) return
    for (let round = 0; round < 20; round++) {
      const authorised = authoriseRequest(numberFor('approve'), { capture: true })
      await acquirer.prepare?.(authorised)
      const [answer, reversed] = await Promise.all([
        acquirer.authorise(authorised),
        settled(tested, 'reverse', settleRequest(authorised), reopen()),
      ])
      expect(reversed.result).toBe(answer.result === 'approved' ? 'approved' : 'refused')
    }
  })
}

export function referenceTests(open: OpenAcquirer): void {
  test.each<[string, (request: SettleRequest) => SettleRequest, Operation]>([
    ['another operation', (request) => request, 'void'],
    ['another amount', (request) => ({ ...request, amount: 1 }), 'capture'],
  ])('a reference that is used for %s is refused', async (_, change, kind) => {
    const tested = await open()
    const { acquirer, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    await settled(tested, 'capture', request)
    expect(await settled(tested, kind, change(request))).toMatchObject({
      result: 'refused',
      decline_code: 'reference_reused',
      authorisation_known: true,
    })
  })

  test("an authorisation's reference cannot be an operation's, nor the reverse", async () => {
    const tested = await open()
    const { acquirer, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const own = settleRequest(authorised, { reference: authorised.reference })
    const reused = { result: 'refused', decline_code: 'reference_reused' }
    expect(await settled(tested, 'capture', own)).toMatchObject(reused)
    const request = settleRequest(authorised)
    await settled(tested, 'capture', request)
    expect(await acquirer.authorise({ ...authorised, reference: request.reference })).toMatchObject({
      result: 'failed',
    })
    const nested = { ...request, authorisation: nameOf(request.reference) }
    const voided = await settled(tested, 'void', { ...nested, reference: mintReference() })
    expect(voided).toMatchObject({
      decline_code: 'unknown_authorisation',
    })
  })
}

export function raceTests(open: OpenAcquirer): void {
  test.each<[Operation, Operation]>([
    ['capture', 'capture'],
    ['capture', 'void'],
    ['void', 'void'],
  ])('%s and %s at once: exactly one is approved', async (one, other) => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const answers = await Promise.all([
      settled(tested, one, settleRequest(authorised)),
      settled(tested, other, settleRequest(authorised), reopen()),
      settled(tested, one, settleRequest(authorised)),
    ])
    expect(answers.filter(({ result }) => result === 'approved')).toHaveLength(1)
  })

  test('one reference at once: the same answer', async () => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor('refuse_capture_once'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    const [one, other] = await Promise.all([
      settled(tested, 'capture', request),
      settled(tested, 'capture', request, reopen()),
    ])
    expect(one).toMatchObject(refusedAs(tested.traits, 'do_not_honor'))
    expect(other).toEqual(one)
  })

  test.each<[AcquirerBehaviour, Operation, Operation]>([
    ['refuse_capture_once', 'capture', 'void'],
    ['refuse_void_once', 'void', 'capture'],
  ])('%s', async (behaviour, refused, other) => {
    const tested = await open()
    const { acquirer, reopen, numberFor } = tested
    const authorised = authoriseRequest(numberFor(behaviour))
    expect(await acquirer.authorise(authorised)).toMatchObject({ result: 'approved' })
    const first = settleRequest(authorised)
    const answer = await settled(tested, refused, first)
    expect(answer).toMatchObject({ result: 'refused', reason: expect.stringMatching(/./) })
    expect(await settled(tested, refused, first)).toEqual(answer)
    const second = await settled(tested, refused, settleRequest(authorised), reopen())
    expect(second).toMatchObject({ result: 'approved' })

    const another = authoriseRequest(numberFor(behaviour))
    await acquirer.authorise(another)
    const approved = await settled(tested, other, settleRequest(another))
    expect(approved).toMatchObject({ result: 'approved' })
  })
}
