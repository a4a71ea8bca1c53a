// Money that is taken when the goods leave, whole or in part: what waits, what is taken and told, what may be given back, and what
// comes of answers that were lost.

import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { refusal, visa } from '../support/client.ts'
import { openCompatible } from '../support/compatible.ts'
import { eventsOf, hold } from '../support/holding.ts'
import { type Account, driving } from '../support/service.ts'
import { day_ms, faults, hour_ms, second_ms, useStage } from '../support/settling.ts'

const { clock, acquirer, service, account, elsewhere, run, settle } = await useStage()

afterEach(async () => {
  await settle()
  await expectBooksAgree(service)
})

const manual = (rules: object = {}) => service.newAccount({ integration: { capture: 'manual', ...rules } })

/** A payment of 4200 whose amount is verified and which waits for its goods. */
async function waiting({ client }: Account) {
  const answer = await client.pay(visa)
  expect(answer.body).toMatchObject({ status: 'held' })
  return answer.body as { session_id: string; payment_id: string }
}

const capture = ({ client }: Account, id: string, amount?: unknown, key = randomUUID()) =>
  client.decideHold('capture', id, key, amount === undefined ? undefined : { amount })

const read = async ({ client }: Account, id: string) => (await client.readPayment(id)).body

describe('an integration that captures by hand', () => {
  test('holds a verified amount, whatever may be captured below', async () => {
    const shop = await manual({ capture_below: 5000 })
    const { session_id, payment_id } = await waiting(shop)
    expect(await read(shop, payment_id)).toMatchObject({ status: 'held', amount_verified: true, executed_at: null })
    const { hold } = (await shop.client.readSession(session_id)).body
    expect(hold).toMatchObject({ status: 'pending_review', reason: 'manual_capture', detail: null })
    await run('apply_hold_rules')
    expect((await read(shop, payment_id)).status).toBe('held')
    const [event, ...more] = await eventsOf(service, payment_id)
    expect(event).toMatchObject({ type: 'payment.held' })
    expect(event!.envelope.data).toMatchObject({ captured_amount: null, hold: { reason: 'manual_capture' } })
    expect(more).toEqual([])
  })

  test('keeps the reason of an amount that was not verified', async () => {
    const shop = await manual({ capture_below: 5000 })
    const held = await hold(shop)
    await run('apply_hold_rules')
    const { hold: shown } = (await shop.client.readSession(held.session.id)).body
    expect(shown).toMatchObject({ status: 'pending_review', reason: 'no_price_list' })
  })

  test.each([
    ['void', 'voided'],
    ['capture', 'captured'],
  ] as const)('at the deadline: %s', async (at_deadline, status) => {
    const shop = await manual({ at_deadline, review_window_seconds: 3600 })
    const { payment_id } = await waiting(shop)
    await clock.advance(hour_ms)
    await run('apply_hold_rules')
    const payment = await read(shop, payment_id)
    expect(payment.status).toBe(status)
    expect(payment).not.toHaveProperty('captured_amount')
  })

  test('that takes money at once again does not change what waits', async () => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    await service.sql`update integrations set capture = 'automatic' where merchant_id = ${shop.merchant_id}`
    expect((await read(shop, payment_id)).status).toBe('held')
    expect((await capture(shop, payment_id)).body.status).toBe('captured')
  })
})

describe('a part', () => {
  test.each([1, 2100, 4199])('of %i of 4200 is taken and told', async (amount) => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    const answer = await capture(shop, payment_id, amount)
    expect(answer.body, answer.text).toMatchObject({ status: 'captured', amount: 4200, captured_amount: amount })
    expect(await read(shop, payment_id)).toMatchObject({ status: 'captured', captured_amount: amount })
    const [, told] = await eventsOf(service, payment_id)
    expect(told).toMatchObject({ sequence: 2, type: 'payment.captured' })
    expect(told!.envelope.data).toMatchObject({ amount: 4200, captured_amount: amount })
    const list = (await shop.client.send('GET', '/v1/payments', { headers: shop.client.withKey })).body.data
    expect(list[0]).toMatchObject({ id: payment_id, captured_amount: amount })
  })

  test('of an amount that was not verified', async () => {
    const { payment_id } = await hold(account)
    expect((await capture(account, payment_id, 100)).body).toMatchObject({ status: 'captured', captured_amount: 100 })
  })

  test.each([[4200], [undefined]])('that is the whole: %s', async (amount) => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    const answer = await capture(shop, payment_id, amount)
    expect(answer.body.status).toBe('captured')
    expect(answer.body).not.toHaveProperty('captured_amount')
    const [, told] = await eventsOf(service, payment_id)
    expect(told!.envelope.data.captured_amount).toBeNull()
  })

  test.each([[null], [0], [-1], [1.5], ['100'], [4201], [99_999_999_999], [1e12], [true], [{}]])(
    'that cannot be: %j',
    async (amount) => {
      const shop = await manual()
      const { payment_id } = await waiting(shop)
      const answer = await capture(shop, payment_id, amount)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.body.message).toMatch(/^amount.* (from 1 to what was authorised|at most 4200)/)
      expect(answer.headers.get('rip-error-field')).toBe('amount')
      expect((await read(shop, payment_id)).status).toBe('held')
    },
  )

  test.each(['void', 'escalate'])('is nothing for %s', async (verb) => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    const answer = await shop.client.decideHold(verb, payment_id, randomUUID(), { amount: 100 })
    expect(refusal(answer)).toBe('400 invalid_request')
  })

  test('is captured once, and under a key for one amount', async () => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    const key = randomUUID()
    const first = await capture(shop, payment_id, 100, key)
    expect((await capture(shop, payment_id, 100, key)).text).toBe(first.text)
    expect(refusal(await capture(shop, payment_id, 200, key))).toBe('409 idempotency_key_reused')
    expect(refusal(await capture(shop, payment_id, 200))).toBe('409 hold_already_decided')
  })

  test('bounds what is refunded', async () => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    await capture(shop, payment_id, 1000)
    const { client } = shop
    expect(refusal(await client.refund(payment_id, { amount: 1001 }))).toMatch(/^409 /)
    expect((await client.refund(payment_id, { amount: 400 })).body).toMatchObject({ status: 'succeeded' })
    expect(refusal(await client.refund(payment_id, { amount: 601 }))).toMatch(/^409 /)
    expect((await client.refund(payment_id)).body).toMatchObject({ status: 'succeeded', amount: 600 })
    expect(await read(shop, payment_id)).toMatchObject({ captured_amount: 1000, refunded_amount: 1000 })
    expect(refusal(await client.refund(payment_id))).toMatch(/^409 /)
  })

  test('that is refunded twice at once is given back once', async () => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    await capture(shop, payment_id, 1000)
    const both = [shop, elsewhere(shop)].map(({ client }) => client.refund(payment_id, { amount: 600 }))
    const answers = (await Promise.all(both)).map(({ status }) => status)
    expect(answers.toSorted()).toEqual([201, 409])
    expect((await read(shop, payment_id)).refunded_amount).toBe(600)
  })

  test('and other decisions at the same instant end in exactly one', async () => {
    const shop = await manual()
    for (let round = 0; round < 10; round++) {
      const { payment_id } = await waiting(shop)
      const there = elsewhere(shop)
      const answers = await driving(
        clock,
        Promise.all([
          capture(shop, payment_id, 100),
          capture(there, payment_id, 200),
          shop.client.decideHold('void', payment_id),
          there.client.decideHold('capture', payment_id),
        ]),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await eventsOf(service, payment_id)).toHaveLength(2)
    }
  })

  test.each(Object.keys(faults) as (keyof typeof faults)[])('whose answer is %s', async (name) => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    acquirer.meet('capture', faults[name])
    const answer = await driving(clock, capture(shop, payment_id, 700))
    expect([200, 202, 409]).toContain(answer.status)
    await settle()
    const payment = await read(shop, payment_id)
    if (name === 'not_sent') expect(payment.status).toBe('held')
    else expect(payment).toMatchObject({ status: 'captured', captured_amount: 700 })
    const captures = await service.sql`
      select amount from acquirer_operations where payment_id = ${payment_id} and kind = 'capture'`
    expect(captures).toMatchObject([{ amount: 700 }])
  })

  test('that the acquirer cannot capture is refused before anything is written', async () => {
    const shop = await manual()
    const { payment_id } = await waiting(shop)
    const { acquirerOf } = service.context
    service.context.acquirerOf = (...of) => ({ ...acquirerOf(...of), partialCaptureRefusal: () => 'whole units only' })
    try {
      const answer = await capture(shop, payment_id, 150)
      expect(refusal(answer)).toBe('409 operation_refused')
      expect(answer.body.message).toMatch(/^amount: .*whole units only/)
      expect(answer.headers.get('rip-error-field')).toBe('amount')
    } finally {
      service.context.acquirerOf = acquirerOf
    }
    const [operations] = await service.sql`
      select count(*)::int as count from acquirer_operations where payment_id = ${payment_id} and kind = 'capture'`
    expect(operations).toEqual({ count: 0 })
    expect((await capture(shop, payment_id, 150)).status).toBe(200)
  })
})

test('the deadline is the end of the authorisation, where that comes first', async () => {
  const shop = await manual({ review_window_seconds: 30 * 24 * 3600 })
  const { acquirerOf } = service.context
  service.context.acquirerOf = (...of) => ({
    ...acquirerOf(...of),
    expiryOf: ({ authorised_at }) => new Date(authorised_at.getTime() + 7 * day_ms),
  })
  try {
    const { session_id, payment_id } = await waiting(shop)
    const { hold } = (await shop.client.readSession(session_id)).body
    const age_ms = Date.parse(hold.deadline) - Date.parse((await read(shop, payment_id)).created_at)
    expect(age_ms).toBe(7 * day_ms)
    await clock.advance(7 * day_ms - second_ms)
    await run('apply_hold_rules')
    expect((await read(shop, payment_id)).status).toBe('held')
    await clock.advance(second_ms)
    await run('apply_hold_rules')
    expect((await read(shop, payment_id)).status).toBe('voided')
  } finally {
    service.context.acquirerOf = acquirerOf
  }
})

test('an unpaid intent tells how its integration captures', async () => {
  const [shop, usual] = [await manual(), account].map((each) => openCompatible(each.client, each))
  const intent = { amount: 4200, currency: 'gbp' }
  for (const [compatible, capture_method] of [
    [shop, 'manual'],
    [usual, 'automatic'],
  ] as const) {
    const created = (await compatible!.create(intent)).body
    expect(created).toMatchObject({ status: 'requires_payment_method', capture_method })
    expect((await compatible!.read(created.id)).body).toMatchObject({ capture_method })
  }
})

test('in the other platform’s words', async () => {
  const shop = await manual()
  const compatible = openCompatible(shop.client, shop)
  const { session_id, payment_id } = await waiting(shop)
  const post = (amount_to_capture: number) =>
    shop.client.send('POST', `/v1/payment_intents/${session_id}/capture`, {
      headers: compatible.bearer,
      body: { amount_to_capture },
    })
  expect((await compatible.read(session_id)).body).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 4200,
  })
  expect((await post(4201)).body.error).toMatchObject({ code: 'amount_too_large', param: 'amount_to_capture' })
  const { body } = await post(1000)
  expect(body).toMatchObject({ status: 'succeeded', amount: 4200, amount_received: 1000, amount_capturable: 0 })
  const charge = () =>
    shop.client.send('GET', `/v1/charges/${payment_id.replace('pay_', 'ch_')}`, { headers: compatible.bearer })
  expect((await charge()).body).toMatchObject({
    amount: 4200,
    amount_captured: 1000,
    amount_refunded: 3200,
    refunded: false,
  })
  await shop.client.refund(payment_id)
  expect((await charge()).body).toMatchObject({ amount_captured: 1000, amount_refunded: 4200, refunded: true })
})
