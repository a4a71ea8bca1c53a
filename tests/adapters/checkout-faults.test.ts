// Checkout.com's connector when an answer is lost, wrong or refused: one request at most, one charge at most, and a look-up that
// tells what became of it.

import { describe, expect, test } from 'vitest'
import { NotSent, Unanswered } from '../../src/acquirers/acquirer.ts'
import { authoriseRequest, lookUpOf, nameOf, outcomeOf, settled, settleRequest } from './acquirer-requests.ts'
import type { Fault } from './fakes/checkout/faults.ts'
import { type CheckoutUnderTest, connection_name, openCheckoutUnderTest } from './fakes/checkout/under-test.ts'

const secret_code = '987'
const failed = {
  result: 'failed',
  decline: { code: 'processing_error', category: 'provider_error', reason: expect.stringContaining(connection_name) },
  acquirer_transaction_id: null,
}
const approved = { result: 'approved', amount: 4200, currency: 'GBP', captured: false }
const under_way = { result: 'under_way', acquirer_transaction_id: expect.stringMatching(/^pay_/) }

function charge({ numberFor }: CheckoutUnderTest, change = {}) {
  const request = authoriseRequest(numberFor('approve'), change)
  return { ...request, card: { ...request.card, cvc: secret_code } }
}

/** What an answer or an error says, for a search. */
async function said(call: Promise<unknown>): Promise<{ value: unknown; text: string }> {
  const value = await call.catch((error: unknown) => error)
  const text = value instanceof Error ? `${value.message} ${value.stack}` : JSON.stringify(value)
  return { value, text }
}

describe('a charge', () => {
  test.each<[Fault, object | null, 'found' | 'not_found']>([
    ['lose_answer_before', null, 'not_found'],
    ['lose_answer_after', null, 'found'],
    ['error_before', null, 'not_found'],
    ['error_after', null, 'found'],
    ['conflict', null, 'found'],
    ['too_many', null, 'not_found'],
    ['html', null, 'found'],
    ['html_404', null, 'found'],
    ['proxy_says_422', null, 'found'],
    ['empty', null, 'found'],
    ['truncated', null, 'found'],
    ['wrong_reference', null, 'found'],
    ['unauthorised', failed, 'not_found'],
    ['forbidden', failed, 'not_found'],
    ['blocked', failed, 'not_found'],
    ['unprocessable', failed, 'not_found'],
    ['wrong_amount', { ...approved, amount: 1 }, 'found'],
    ['wrong_currency', { ...approved, currency: 'EUR' }, 'found'],
    ['strange_currency', under_way, 'found'],
    ['strange_status', under_way, 'found'],
    ['contradiction', under_way, 'found'],
  ])('%s', async (fault, expected, look) => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake, credentials } = tested
    const request = charge(tested)
    fake.next(fault)
    const { value, text } = await said(acquirer.authorise(request))
    if (expected) expect(value).toMatchObject(expected)
    else expect(value).toBeInstanceOf(Unanswered)
    expect(fake.moves()).toBe(1)
    expect(fake.books.payments).toHaveLength(look === 'found' ? 1 : 0)
    const found = await acquirer.lookUp(lookUpOf(request.reference))
    expect(found).toMatchObject(
      look === 'found' ? { result: look, answer: approved, standing: { state: 'reserved' } } : {},
    )
    expect(found.result).toBe(look)
    for (const secret of [request.card.number, credentials.secret_key, credentials.signature_key]) {
      expect(text).not.toContain(secret)
    }
    expect(value instanceof Error ? value.message : text).not.toContain(secret_code)
  })

  test('one that takes its time is waited for', async () => {
    const tested = await openCheckoutUnderTest()
    tested.fake.next('slow')
    const answer = tested.acquirer.authorise(charge(tested))
    await tested.clock.sleepers(24_000)
    await tested.clock.advance(24_000)
    expect(await answer).toMatchObject(approved)
    expect(tested.fake.moves()).toBe(1)
  })

  test('an amount that cannot be expressed is failed, and nothing is sent', async () => {
    const tested = await openCheckoutUnderTest()
    const request = charge(tested, { currency: 'CLF', amount: 12_345 })
    expect(await tested.acquirer.authorise(request)).toMatchObject(failed)
    expect(tested.sent).toEqual([])
  })

  test('with 3-D Secure data is taken', async () => {
    const tested = await openCheckoutUnderTest()
    const three_ds = {
      version: '2.2.0',
      eci: '05',
      authentication_value: 'AAABAVIREQAAAAAAAAAAAAAAAAA=',
      ds_transaction_id: 'f38e6948-5388-41a6-bca4-b49723c19437',
      status: 'Y',
      ares_status: 'C',
    }
    const request = charge(tested, { three_ds })
    expect(await tested.acquirer.authorise(request)).toMatchObject(approved)
  })
})

describe('a capture, void, reversal or refund', () => {
  const kinds = ['capture', 'void', 'reverse', 'refund'] as const
  const rows: [Fault, 'found' | 'not_found'][] = [
    ['lose_answer_before', 'not_found'],
    ['lose_answer_after', 'found'],
    ['error_before', 'not_found'],
    ['error_after', 'found'],
    ['conflict', 'found'],
    ['too_many', 'not_found'],
    ['html', 'found'],
    ['html_404', 'found'],
    ['empty', 'found'],
    ['truncated', 'found'],
  ]

  test.each(kinds.flatMap((kind) => rows.map((row) => [kind, ...row] as const)))(
    '%s: %s',
    async (kind, fault, look) => {
      const tested = await openCheckoutUnderTest()
      const { acquirer, fake, clock, traits } = tested
      const authorised = charge(tested, { capture: kind === 'refund' })
      await acquirer.authorise(authorised)
      await clock.advance(traits.settles_after_ms)
      const request = settleRequest(authorised)
      fake.next(fault)
      await expect(acquirer[kind](request)).rejects.toBeInstanceOf(Unanswered)
      expect(fake.moves()).toBe(2)
      await clock.advance(traits.settles_after_ms)
      const { authorisation, reference } = request
      const asked = { ...lookUpOf(reference, kind), authorisation }
      const answer = { result: 'approved' }
      expect(await acquirer.lookUp(asked)).toMatchObject(
        look === 'found' ? { result: 'found', kind, answer } : { result: 'not_found' },
      )
      // What was looked for and not found may go out again; of what a key does not keep, a refund may not.
      if (kind === 'refund' && look === 'found') return
      expect(await settled(tested, kind, request)).toMatchObject(answer)
      const [payment] = fake.books.payments
      const own = fake.books.actionsOf(payment!).filter(({ type }) => type !== 'Authorization')
      expect(own).toHaveLength(kind === 'refund' ? 2 : 1)
    },
  )

  test.each<[Fault, string]>([
    ['unauthorised', 'credentials'],
    ['forbidden', 'may not'],
    ['unprocessable', 'processing_channel_id_invalid'],
  ])('%s refuses, and says which connection', async (fault, words) => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const authorised = charge(tested)
    await acquirer.authorise(authorised)
    fake.next(fault)
    const answer = await acquirer.capture(settleRequest(authorised))
    expect(answer).toMatchObject({ result: 'refused', authorisation_known: true })
    expect(answer).toMatchObject({ reason: expect.stringContaining(words) })
    expect(answer).toMatchObject({ reason: expect.stringContaining(connection_name) })
  })

  test('why it was refused cannot be asked: it may have been the second request', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const authorised = charge(tested)
    const { acquirer_transaction_id } = await acquirer.authorise(authorised)
    fake.next('forbidden')
    fake.next('error_before', 'ask')
    const authorisation = { ...nameOf(authorised.reference), acquirer_transaction_id }
    const capture = acquirer.capture(settleRequest(authorised, { authorisation }))
    await expect(capture).rejects.toBeInstanceOf(Unanswered)
  })

  test('one whose payment cannot be looked for sends nothing', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const authorised = charge(tested)
    await acquirer.authorise(authorised)
    fake.next('truncated', 'ask')
    const call = acquirer.capture(settleRequest(authorised))
    await expect(call).rejects.toBeInstanceOf(Unanswered)
    expect(fake.moves()).toBe(1)
  })

  test('by an id, nothing is looked up before it', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, sent } = tested
    const authorised = charge(tested)
    const { acquirer_transaction_id } = await acquirer.authorise(authorised)
    const authorisation = { ...nameOf(authorised.reference), acquirer_transaction_id }
    const request = settleRequest(authorised, { authorisation })
    const answer = await acquirer.capture(request)
    expect(sent).toHaveLength(2)
    expect(await outcomeOf(tested, 'capture', request, answer)).toMatchObject({
      result: 'approved',
    })
  })
})

describe('a look-up', () => {
  test.each<Fault>([
    ...(['error_before', 'unauthorised', 'forbidden', 'too_many', 'html', 'html_404'] as const),
    ...(['truncated', 'empty', 'lose_answer_before'] as const),
  ])('throws where it could not ask: %s', async (fault) => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const authorised = charge(tested)
    await acquirer.authorise(authorised)
    fake.next(fault, 'ask')
    await expect(acquirer.lookUp(lookUpOf(authorised.reference))).rejects.toBeInstanceOf(Unanswered)
  })

  test('one that does not show yet what was written does not find it', async () => {
    const tested = await openCheckoutUnderTest()
    const { acquirer, fake } = tested
    const authorised = charge(tested)
    await acquirer.authorise(authorised)
    fake.next('lagging', 'ask')
    const look = lookUpOf(authorised.reference)
    expect(await acquirer.lookUp(look)).toEqual({ result: 'not_found' })
    expect(await acquirer.lookUp(look)).toMatchObject({ result: 'found' })
  })
})

describe('credentials', () => {
  test('are read at each call, and without them nothing is sent', async () => {
    const tested = await openCheckoutUnderTest()
    const { openWith, sent, fake } = tested
    const none = openWith(null)
    const request = charge(tested)
    const calls = [
      () => none.authorise(request),
      () => none.capture(settleRequest(request)),
      () => none.lookUp(lookUpOf(request.reference)),
      () => none.listAuthorisations({ since: new Date(0), until: new Date(1) }),
    ]
    for (const call of calls) await expect(call()).rejects.toBeInstanceOf(NotSent)
    expect(sent).toEqual([])
    const wrong = openWith({ secret_key: 'sk_sbox_wrong' })
    expect(await wrong.authorise(request)).toMatchObject(failed)
    expect(fake.books.payments).toEqual([])
  })

  test('where nobody listens, nothing was sent', async () => {
    const tested = await openCheckoutUnderTest()
    const elsewhere = tested.openWith({ api_url: 'http://127.0.0.1:9' })
    await expect(elsewhere.authorise(charge(tested))).rejects.toBeInstanceOf(NotSent)
  })
})
