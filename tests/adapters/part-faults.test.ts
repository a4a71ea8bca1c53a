// Captures of a part where something goes wrong, at each vendor: whatever answer is lost or wrong, the part is taken once, what was
// really taken is told, and the rest is free.

import { describe, expect, test } from 'vitest'
import {
  type Notice,
  NotSent,
  type SettleAnswer,
  type SettleRequest,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { suggests } from '../../src/acquirers/answers.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import {
  type AcquirerUnderTest,
  authoriseRequest,
  learn,
  lookUpOf,
  outcomeOf,
  settled,
  settleRequest,
} from './acquirer-requests.ts'
import type { Fault as AdyenFault } from './fakes/adyen/faults.ts'
import { type AdyenUnderTest, openRememberingAdyen } from './fakes/adyen/under-test.ts'
import type { Fault as CheckoutFault } from './fakes/checkout/faults.ts'
import { type CheckoutUnderTest, openCheckoutUnderTest } from './fakes/checkout/under-test.ts'
import type { Fault as StripeFault } from './fakes/stripe/faults.ts'
import { openStripeUnderTest, type StripeUnderTest } from './fakes/stripe/under-test.ts'

const part_amount = 1200
const currency = 'GBP'

async function held<Tested extends AcquirerUnderTest>(tested: Tested) {
  const authorised = authoriseRequest(tested.numberFor('approve'))
  await tested.acquirer.authorise(authorised)
  return { tested, authorised, request: settleRequest(authorised, { amount: part_amount }) }
}

/** As the service does: what is unknown is looked up, and sent again with the same amount only where it is not found. */
async function persist(tested: AcquirerUnderTest, request: SettleRequest): Promise<SettleAnswer> {
  const { acquirer, clock, traits } = tested
  for (let tries = 0; tries < 4; tries++) {
    const is_repeat = tries > 0
    const answer = await acquirer.capture({ ...request, is_repeat }).catch((error: Error) => error)
    if (!(answer instanceof Error)) return outcomeOf(tested, 'capture', request, answer)
    if (!(answer instanceof Unanswered) && !(answer instanceof NotSent)) throw answer
    await clock.advance(Math.max(traits.settles_after_ms, acquirer.safe_window_ms))
    const { reference, authorisation } = request
    const learned = await learn(tested, { ...lookUpOf(reference, 'capture'), authorisation })
    if (learned.result === 'told' && learned.notice) return learned.notice.answer as SettleAnswer
    if (learned.result === 'found') return learned.answer as SettleAnswer
  }
  throw new Error('it never ended')
}

/** What is left and taken in the vendor's books. */
type Books = { taken: number; reserved: number; captures: number }

type Vendor = {
  open: () => Promise<AcquirerUnderTest & { fake: { next(fault: never): void } }>
  books(tested: never): Books
}

const vendors: Record<'stripe' | 'checkout' | 'adyen', Vendor> = {
  stripe: {
    open: openStripeUnderTest,
    books: ({ fake: { books } }: StripeUnderTest) => {
      const [intent] = books.intents
      const reserved = books.statusOf(intent!) === 'requires_capture' ? intent!.amount : 0
      return { taken: books.takenOf(intent!) ?? 0, reserved, captures: intent!.captured ? 1 : 0 }
    },
  },
  checkout: {
    open: openCheckoutUnderTest,
    books: ({ fake: { books } }: CheckoutUnderTest) => {
      const [payment] = books.payments
      const captures = books.actionsOf(payment!).filter(({ type, approved }) => type === 'Capture' && approved)
      const reserved = books.statusOf(payment!) === 'Authorized' ? payment!.amount : 0
      return { taken: books.total(payment!, 'Capture'), reserved, captures: captures.length }
    },
  },
  adyen: {
    open: openRememberingAdyen,
    books: ({ fake: { books } }: AdyenUnderTest) => {
      const [payment] = books.payments
      const captures = books.modifications.filter(({ event, success }) => event === 'CAPTURE' && success)
      const taken = books.sum(payment!, 'capture')
      const reserved = taken === 0 && books.isLive(payment!) ? payment!.amount : 0
      return { taken, reserved, captures: captures.length }
    },
  },
}

const lost = ['lose_answer_before', 'lose_answer_after', 'error_after', 'html', 'empty', 'truncated'] as const
const stripeRows = [
  ...lost,
  ...(['error_before', 'error_before_kept', 'conflict', 'too_many', 'html_404', 'proxy_says_400'] as const),
  ...(['strange_status', 'wrong_amount', 'one_wrong_amount', 'wrong_currency', 'wrong_id'] as const),
] satisfies StripeFault[]
const checkoutRows = [
  ...lost,
  ...(['error_before', 'conflict', 'too_many', 'html_404', 'proxy_says_422'] as const),
] satisfies CheckoutFault[]
const adyenRows = [...lost, 'never_left', 'running', 'too_many', 'proxy_says_422'] satisfies AdyenFault[]
const rows: [keyof typeof vendors, string][] = [
  ...stripeRows.map((fault) => ['stripe', fault] as [keyof typeof vendors, string]),
  ...checkoutRows.map((fault) => ['checkout', fault] as [keyof typeof vendors, string]),
  ...adyenRows.map((fault) => ['adyen', fault] as [keyof typeof vendors, string]),
]

test.each(rows)('%s, %s: the part is taken once', async (name, fault) => {
  const { open, books } = vendors[name]
  const { tested, request } = await held(await open())
  tested.fake.next(fault as never)
  const answer = await persist(tested, request)
  expect(answer).toMatchObject({ result: 'approved' })
  if ('money' in answer) expect(answer.money).toEqual({ amount: part_amount, currency })
  expect(books(tested as never)).toEqual({ taken: part_amount, reserved: 0, captures: 1 })
})

test.each(['stripe', 'checkout', 'adyen'] as const)(
  '%s: what was taken of another amount is told as it is',
  async (name) => {
    const { open, books } = vendors[name]
    const { tested, request, authorised } = await held(await open())
    const { fake } = tested as unknown as CheckoutUnderTest
    fake.books.carryOutPart(500)
    const answer = await persist(tested, request)
    expect(answer).toMatchObject({ result: 'approved', money: { amount: 500, currency } })
    expect(books(tested as never)).toMatchObject({ taken: 500, reserved: 0 })
    if (name === 'adyen') return
    const standing = { state: 'captured', amount: 500, currency, refunded_amount: 0 }
    expect(await tested.acquirer.lookUp(lookUpOf(authorised.reference))).toMatchObject({ standing })
  },
)

test.each(['stripe', 'checkout', 'adyen'] as const)('%s: what its units cannot express is not sent', async (name) => {
  const { acquirer } = await vendors[name].open()
  const brand = 'visa' as const
  const units: Record<typeof name, [string, number, number]> = {
    stripe: ['KWD', 4215, 4220],
    checkout: ['KWD', 4215, 4220],
    adyen: ['IDR', 420_050, 420_000],
  }
  const [code, odd, even] = units[name]
  const authorisation = { amount: 1_000_000, currency: code, brand }
  expect(acquirer.partialCaptureRefusal!(authorisation, odd)).toContain(`${odd} ${code}`)
  expect(acquirer.partialCaptureRefusal!(authorisation, even)).toBeNull()
})

describe('at Stripe', () => {
  test('less than it captures is refused, and stays reserved', async () => {
    const { tested, authorised } = await held(await openStripeUnderTest())
    const answer = await tested.acquirer.capture(settleRequest(authorised, { amount: 10 }))
    expect(answer).toMatchObject({ result: 'refused', reason: expect.stringContaining('amount_too_small') })
    expect(vendors.stripe.books(tested as never)).toMatchObject({ taken: 0, reserved: 4200 })
  })

  test('what a capture frees is listed as a refund there, and is none here', async () => {
    const { tested, authorised, request } = await held(await openStripeUnderTest())
    const { acquirer, fake, clock, credentials } = tested
    await acquirer.capture(request)
    // A person gives back as much as was freed, and a little more.
    const [intent] = fake.books.intents
    await clock.advance(60_000)
    const ask = async () => {
      const look = await acquirer.lookUp(lookUpOf(authorised.reference))
      const [live] = await acquirer.listAuthorisations({ since: new Date(0), until: clock.now() })
      const standing = look.result === 'found' && look.kind === 'authorise' ? look.standing : null
      return [standing?.refunded_amount, live?.refunded_amount]
    }
    expect(await ask()).toEqual([0, 0])
    fake.books.refund(intent!, { payment_intent: intent!.id, amount: 300 })
    expect(await ask()).toEqual([300, 300])
    fake.books.refund(intent!, { payment_intent: intent!.id, amount: 900 })
    expect((await ask())[0]).toBe(1200)
    const key = { credentials, mode: 'sandbox' as const, installation: 'ours', now: clock.now() }
    const notices = fake.notices().flatMap((post) => stripe.notices!.read(post, key))
    const told = notices.map(({ about, answer, is_ours }) => [about, answer, is_ours])
    expect(told.slice(0, 4)).toEqual([
      ['authorise', suggests('approved'), true],
      ['capture', suggests('approved'), true],
      // The charge's refunds are looked at; the refund by which the rest went free bears no mark.
      ['refund', null, true],
      ['refund', suggests('approved'), false],
    ])
  })

  test('the first refund counts, where it is as large as what a capture freed', async () => {
    const { tested, authorised } = await held(await openStripeUnderTest())
    const { acquirer } = tested
    await settled(tested, 'capture', settleRequest(authorised, { amount: 2100 }))
    await settled(tested, 'refund', settleRequest(authorised, { amount: 2100 }))
    expect(await acquirer.lookUp(lookUpOf(authorised.reference))).toMatchObject({
      standing: { state: 'captured', amount: 2100, refunded_amount: 2100 },
    })
    expect(await settled(tested, 'refund', settleRequest(authorised, { amount: 100 }))).toMatchObject({
      decline_code: 'refund_exceeds_captured',
    })
  })

  test('a lapse is told as an expiry', async () => {
    const { tested } = await held(await openStripeUnderTest())
    const { fake, clock, credentials } = tested
    await clock.advance(7 * 24 * 3_600_000)
    const key = { credentials, mode: 'sandbox' as const, installation: 'ours', now: clock.now() }
    const notices = fake.notices().flatMap((post) => stripe.notices!.read(post, key))
    expect(notices.at(-1)).toMatchObject({ about: 'expiry', answer: null, is_ours: true })
  })
})

describe('at Checkout.com', () => {
  const read = (tested: CheckoutUnderTest) => tested.fake.notices().flatMap(tested.readNotices)

  test('the void of the rest under the name of the capture is no part of it', async () => {
    const { tested, authorised, request } = await held(await openCheckoutUnderTest())
    const { acquirer, fake, clock } = tested
    fake.books.habits.shows_releases = true
    const answer = await settled(tested, 'capture', request)
    expect(answer).toMatchObject({ result: 'approved', money: { amount: part_amount, currency } })
    await clock.advance(60_000)
    const standing = { state: 'captured', amount: part_amount, currency, refunded_amount: 0 }
    expect(await acquirer.lookUp(lookUpOf(authorised.reference))).toMatchObject({ standing })
    expect(await settled(tested, 'refund', settleRequest(authorised, { amount: 200 }))).toMatchObject({
      result: 'approved',
    })
    expect(read(tested).map(({ about }) => about)).toEqual(['authorise', 'capture', 'void', 'refund'])
  })

  test.each([
    [false, 'expired', 'expiry'],
    [true, 'voided', 'void'],
  ])('what lapsed, by a void %s, is %s', async (lapses_by_void, state, about) => {
    const { tested, authorised } = await held(await openCheckoutUnderTest())
    const { acquirer, fake, clock } = tested
    fake.books.habits.lapses_by_void = lapses_by_void
    await clock.advance(7 * 24 * 3_600_000)
    const look = await acquirer.lookUp(lookUpOf(authorised.reference))
    expect(look).toMatchObject({ result: 'found', standing: { state, amount: 4200, currency } })
    expect(await acquirer.listAuthorisations({ since: new Date(0), until: clock.now() })).toEqual([])
    expect(read(tested).at(-1)).toMatchObject({ about, reference: authorised.reference })
    const late = await settled(tested, 'capture', settleRequest(authorised))
    expect(late).toMatchObject({ result: 'refused', decline_code: lapses_by_void ? 'already_voided' : 'expired' })
  })
})

describe('at Adyen', () => {
  const heardOf = (notices: Notice[], about: Notice['about']) => notices.filter((each) => each.about === about)

  test('a capture that fails days later is told again, under the same name', async () => {
    const { tested, authorised, request } = await held(await openRememberingAdyen())
    const { fake, clock, heard } = tested
    const done = await settled(tested, 'capture', request)
    expect(done).toMatchObject({ result: 'approved', money: { amount: part_amount, currency } })
    await clock.advance(3 * 24 * 3_600_000)
    const [payment] = fake.books.payments
    const { reference } = request
    fake.books.actElsewhere(payment!, { event: 'CAPTURE_FAILED', takes: null, reference, amount: part_amount })
    const [first, second] = heardOf(heard(), 'capture')
    expect(first).toMatchObject({ reference, answer: { result: 'approved' } })
    expect(second).toMatchObject({ reference, answer: { result: 'refused' } })
    expect(second!.authorisation_transaction_id).toBe(first!.authorisation_transaction_id)
    expect(authorised.reference).not.toBe(reference)
  })

  test('a notice that comes before the answer says the same', async () => {
    const { tested, request } = await held(await openRememberingAdyen())
    const { fake, clock, told, acquirer } = tested
    fake.next('lose_answer_after')
    await expect(acquirer.capture(request)).rejects.toBeInstanceOf(Unanswered)
    await clock.advance(20_000)
    const notice = told('capture', request.reference)!
    expect(notice.answer).toMatchObject({ result: 'approved', money: { amount: part_amount, currency } })
    const { acquirer_transaction_id } = notice
    expect(await acquirer.capture({ ...request, is_repeat: true })).toEqual({
      result: 'accepted',
      acquirer_transaction_id,
    })
  })

  test('a lapse is told once, of all that was authorised', async () => {
    const { tested, authorised } = await held(await openRememberingAdyen())
    const { clock, heard } = tested
    await clock.advance(28 * 24 * 3_600_000)
    heard()
    const { reference } = authorised
    expect(heardOf(heard(), 'expiry')).toMatchObject([
      { reference, answer: { result: 'approved', money: { amount: 4200, currency } } },
    ])
  })

  // A capture of more than half fits once, whatever the account allows.
  test.each([
    [1200, true, 0],
    [3000, undefined, 3000],
  ] as const)(
    'of %i an error that is kept is got round only where it cannot be done twice',
    async (amount, fits_twice, taken) => {
      const { tested, authorised } = await held(await openRememberingAdyen())
      const { acquirer, fake, clock } = tested
      fake.books.habits.captures_in_parts = true
      const request = { ...settleRequest(authorised, { amount }), ...(fits_twice && { fits_twice }) }
      fake.next('error_before')
      await expect(acquirer.capture(request)).rejects.toBeInstanceOf(Unanswered)
      const again = await acquirer.capture({ ...request, is_repeat: true }).catch((error: Error) => error)
      if (fits_twice) expect(again).toBeInstanceOf(Unanswered)
      else expect(again).toMatchObject({ result: 'accepted' })
      await clock.advance(20_000)
      expect(fake.books.sum(fake.books.payments[0]!, 'capture')).toBe(taken)
    },
  )

  test('where the account may take more, the rest of a part stays reserved, and its end is told', async () => {
    const { tested, authorised, request } = await held(await openRememberingAdyen())
    const { fake, clock, heard } = tested
    const [payment] = fake.books.payments
    fake.books.habits.captures_in_parts = true
    await settled(tested, 'capture', request)
    expect(await settled(tested, 'capture', settleRequest(authorised, { amount: 3001 }))).toMatchObject({
      result: 'refused',
    })
    expect(await settled(tested, 'capture', settleRequest(authorised, { amount: 2000 }))).toMatchObject({
      result: 'approved',
    })
    expect(fake.books.sum(payment!, 'capture')).toBe(3200)
    await clock.advance(28 * 24 * 3_600_000)
    heard()
    expect(heardOf(heard(), 'expiry')).toHaveLength(1)
    expect(fake.books.sum(payment!, 'capture')).toBe(3200)
  })
})
