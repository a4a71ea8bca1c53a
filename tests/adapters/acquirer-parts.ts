// The acquirer suite's part on captures of a part, which free the rest, and on authorisations that end by themselves.

import { expect, test } from 'vitest'
import {
  type AcquirerTraits,
  type AcquirerUnderTest,
  authoriseRequest,
  expectLearned,
  lookUpOf,
  type OpenAcquirer,
  refusedAs,
  type SettleKind,
  settled,
  settleRequest,
} from './acquirer-requests.ts'

const always = { since: new Date(0), until: new Date('2100-01-01') }
const part_amount = 1200

async function authorised(open: OpenAcquirer) {
  const tested: AcquirerUnderTest = await open()
  const request = authoriseRequest(tested.numberFor('approve'))
  const answer = await tested.acquirer.authorise(request)
  const ask = (kind: SettleKind, amount = request.amount) => settled(tested, kind, settleRequest(request, { amount }))
  /** What the acquirer shows of the charge; where it shows nothing only its approval is known. */
  const expectStanding = async (standing: object | null, live: object[]) => {
    const look = lookUpOf(request.reference)
    await expectLearned(tested, look, { result: 'found', answer: { result: 'approved' }, standing })
    const listed = await tested.acquirer.listAuthorisations(always)
    expect(listed).toMatchObject(tested.acquirer.lists ? live : [])
    expect(listed).toHaveLength(tested.acquirer.lists ? live.length : 0)
  }
  return { tested, request, answer, ask, expectStanding }
}

export function partTests(open: OpenAcquirer, traits: AcquirerTraits): void {
  const shown = (refunded_amount: number) => traits.shows_refunds && { refunded_amount }

  test.each([
    ['a part', part_amount],
    ['the whole by its amount', 4200],
  ])('captures %s, once', async (_, amount) => {
    const { tested, request, ask, expectStanding } = await authorised(open)
    const capture = settleRequest(request, { amount })
    const { currency } = request
    const answer = await settled(tested, 'capture', capture)
    expect(answer).toMatchObject({ result: 'approved' })
    // What was taken is told, or nothing.
    if ('money' in answer) expect(answer.money).toEqual({ amount, currency })
    const { reference, authorisation } = capture
    const look = { ...lookUpOf(reference, 'capture'), authorisation }
    await expectLearned(tested, look, { result: 'found', kind: 'capture', answer })
    const taken = { amount, currency, ...shown(0) }
    await expectStanding({ state: 'captured', ...taken }, [{ captured: true, ...taken }])
    const refused = refusedAs(traits, 'already_captured')
    expect(await ask('capture', amount)).toMatchObject(refused)
    expect(await ask('capture', 1000)).toMatchObject(refused)
    expect(await ask('void')).toMatchObject(refused)
    // Sent again it is answered as it was, and takes nothing more.
    expect(await settled(tested, 'capture', capture, tested.reopen())).toEqual(answer)
    await expectStanding({ state: 'captured', ...taken }, [{ captured: true, ...taken }])
  })

  test('refunds a part up to what was captured of it', async () => {
    const { ask, request, expectStanding } = await authorised(open)
    const { currency } = request
    await ask('capture', part_amount)
    const too_much = refusedAs(traits, 'refund_exceeds_captured')
    expect(await ask('refund', part_amount + 1)).toMatchObject(too_much)
    expect(await ask('refund', 200)).toMatchObject({ result: 'approved' })
    const left = { amount: part_amount, currency, ...shown(200) }
    await expectStanding({ state: 'captured', ...left }, [{ captured: true, ...left }])
    expect(await ask('refund', 1001)).toMatchObject(too_much)
    expect(await ask('refund', 1000)).toMatchObject({ result: 'approved' })
    expect(await ask('refund', 1)).toMatchObject(too_much)
  })

  test('takes a captured part back', async () => {
    const { tested, ask, expectStanding } = await authorised(open)
    await ask('capture', part_amount)
    expect(await ask('reverse')).toMatchObject({ result: 'approved' })
    await expectStanding({ state: 'reversed' }, [])
    expect(await ask('reverse')).toMatchObject(refusedAs(tested.traits, 'already_reversed'))
  })

  test('refuses more than was authorised, and takes nothing', async () => {
    const { ask, request, expectStanding } = await authorised(open)
    const { amount, currency } = request
    expect(await ask('capture', amount + 1)).toMatchObject(refusedAs(traits, 'amount_mismatch'))
    await expectStanding({ state: 'reserved', amount, currency }, [{ captured: false, amount, currency }])
    expect(await ask('capture', part_amount)).toMatchObject({ result: 'approved' })
  })

  test.each<[SettleKind, number | undefined]>([
    ['capture', part_amount],
    ['capture', undefined],
    ['void', undefined],
  ])('a capture of a part, and at once a %s of %j: exactly one is approved', async (kind, amount) => {
    const { tested, request } = await authorised(open)
    const answers = await Promise.all([
      settled(tested, 'capture', settleRequest(request, { amount: part_amount })),
      settled(tested, kind, settleRequest(request, amount === undefined ? {} : { amount }), tested.reopen()),
    ])
    expect(answers.map(({ result }) => result).toSorted()).toEqual(['approved', 'refused'])
  })
}

export function lapseTests(open: OpenAcquirer, { lapses_after_ms }: AcquirerTraits): void {
  test('what is only reserved lapses by itself', async () => {
    const { tested, request, ask, answer, expectStanding } = await authorised(open)
    const { amount, currency } = request
    const { clock, acquirer, traits } = tested
    const authorised_at = clock.now()
    const { brand } = request.card
    const ends_at =
      ('expires_at' in answer ? answer.expires_at : undefined) ?? acquirer.expiryOf?.({ brand, authorised_at })
    // It says so beforehand: not later than it is so.
    expect(ends_at!.getTime() - authorised_at.getTime()).toBeGreaterThan(24 * 3_600_000)
    expect(ends_at!.getTime() - authorised_at.getTime()).toBeLessThanOrEqual(lapses_after_ms!)
    await clock.advance(lapses_after_ms! - 1)
    await expectStanding({ state: 'reserved', amount, currency }, [{ captured: false, amount, currency }])
    await clock.advance(1)
    await expectStanding({ state: 'expired', amount, currency }, [])
    for (const kind of ['capture', 'void', 'reverse'] as const) {
      expect(await ask(kind)).toMatchObject(refusedAs(traits, 'expired'))
    }
    expect(await ask('capture', part_amount)).toMatchObject(refusedAs(traits, 'expired'))
  })

  test('what was captured of it stays', async () => {
    const { tested, request, ask, expectStanding } = await authorised(open)
    const { currency } = request
    await ask('capture', part_amount)
    await tested.clock.advance(lapses_after_ms!)
    const taken = { amount: part_amount, currency }
    await expectStanding({ state: 'captured', ...taken }, [{ captured: true, ...taken }])
    expect(await ask('refund', part_amount)).toMatchObject({ result: 'approved' })
  })
}
