// The connector to Stripe where something goes wrong: each fault at each step ends right, is never approved by guessing, and leaves no
// money where it does not belong.

import { describe, expect, test } from 'vitest'
import {
  type AuthorisationName,
  chargeNamed,
  NotSent,
  type SettleRequest,
  TooMany,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import type { Wire } from '../../src/acquirers/wire.ts'
import { listAuthorisations } from '../../src/payments/acquirer-operations/list-authorisations.ts'
import { TooLong } from '../../src/vendor-wire/wire.ts'
import { authoriseRequest, mintReference, type SettleKind, settleRequest } from './acquirer-requests.ts'
import type { Fault } from './fakes/stripe/faults.ts'
import { connection_name, openStripeUnderTest, type StripeUnderTest } from './fakes/stripe/under-test.ts'

/** What a step throws, or the answer that it gives. */
async function outcome<Answer>(asked: Promise<Answer>): Promise<Answer | Error> {
  return asked.catch((error: Error) => error)
}

function expectNoSecrets(tested: StripeUnderTest, ...said: unknown[]): void {
  const text = said.map((each) => (each instanceof Error ? each.message : JSON.stringify(each)))
  expect(text.join()).not.toMatch(/sk_test|whsec|400000|\d{12}/)
  expect(text.join()).not.toContain(tested.fake.secret_key)
}

/** What is neither unconfirmed, declined nor taken back. */
function live({ fake: { books } }: StripeUnderTest): string[] {
  return books.intents
    .filter((intent) => ['requires_capture', 'succeeded'].includes(books.statusOf(intent)))
    .filter((intent) => books.givenOf(intent) !== (books.takenOf(intent) ?? -1))
    .map(({ id }) => id)
}

async function prepared(tested: StripeUnderTest, capture = true) {
  const request = authoriseRequest(tested.numberFor('approve'), { capture })
  const answer = await tested.acquirer.prepare!(request)
  if (answer.result !== 'prepared') throw new Error(answer.result)
  const { handle } = answer
  const names: AuthorisationName = { ...request, handle, acquirer_transaction_id: null }
  return { request: { ...request, handle }, names }
}

describe('a confirm that goes wrong', () => {
  const unanswered = expect.any(Unanswered)
  const failed = expect.objectContaining({ result: 'failed' })
  const of = (money: object) => expect.objectContaining({ result: 'approved', ...money })

  test.each<[Fault, unknown, 'not_found' | 'found']>([
    ['lose_answer_before', unanswered, 'not_found'],
    ['lose_answer_after', unanswered, 'found'],
    ['error_after', unanswered, 'found'],
    ['error_before', unanswered, 'not_found'],
    ['unauthorised', failed, 'not_found'],
    ['forbidden', failed, 'not_found'],
    ['blocked', failed, 'not_found'],
    ['conflict', unanswered, 'not_found'],
    ['too_many', unanswered, 'not_found'],
    ['invalid', failed, 'not_found'],
    ['proxy_says_400', unanswered, 'found'],
    ['html', unanswered, 'found'],
    ['html_404', unanswered, 'found'],
    ['empty', unanswered, 'found'],
    ['truncated', unanswered, 'found'],
    ['wrong_amount', of({ amount: 1 }), 'found'],
    ['one_wrong_amount', unanswered, 'found'],
    ['wrong_currency', of({ currency: 'EUR' }), 'found'],
    ['strange_currency', unanswered, 'found'],
    ['strange_status', unanswered, 'found'],
    ['wrong_id', unanswered, 'found'],
  ])('%s', async (fault, expected, known) => {
    const tested = await openStripeUnderTest()
    const { acquirer, fake } = tested
    const { request, names } = await prepared(tested)
    fake.next(fault)
    const answer = await outcome(tested.openWith({}).authorise(request))
    expect(answer).toEqual(expected)
    const look = await acquirer.lookUp(chargeNamed(names))
    expect(look.result).toBe(known)
    if (look.result === 'found') {
      expect(look).toMatchObject({ answer: { result: 'approved', amount: 4200, currency: 'GBP' } })
    }
    expectNoSecrets(tested, answer, look)
    expect(fake.moves()).toBe(1)
    // Taken back, it cannot be charged any more, whenever the confirm arrives.
    await acquirer.reverse(settleRequest(request, { authorisation: names }))
    expect(live(tested)).toEqual([])
    const late = await outcome(tested.openWith({}).authorise(request))
    if (known === 'not_found') expect(late).toEqual(failed)
    expect(live(tested)).toEqual([])
  })

  test('one that takes its time is waited for', async () => {
    const tested = await openStripeUnderTest()
    const { request } = await prepared(tested)
    tested.fake.next('slow')
    const answer = tested.openWith({}).authorise(request)
    await tested.clock.sleepers(24_000)
    await tested.clock.advance(24_000)
    expect(await answer).toMatchObject({ result: 'approved' })
    expect(tested.fake.moves()).toBe(1)
  })

  test('with 3-D Secure data is taken', async () => {
    const tested = await openStripeUnderTest()
    const { request } = await prepared(tested)
    const three_ds = {
      version: '2.2.0',
      eci: '05',
      authentication_value: 'AAABAVIREQAAAAAAAAAAAAAAAAA=',
      ds_transaction_id: 'f38e6948-5388-41a6-bca4-b49723c19437',
      status: 'Y',
      ares_status: 'C',
    }
    const answer = await tested.openWith({}).authorise({ ...request, three_ds })
    expect(answer).toMatchObject({ result: 'approved' })
  })

  test('sent again while it is under way, it is not charged again', async () => {
    const tested = await openStripeUnderTest()
    const request = authoriseRequest(tested.numberFor('approve_slowly'), { capture: true })
    const first = tested.acquirer.authorise(request)
    await tested.clock.sleepers(8_000)
    expect(await outcome(tested.acquirer.authorise(request))).toBeInstanceOf(Unanswered)
    await tested.clock.advance(8_000)
    expect(await tested.acquirer.authorise(request)).toEqual(await first)
    expect(live(tested)).toHaveLength(1)
  })

  test('is declined as the intent says, where the key is forgotten', async () => {
    const tested = await openStripeUnderTest()
    const { acquirer, clock, numberFor } = tested
    const request = authoriseRequest(numberFor('insufficient_funds'))
    const answer = await acquirer.prepare!(request)
    if (answer.result !== 'prepared') throw new Error(answer.result)
    const again = { ...request, handle: answer.handle }
    const first = await tested.openWith({}).authorise(again)
    await clock.advance(25 * 3_600_000)
    expect(await tested.openWith({}).authorise(again)).toEqual(first)
  })

  test('without a handle, or without credentials, nothing is sent', async () => {
    const tested = await openStripeUnderTest()
    const request = authoriseRequest(tested.numberFor('approve'))
    const bare = tested.openWith({})
    expect(await outcome(bare.authorise(request))).toBeInstanceOf(NotSent)
    const none = tested.openWith(null)
    expect(await outcome(none.prepare!(request))).toBeInstanceOf(NotSent)
    const answered = await bare.reverse(settleRequest(request))
    expect(answered).toMatchObject({ result: 'refused', authorisation_known: false })
    const { reference } = request
    const names = { reference, handle: null, acquirer_transaction_id: null }
    expect(await bare.lookUp(chargeNamed(names))).toEqual({ result: 'not_found' })
    expect(tested.sent).toEqual([])
  })

  test('what bears another mark, or is not there, says nothing of a charge that was named before', async () => {
    const tested = await openStripeUnderTest()
    const { request, names } = await prepared(tested)
    await tested.openWith({}).authorise(request)
    tested.fake.books.intents[0]!.metadata.ripper_installation = 'theirs'
    const look = () => outcome(tested.acquirer.lookUp(chargeNamed(names)))
    expect(await look()).toEqual(unanswered)
    // As where the credentials were replaced by those of another account.
    tested.fake.books.intents.length = 0
    expect(await look()).toEqual(unanswered)
    const reversal = await outcome(tested.acquirer.reverse(settleRequest(request)))
    expect(reversal).toEqual(unanswered)
  })
})

describe('a preparation that goes wrong moves nothing', () => {
  const unanswered = expect.any(Unanswered)
  const failed = expect.objectContaining({ result: 'failed' })
  const faults: [Fault, unknown][] = [
    ['lose_answer_before', unanswered],
    ['lose_answer_after', unanswered],
    ['error_after', unanswered],
    ['unauthorised', failed],
    ['blocked', failed],
    ['too_many', unanswered],
    ['invalid', failed],
    ['html', unanswered],
    ['truncated', unanswered],
  ]

  test.each(faults)('the card: %s', async (fault, expected) => {
    const tested = await openStripeUnderTest()
    tested.fake.next(fault, 'prepare')
    const request = authoriseRequest(tested.numberFor('approve'))
    const answer = await outcome(tested.acquirer.prepare!(request))
    expect(answer).toEqual(expected)
    expectNoSecrets(tested, answer)
    expect(tested.fake.books.intents).toEqual([])
  })

  test.each<[Fault, unknown]>([
    ...faults,
    ['wrong_amount', failed],
    ['wrong_currency', failed],
    ['strange_status', failed],
  ])('the intent: %s', async (fault, expected) => {
    const tested = await openStripeUnderTest()
    tested.fake.next('none', 'prepare')
    tested.fake.next(fault, 'prepare')
    const request = authoriseRequest(tested.numberFor('approve'))
    expect(await outcome(tested.acquirer.prepare!(request))).toEqual(expected)
    expect(tested.fake.moves()).toBe(0)
    expect(live(tested)).toEqual([])
  })

  test('an amount that they cannot express is not sent', async () => {
    const tested = await openStripeUnderTest()
    const request = authoriseRequest(tested.numberFor('approve'), { currency: 'UGX' })
    expect(await tested.acquirer.prepare!(request)).toMatchObject({
      result: 'failed',
      decline: { category: 'provider_error' },
    })
    expect(tested.sent).toEqual([])
  })
})

describe('an operation that goes wrong', () => {
  /** As the service does: what is unknown is looked up, and sent again only where it is not found. */
  async function persist({ acquirer }: StripeUnderTest, kind: SettleKind, request: SettleRequest) {
    const { reference, authorisation } = request
    for (let tries = 0; tries < 3; tries++) {
      const answer = await outcome(acquirer[kind](request))
      if (!(answer instanceof Error)) return answer
      if (!(answer instanceof Unanswered)) throw answer
      const asked = { kind, reference, authorisation, acquirer_transaction_id: null }
      const look = await acquirer.lookUp(asked)
      if (look.result === 'found') return look.answer
      expect(look.result).toBe('not_found')
    }
    throw new Error('it never ended')
  }

  test.each<[SettleKind, boolean]>([
    ['capture', false],
    ['void', false],
    ['reverse', false],
    ['reverse', true],
  ])('%s, captured before %s: an error that is kept is got round', async (kind, capture) => {
    const tested = await openStripeUnderTest()
    const { request, names } = await prepared(tested, capture)
    await tested.openWith({}).authorise(request)
    tested.fake.next('error_before_kept')
    const asked = settleRequest(request, { authorisation: names })
    expect(await persist(tested, kind, asked)).toMatchObject({ result: 'approved' })
  })

  test('a refund whose error is kept is not sent under another key', async () => {
    const tested = await openStripeUnderTest()
    const { request, names } = await prepared(tested)
    await tested.openWith({}).authorise(request)
    tested.fake.next('error_before_kept')
    const asked = settleRequest(request, { authorisation: names })
    await expect(persist(tested, 'refund', asked)).rejects.toThrow('it never ended')
    expect(tested.fake.books.refunds()).toEqual([])
  })

  const kinds: [SettleKind, boolean, Fault[]][] = [
    ['capture', false, []],
    ['void', false, []],
    ['reverse', false, []],
    ['reverse', true, []],
    // Its refund goes wrong, after the cancel was refused.
    ['reverse', true, ['none']],
    ['refund', true, []],
  ]
  const done: Fault[] = [
    ...(['lose_answer_before', 'lose_answer_after', 'error_after', 'error_before'] as const),
    ...(['conflict', 'too_many', 'html', 'html_404', 'empty', 'truncated'] as const),
    ...(['proxy_says_400', 'strange_status'] as const),
  ]
  const refused: Fault[] = ['unauthorised', 'forbidden', 'blocked', 'invalid']

  describe.each(kinds)('%s, captured before %s, after %j', (kind, capture, before) => {
    test.each(done)('%s: it is done once', async (fault) => {
      const tested = await openStripeUnderTest()
      const { request, names } = await prepared(tested, capture)
      await tested.openWith({}).authorise(request)
      for (const each of [...before, fault]) tested.fake.next(each)
      const asked = settleRequest(request, { authorisation: names })
      const answer = await persist(tested, kind, asked)
      expect(answer).toMatchObject({ result: 'approved' })
      const { books } = tested.fake
      const [intent] = books.intents
      const taken = capture || kind === 'capture' ? 4200 : 0
      const given = capture && kind !== 'capture' ? 4200 : 0
      expect([books.takenOf(intent!) ?? 0, books.givenOf(intent!)]).toEqual([taken, given])
      expect(intent!.refunds.length).toBe(given === 0 ? 0 : 1)
      if (kind !== 'capture') expect(live(tested)).toEqual([])
      expectNoSecrets(tested, answer)
    })

    test.each(refused)('%s: it is not done, for certain', async (fault) => {
      const tested = await openStripeUnderTest()
      const { request, names } = await prepared(tested, capture)
      await tested.openWith({}).authorise(request)
      for (const each of [...before, fault]) tested.fake.next(each)
      const asked = settleRequest(request, { authorisation: names })
      const answer = await persist(tested, kind, asked)
      // Of what is captured already the cancel's refusal says nothing: the refund follows.
      const is_given = kind === 'reverse' && capture && before.length === 0
      expect(answer.result).toBe(is_given ? 'approved' : 'refused')
      expect(tested.fake.books.givenOf(tested.fake.books.intents[0]!)).toBe(is_given ? 4200 : 0)
      expectNoSecrets(tested, answer)
    })
  })
})

test('the list goes on page by page, and leaves out what others made', async () => {
  const { acquirer, fake, clock } = await openStripeUnderTest()
  const { books } = fake
  const method = books.keepMethod('approve', '4242')
  const references: string[] = []
  for (let made = 0; made < 205; made++) {
    const reference = mintReference()
    const ours = { ripper_reference: reference, ripper_installation: 'ours' }
    const metadata: Record<string, string> = made % 5 === 0 ? { order: '7' } : ours
    const body = { amount: 4200, currency: 'gbp', payment_method: method.id, metadata }
    const only = { 0: 'card' as const }
    books.confirm(books.create({ ...body, allowed_payment_method_types: only }, method))
    if (made % 5 !== 0) references.push(reference)
  }
  const within = { since: clock.now(), until: clock.now() }
  const listed = await acquirer.listAuthorisations(within)
  expect(listed.map(({ reference }) => reference)).toEqual(references)
  fake.next('truncated', 'ask')
  expect(await outcome(acquirer.listAuthorisations(within))).toBeInstanceOf(Unanswered)
})

/** As where payments bear so much metadata that only so many of them make an answer that may be read. */
function reading(wire: Wire, most: number): Wire {
  return {
    async send(request) {
      const answer = await wire.send(request)
      const { data } = (answer.json ?? {}) as { data?: unknown[] }
      if (data && data.length > most) throw new TooLong('an answer longer than allowed')
      return answer
    },
  }
}

test.each([70, 1, 0])('of a list whose pages are too long it reads fewer at once: %i', async (most) => {
  const { fake, clock, wire, credentials } = await openStripeUnderTest()
  const { books } = fake
  const method = books.keepMethod('approve', '4242')
  const references = Array.from({ length: 120 }, () => mintReference())
  for (const ripper_reference of references) {
    const metadata = { ripper_reference, ripper_installation: 'ours' }
    const body = { amount: 4200, currency: 'gbp', payment_method: method.id, metadata }
    const only = { 0: 'card' as const }
    books.confirm(books.create({ ...body, allowed_payment_method_types: only }, method))
  }
  const acquirer = stripe.open({
    name: connection_name,
    installation: 'ours',
    wire: reading(wire, most),
    clock,
    credentials: async () => credentials,
  })
  const listed = acquirer.listAuthorisations({ since: clock.now(), until: clock.now() })
  if (most === 0) return expect(await outcome(listed)).toBeInstanceOf(Unanswered)
  expect((await listed).map(({ reference }) => reference)).toEqual(references)
})

test('the list of a busy hour that does not fit into one call is asked for in shorter times', async () => {
  const { fake, clock, wire, credentials } = await openStripeUnderTest()
  const { books } = fake
  const since = clock.now()
  const method = books.keepMethod('approve', '4242')
  const references = Array.from({ length: 1_200 }, () => mintReference())
  for (const ripper_reference of references) {
    const metadata = { ripper_reference, ripper_installation: 'ours' }
    const body = { amount: 4200, currency: 'gbp', payment_method: method.id, metadata }
    const only = { 0: 'card' as const }
    books.confirm(books.create({ ...body, allowed_payment_method_types: only }, method))
    await clock.advance(3_000)
  }
  const within = { since, until: clock.now() }
  const slow: Wire = {
    async send(request) {
      await clock.advance(3_000)
      return wire.send(request)
    },
  }
  const acquirer = stripe.open({
    name: connection_name,
    installation: 'ours',
    wire: slow,
    clock,
    credentials: async () => credentials,
  })
  const at_once = await outcome(acquirer.listAuthorisations(within))
  expect(at_once).toBeInstanceOf(TooMany)
  const listed = await listAuthorisations(clock, acquirer, within)
  expect(listed.map(({ reference }) => reference)).toEqual(references)
})

describe('the check', () => {
  test('works, and says where card numbers are refused', async () => {
    const { fake, credentials, wire } = await openStripeUnderTest()
    expect(await stripe.check({ credentials, mode: 'sandbox', wire })).toEqual({
      result: 'works',
      notes: [],
    })
    fake.next('forbidden', 'prepare')
    expect(await stripe.check({ credentials, mode: 'sandbox', wire })).toEqual({
      result: 'works',
      notes: [expect.stringContaining('card numbers')],
    })
    expect(fake.moves()).toBe(0)
  })

  test.each<[string, Fault | null]>([
    ['a wrong key', null],
    ['HTML', 'html'],
    ['their error', 'error_before'],
  ])('%s: fails, in a line without secrets', async (_, fault) => {
    const { fake, credentials, wire } = await openStripeUnderTest()
    if (fault) fake.next(fault, 'ask')
    const secret_key = fault ? credentials.secret_key : 'sk_test_wrong'
    const answer = await stripe.check({
      credentials: { ...credentials, secret_key },
      mode: 'live',
      wire,
    })
    expect(answer).toMatchObject({ result: 'fails', reason: expect.stringContaining('Stripe') })
    expect(JSON.stringify(answer)).not.toContain(secret_key)
  })
})
