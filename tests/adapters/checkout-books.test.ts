// What Checkout.com's connector touches and lists in an account that others use as well, what it checks, and what it is posted.

import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Acquirer, NotGenuine, type NoticePost } from '../../src/acquirers/acquirer.ts'
import { suggests } from '../../src/acquirers/answers.ts'
import { checkout } from '../../src/acquirers/checkout-com/checkout.ts'
import { shortReference } from '../../src/acquirers/reference.ts'
import { TooLong, type Wire } from '../../src/vendor-wire/wire.ts'
import { authoriseRequest, lookUpOf, mintReference, nameOf, settled, settleRequest } from './acquirer-requests.ts'
import type { Fault } from './fakes/checkout/faults.ts'
import { type CheckoutUnderTest, openCheckoutUnderTest } from './fakes/checkout/under-test.ts'
import { signed } from './fakes/checkout/views.ts'

/** Puts a payment into the books that this installation did not ask for. */
function plant({ fake, numberFor }: CheckoutUnderTest, reference: string, metadata: Record<string, string>) {
  const number = numberFor('approve')
  const source = { type: 'card' as const, number, expiry_month: 1, expiry_year: 2031 }
  const money = { amount: 4200, currency: 'GBP', capture: false }
  return fake.books.authorise({ source, ...money, reference, metadata }, 'approve')
}

describe('what bears no mark of ours', () => {
  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['that of another installation', { ripper_installation: 'theirs' }],
  ])('%s: it is never touched', async (_, metadata) => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const reference = mintReference()
    const { id } = plant(tested, shortReference(reference), metadata)
    const named = { ...nameOf(reference), acquirer_transaction_id: id }
    const look = { ...lookUpOf(reference), authorisation: named }
    expect(await acquirer.lookUp(lookUpOf(reference))).toEqual({ result: 'not_found' })
    // An id that they gave out cannot vanish: what became of the charge is unknown.
    await expect(acquirer.lookUp(look)).rejects.toThrow('those of another account?')
    const authorised = authoriseRequest(tested.numberFor('approve'), { reference })
    for (const kind of ['capture', 'void', 'reverse', 'refund'] as const) {
      const answer = await acquirer[kind](settleRequest(authorised))
      expect(answer).toMatchObject({ result: 'refused', authorisation_known: false })
    }
    expect(fake.moves()).toBe(0)
  })
})

/** The connection where lists at this address leave out a member of payments. */
function without(
  member: 'metadata' | 'balances',
  { acquirer, credentials, wire, clock }: CheckoutUnderTest,
  address: string,
): Acquirer {
  const bare: Wire = {
    async send(request) {
      const answer = await wire.send(request)
      if (!request.url.includes(address)) return answer
      const { data, ...page } = answer.json as { data: object[] }
      const json = { ...page, data: data.map((payment) => ({ ...payment, [member]: undefined })) }
      return { ...answer, json, text: JSON.stringify(json) }
    },
  }
  const connection = { name: acquirer.name, installation: 'ours', wire: bare, clock }
  return checkout.open({ ...connection, credentials: async () => credentials })
}

test('a charge is found where the list of payments leaves out their marks', async () => {
  const tested = await openCheckoutUnderTest()
  const { acquirer, fake, numberFor } = tested
  const reading = without('metadata', tested, '/payments?reference=')
  const request = authoriseRequest(numberFor('approve'))
  await acquirer.authorise(request)
  const look = lookUpOf(request.reference)
  expect(await reading.lookUp(look)).toMatchObject({ result: 'found', kind: 'authorise' })
  fake.books.payments[0]!.metadata = { ripper_installation: 'theirs' }
  expect(await reading.lookUp(look)).toEqual({ result: 'not_found' })
})

describe('a list', () => {
  test('contains ours and those of other installations, each with its mark', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, clock } = tested
    const since = clock.now()
    plant(tested, 'ORD-5023', {})
    const references = [mintReference(), mintReference()]
    plant(tested, shortReference(references[0]!), {})
    plant(tested, shortReference(references[1]!), { ripper_installation: 'theirs' })
    const live = await acquirer.listAuthorisations({ since, until: clock.now() })
    expect(live.map(({ reference, installation }) => [reference, installation])).toEqual(
      expect.arrayContaining([
        [references[0], null],
        [references[1], 'theirs'],
      ]),
    )
    expect(live).toHaveLength(2)
  })

  test('that leaves out the metadata has each one of ours read by its id', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, clock, sent } = tested
    const since = clock.now()
    const reference = mintReference()
    plant(tested, shortReference(reference), { ripper_installation: 'ours' })
    plant(tested, 'ORD-5023', {})
    const reading = without('metadata', tested, '/payments/search')
    const within = { since, until: clock.now() }
    expect(await reading.listAuthorisations(within)).toEqual(await acquirer.listAuthorisations(within))
    const ids = sent.filter(({ url }) => /\/payments\/pay_\w+$/.test(url))
    expect(ids).toHaveLength(1)
  })

  test('that leaves out the balances has ours read by its id where a part was captured or refunded', async () => {
    const tested = await openCheckoutUnderTest()
    const { clock, fake, sent } = tested
    const { books } = fake
    const since = clock.now()
    const marked = { ripper_installation: 'ours' }
    for (const [metadata, amount, refunded] of [
      [marked, 4200, 0],
      [marked, 100, 0],
      [marked, 4200, 1200],
      [{}, 100, 0],
    ] as const) {
      const payment = plant(tested, shortReference(mintReference()), metadata)
      books.settle('captures', payment, { amount })
      await clock.advance(60_000)
      if (refunded) books.settle('refunds', payment, { amount: refunded })
    }
    await clock.advance(60_000)
    const reading = without('balances', tested, '/payments/search')
    const live = await reading.listAuthorisations({ since, until: clock.now() })
    const ours = live.filter(({ installation }) => installation === 'ours')
    expect(ours.map(({ amount, refunded_amount }) => [amount, refunded_amount])).toEqual([
      [4200, undefined],
      [100, 0],
      [4200, 1200],
    ])
    expect(sent.filter(({ url }) => /\/payments\/pay_\w+$/.test(url))).toHaveLength(2)
  })

  test('longer than a page is read in parts, and nothing is missed or read twice', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, clock, sent } = tested
    const since = clock.now()
    const references = Array.from({ length: 1100 }, () => mintReference())
    for (const [index, reference] of references.entries()) {
      plant(tested, shortReference(reference), { ripper_installation: 'ours' })
      if (index % 3 === 0) await clock.advance(1)
    }
    const live = await acquirer.listAuthorisations({ since, until: clock.now() })
    expect(live.map(({ reference }) => reference).toSorted()).toEqual(references.toSorted())
    expect(sent.length).toBeGreaterThan(2)
  })

  test('whose page is too long to be read is read in parts', async () => {
    const { acquirer, credentials, wire, clock, ...tested } = await openCheckoutUnderTest()
    const since = clock.now()
    const references = Array.from({ length: 40 }, () => mintReference())
    for (const reference of references) {
      plant({ ...tested, acquirer, credentials, wire, clock }, shortReference(reference), {
        ripper_installation: 'ours',
      })
      await clock.advance(1_000)
    }
    const short: Wire = {
      async send(request) {
        const answer = await wire.send(request)
        const { data } = (answer.json ?? {}) as { data?: unknown[] }
        if (data && data.length > 3) throw new TooLong('an answer longer than allowed')
        return answer
      },
    }
    const reading = checkout.open({
      name: acquirer.name,
      installation: 'ours',
      wire: short,
      clock,
      credentials: async () => credentials,
    })
    const live = await reading.listAuthorisations({ since, until: clock.now() })
    expect(live.map(({ reference }) => reference)).toEqual(references)
  })

  test('of more in one moment than a page shows is none', async () => {
    const tested = await openCheckoutUnderTest()
    for (let count = 0; count < 1001; count++) plant(tested, `ORD-${count}`, {})
    const now = tested.clock.now()
    const list = tested.acquirer.listAuthorisations({ since: now, until: now })
    await expect(list).rejects.toThrow('more payments in one moment')
  })
})

describe('check', () => {
  const mode = 'sandbox'

  test('moves nothing', async () => {
    const { wire, credentials, fake } = await openCheckoutUnderTest()
    expect(await checkout.check({ credentials, mode, wire })).toEqual({
      result: 'works',
      notes: [],
    })
    expect(fake.moves()).toBe(0)
  })

  test('says what a key may not', async () => {
    const { wire, credentials, fake } = await openCheckoutUnderTest()
    const forbidding = {
      async send(request: Parameters<typeof wire.send>[0]) {
        if (request.url.endsWith('/search')) fake.next('forbidden', 'ask')
        return wire.send(request)
      },
    }
    expect(await checkout.check({ credentials, mode, wire: forbidding })).toEqual({
      result: 'works',
      notes: [expect.stringContaining('payments:search')],
    })
  })

  test.each<Fault>(['unauthorised', 'forbidden', 'html', 'lose_answer_before', 'error_before'])(
    'fails where the vendor does not show its payments: %s',
    async (fault) => {
      const { wire, credentials, fake } = await openCheckoutUnderTest()
      fake.next(fault, 'ask')
      const answer = await checkout.check({ credentials, mode, wire })
      expect(answer).toEqual({ result: 'fails', reason: expect.stringMatching(/^Checkout\.com/) })
      expect(JSON.stringify(answer)).not.toContain(credentials.secret_key)
    },
  )
})

describe('notices', () => {
  async function happened() {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake, clock, traits, numberFor, readNotices } = tested
    const authorised = authoriseRequest(numberFor('approve'))
    await acquirer.authorise(authorised)
    await clock.advance(1000)
    const capture = settleRequest(authorised)
    await settled(tested, 'capture', capture)
    const reversal = settleRequest(authorised)
    await settled(tested, 'reverse', reversal)
    const declined = authoriseRequest(numberFor('do_not_honor'))
    await acquirer.authorise(declined)
    await clock.advance(traits.settles_after_ms)
    return {
      tested,
      read: readNotices,
      posts: fake.notices(),
      authorised,
      capture,
      reversal,
      declined,
    }
  }

  test('name the operation, and only suggest its outcome', async () => {
    const { tested, read, posts, authorised, capture, reversal, declined } = await happened()
    const [payment, other] = tested.fake.books.payments
    const [first, taken, back] = payment!.actions
    const common = {
      answer: suggests('approved'),
      is_ours: true,
      authorisation_transaction_id: payment!.id,
    }
    const named = (about: string, reference: string, id: string) => ({
      ...common,
      about,
      reference,
      acquirer_transaction_id: id,
      notice_id: expect.stringMatching(/^evt_/),
      occurred_at: expect.any(Date),
    })
    const notices = posts.flatMap(read)
    expect(notices).toEqual([
      named('authorise', authorised.reference, payment!.id),
      named('capture', capture.reference, taken!.id),
      named('reverse', reversal.reference, back!.id),
      {
        ...named('authorise', declined.reference, other!.id),
        authorisation_transaction_id: other!.id,
        answer: suggests('refused'),
      },
    ])
    expect(notices.map(({ occurred_at }) => occurred_at)).toEqual(
      [first, taken, back, other!.actions[0]].map((action) => action!.due_at),
    )
  })

  test('twice, late and out of order they are the same', async () => {
    const { tested, read, posts } = await happened()
    const once = posts.map(read)
    await tested.clock.advance(30 * 24 * 3_600_000)
    const again = posts.toReversed().map(read)
    expect(again.toReversed()).toEqual(once)
  })

  const key = 'a-signature-key-of-a-workflow'
  const event = {
    id: 'evt_1',
    type: 'payment_captured',
    timestamp: '2026-09-01T12:00:00.000+00:00',
    data: { id: 'pay_1', action_id: 'act_1', reference: 'ORD-1' },
  }
  const genuine = signed(key, event)

  test.each<[string, NoticePost]>([
    ['no signature', { ...genuine, headers: {} }],
    ['an empty one', { ...genuine, headers: { 'cko-signature': '' } }],
    ['that of another key', signed('another', event)],
    ['a body that was changed', { ...genuine, body: `${genuine.body} ` }],
    ['half a signature', { ...genuine, headers: { 'cko-signature': 'ab'.repeat(16) } }],
    ['zeros', { ...genuine, headers: { 'cko-signature': '00'.repeat(32) } }],
    ['a signature of no event', signed(key, { hello: 'world' })],
    ['an event without a time', signed(key, { ...event, timestamp: undefined })],
    ['an event without data', signed(key, { ...event, data: undefined })],
  ])('%s is not genuine', async (_, post) => {
    const { readNotices } = await openCheckoutUnderTest()
    expect(() => readNotices(post)).toThrow(NotGenuine)
  })

  test.each<[string, object, object[]]>([
    ["a shop's own", {}, [{ about: 'capture', reference: null, is_ours: null }]],
    [
      'marked by another',
      { data: { ...event.data, metadata: { ripper_installation: 'theirs' } } },
      [{ is_ours: false }],
    ],
    ['a lapse', { type: 'payment_expired' }, [{ about: 'expiry', acquirer_transaction_id: 'pay_1' }]],
    [
      'a dispute',
      { type: 'dispute_received', data: { id: 'dsp_1', payment_id: 'pay_1' } },
      [{ about: 'dispute', authorisation_transaction_id: 'pay_1' }],
    ],
    ['of a type that nobody knows', { type: 'authentication_started' }, []],
    ['of such a type, in another form', { type: 'report_generated', data: undefined }, []],
    ['with an empty reference', { data: { ...event.data, reference: '' } }, [{ about: 'capture', reference: null }]],
  ])('%s', async (_, change, expected) => {
    const { readNotices } = await openCheckoutUnderTest()
    const notices = readNotices(signed(key, { ...event, ...change }))
    expect(notices).toMatchObject(expected)
    expect(notices).toHaveLength(expected.length)
  })

  test.each([
    ['authentication_failed', true],
    ['payment_captured', false],
  ])('%s that is no JSON is taken: %s', async (type, is_taken) => {
    const { readNotices } = await openCheckoutUnderTest()
    const body = JSON.stringify({ ...event, type }).replace('"pay_1"', 'pay_1')
    const signature = createHmac('sha256', key).update(body).digest('hex')
    const post = { headers: { 'cko-signature': signature }, body }
    if (is_taken) expect(readNotices(post)).toEqual([])
    else expect(() => readNotices(post)).toThrow(NotGenuine)
    expect(() => readNotices({ ...post, headers: {} })).toThrow(NotGenuine)
  })
})
