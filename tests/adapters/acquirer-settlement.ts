// The acquirer suite's part on captures, voids and reversals.

import { expect, test } from 'vitest'
import type { SettleRequest } from '../../src/acquirers/acquirer.ts'
import type { AcquirerBehaviour } from '../../src/cards/test-cards.ts'
import {
  authoriseRequest,
  lookUpOf,
  mintReference,
  nameOf,
  type OpenAcquirer,
  settleRequest,
} from './acquirer-requests.ts'

type Operation = 'capture' | 'void' | 'reverse'

export function settlementTests(open: OpenAcquirer): void {
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
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    const answer = await acquirer[first](request)
    expect(answer).toMatchObject({ result: 'approved' })

    const next = settleRequest(authorised)
    const answer_next = await acquirer[second](next)
    expect(answer_next).toMatchObject(
      decline_code
        ? { result: 'refused', decline_code, authorisation_known: true }
        : { result: 'approved' },
    )
    // Each reference goes on being answered as it was, whatever happened since.
    expect(await reopen()[first](request)).toEqual(answer)
    expect(await reopen()[second](next)).toEqual(answer_next)
    const found = { result: 'found', kind: second, answer: answer_next }
    expect(await acquirer.lookUp(lookUpOf(next.reference, second))).toEqual(found)
    const done = decline_code ? first : second
    const state = { capture: 'captured', void: 'voided', reverse: 'reversed' }[done]
    expect(await acquirer.lookUp(lookUpOf(authorised.reference))).toMatchObject({
      standing: { state },
    })
  })

  test.each<[string, Partial<SettleRequest>, string]>([
    ['another amount', { amount: 4199 }, 'amount_mismatch'],
    ['another currency', { currency: 'EUR' }, 'amount_mismatch'],
    ['no such authorisation', { authorisation: nameOf('f'.repeat(32)) }, 'unknown_authorisation'],
  ])('refuses %s, and goes on saying why', async (_, change, decline_code) => {
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    for (const kind of ['capture', 'void', 'reverse'] as const) {
      const request = settleRequest(authorised, change)
      const answer = await acquirer[kind](request)
      const authorisation_known = decline_code !== 'unknown_authorisation'
      const refused = { result: 'refused', decline_code, authorisation_known }
      expect(answer).toEqual({ ...refused, reason: expect.any(String) })
      expect(await reopen()[kind](request)).toEqual(answer)
      const found = { result: 'found', kind, answer }
      expect(await acquirer.lookUp(lookUpOf(request.reference, kind))).toEqual(found)
    }
    expect(await acquirer.capture(settleRequest(authorised))).toMatchObject({ result: 'approved' })
  })

  test('what is captured at once is not captured again, but can be reversed', async () => {
    const { acquirer, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'), { capture: true })
    await acquirer.authorise(authorised)
    const refused = { result: 'refused', decline_code: 'already_captured' }
    expect(await acquirer.capture(settleRequest(authorised))).toMatchObject(refused)
    expect(await acquirer.void(settleRequest(authorised))).toMatchObject(refused)
    expect(await acquirer.reverse(settleRequest(authorised))).toMatchObject({ result: 'approved' })
  })
}

export function fenceTests(open: OpenAcquirer): void {
  test('an authorisation that its reversal overtook is failed, and moves nothing', async () => {
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'), { capture: true })
    const reversal = settleRequest(authorised)
    const reversed = await acquirer.reverse(reversal)
    expect(reversed).toMatchObject({ result: 'refused', authorisation_known: false })
    const answer = await reopen().authorise(authorised)
    if (acquirer.late_approval_ms > 0) return
    expect(answer).toMatchObject({ result: 'failed' })
    expect(await acquirer.authorise(authorised)).toEqual(answer)
    const within = { since: new Date(0), until: new Date('2100-01-01') }
    expect(await acquirer.listAuthorisations(within)).toEqual([])
    expect(await reopen().reverse(reversal)).toEqual(reversed)
    const unknown = { decline_code: 'unknown_authorisation', authorisation_known: false }
    for (const kind of ['capture', 'void', 'reverse'] as const) {
      expect(await acquirer[kind](settleRequest(authorised))).toMatchObject(unknown)
    }
  })

  test('a capture or void that finds nothing fences nothing', async () => {
    const { acquirer, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.capture(settleRequest(authorised))
    await acquirer.void(settleRequest(authorised))
    expect(await acquirer.authorise(authorised)).toMatchObject({ result: 'approved' })
  })

  test('an authorisation and its reversal at once: nothing is left', async () => {
    const { acquirer, reopen, numberFor } = await open()
    if (acquirer.late_approval_ms > 0) return
    for (let round = 0; round < 20; round++) {
      const authorised = authoriseRequest(numberFor('approve'), { capture: true })
      const [answer, reversed] = await Promise.all([
        acquirer.authorise(authorised),
        reopen().reverse(settleRequest(authorised)),
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
    const { acquirer, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    await acquirer.capture(request)
    expect(await acquirer[kind](change(request))).toMatchObject({
      result: 'refused',
      decline_code: 'reference_reused',
      authorisation_known: true,
    })
  })

  test("an authorisation's reference cannot be an operation's, nor the reverse", async () => {
    const { acquirer, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const own = settleRequest(authorised, { reference: authorised.reference })
    const reused = { result: 'refused', decline_code: 'reference_reused' }
    expect(await acquirer.capture(own)).toMatchObject(reused)
    const request = settleRequest(authorised)
    await acquirer.capture(request)
    expect(await acquirer.authorise({ ...authorised, reference: request.reference })).toMatchObject(
      { result: 'failed' },
    )
    const nested = { ...request, authorisation: nameOf(request.reference) }
    expect(await acquirer.void({ ...nested, reference: mintReference() })).toMatchObject({
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
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const answers = await Promise.all([
      acquirer[one](settleRequest(authorised)),
      reopen()[other](settleRequest(authorised)),
      acquirer[one](settleRequest(authorised)),
    ])
    expect(answers.filter(({ result }) => result === 'approved')).toHaveLength(1)
  })

  test('one reference at once: the same answer', async () => {
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor('refuse_capture_once'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    const [one, other] = await Promise.all([acquirer.capture(request), reopen().capture(request)])
    expect(one).toMatchObject({ result: 'refused', decline_code: 'do_not_honor' })
    expect(other).toEqual(one)
  })

  test.each<[AcquirerBehaviour, Operation, Operation]>([
    ['refuse_capture_once', 'capture', 'void'],
    ['refuse_void_once', 'void', 'capture'],
  ])('%s', async (behaviour, refused, other) => {
    const { acquirer, reopen, numberFor } = await open()
    const authorised = authoriseRequest(numberFor(behaviour))
    expect(await acquirer.authorise(authorised)).toMatchObject({ result: 'approved' })
    const first = settleRequest(authorised)
    const answer = await acquirer[refused](first)
    expect(answer).toMatchObject({ result: 'refused', reason: expect.stringMatching(/./) })
    expect(await acquirer[refused](first)).toEqual(answer)
    const second = await reopen()[refused](settleRequest(authorised))
    expect(second).toMatchObject({ result: 'approved' })

    const another = authoriseRequest(numberFor(behaviour))
    await acquirer.authorise(another)
    expect(await acquirer[other](settleRequest(another))).toMatchObject({ result: 'approved' })
  })
}
