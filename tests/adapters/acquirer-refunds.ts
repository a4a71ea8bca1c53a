// The acquirer suite's part on refunds, and on what is accepted and carried out later.

import { expect, test } from 'vitest'
import {
  type AcquirerUnderTest,
  authoriseRequest,
  expectLearned,
  lookUpOf,
  type OpenAcquirer,
  refusedAs,
  settled,
  settleRequest,
} from './acquirer-requests.ts'

/** How long a refund takes whose amount ends in 17. */
const slow_ms = 30_000

export function refundTests(open: OpenAcquirer): void {
  test('in parts, up to what was captured and no more', async () => {
    const { refund, tested, authorised } = await captured(open)
    const first = settleRequest(authorised, { amount: 1000 })
    const answer = await settled(tested, 'refund', first)
    expect(answer).toMatchObject({ result: 'approved' })
    const charge = { result: 'found', answer: { result: 'approved' } } as const
    const after = (refunded_amount: number) =>
      expectLearned(tested, lookUpOf(authorised.reference), {
        ...charge,
        standing: { state: 'captured', ...(tested.traits.shows_refunds && { refunded_amount }) },
      })
    await after(1000)
    const too_much = refusedAs(tested.traits, 'refund_exceeds_captured')
    expect(await refund(3201)).toMatchObject(too_much)
    expect(await refund(3200)).toMatchObject({ result: 'approved' })
    expect(await refund(1)).toMatchObject(too_much)
    // The first goes on being answered as it was, and moves nothing more.
    expect(await settled(tested, 'refund', first, tested.reopen())).toEqual(answer)
    const { reference, authorisation } = first
    const look = { ...lookUpOf(reference, 'refund'), authorisation }
    await expectLearned(tested, look, { result: 'found', kind: 'refund', answer })
    await after(4200)
  })

  test('what was not captured is not refunded', async () => {
    const tested = await open()
    const authorised = authoriseRequest(tested.numberFor('approve'))
    await tested.acquirer.authorise(authorised)
    expect(await settled(tested, 'refund', settleRequest(authorised))).toMatchObject(
      refusedAs(tested.traits, 'not_captured'),
    )
  })

  test('one that the issuer refuses leaves all to the next', async () => {
    const { refund } = await captured(open)
    expect(await refund(1013)).toMatchObject({ result: 'refused', authorisation_known: true })
    expect(await refund(4200)).toMatchObject({ result: 'approved' })
  })

  test('one that takes its time is accepted, and known later', async () => {
    const { tested, authorised } = await captured(open)
    const request = settleRequest(authorised, { amount: 1017 })
    const { acquirer, clock } = tested
    const answer = await acquirer.refund(request)
    if (answer.result !== 'accepted') throw new Error(answer.result)
    const { acquirer_transaction_id } = answer
    const { reference, authorisation } = request
    const look = { kind: 'refund' as const, reference, authorisation, acquirer_transaction_id }
    await clock.advance(slow_ms - 1)
    await expectLearned(tested, look, { result: 'in_progress' })
    await clock.advance(1)
    const approved = { result: 'approved', acquirer_transaction_id }
    const found = { result: 'found', kind: 'refund', answer: approved } as const
    await expectLearned(tested, look, found)
    await expectLearned(tested, { ...look, acquirer_transaction_id: null }, found)
  })
}

export function acceptedTests(open: OpenAcquirer): void {
  test.each(['capture', 'void', 'reverse'] as const)('%s', async (kind) => {
    const tested = await open()
    const { acquirer, clock, reopen, traits, numberFor } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    const request = settleRequest(authorised)
    const answer = await acquirer[kind](request)
    if (answer.result !== 'accepted') throw new Error(answer.result)
    expect(await reopen()[kind](request)).toEqual(answer)
    const { acquirer_transaction_id } = answer
    const { reference, authorisation } = request
    const look = { kind, reference, authorisation, acquirer_transaction_id }
    await clock.advance(traits.settles_after_ms - 1)
    await expectLearned(tested, look, { result: 'in_progress' })
    await clock.advance(1)
    const approved = { result: 'approved', acquirer_transaction_id }
    await expectLearned(tested, look, { result: 'found', kind, answer: approved })
  })
}

async function captured(open: OpenAcquirer) {
  const tested: AcquirerUnderTest = await open()
  const authorised = authoriseRequest(tested.numberFor('approve'), { capture: true })
  await tested.acquirer.authorise(authorised)
  await tested.clock.advance(tested.traits.captures_after_ms)
  const refund = (amount: number) => settled(tested, 'refund', settleRequest(authorised, { amount }))
  return { tested, authorised, refund }
}
