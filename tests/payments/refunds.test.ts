// Refunds of captured payments by the API: in full, in parts, refused, and known only later.

import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { bytes, refusal } from '../support/client.ts'
import { eventsOf, hold } from '../support/holding.ts'
import { second_ms, useStage } from '../support/settling.ts'
import { together } from '../support/together.ts'

const { clock, service, account, elsewhere, run, settle } = await useStage()
const { client } = account
const { sql } = service
const there = elsewhere(account).client

afterEach(async () => {
  await settle()
  await expectBooksAgree(service)
})

/** A payment of 42.00 that is captured. */
async function paid(): Promise<string> {
  const { body } = await client.pay()
  expect(body.status).toBe('captured')
  return body.payment_id
}

const statusesOf = async (payment_id: string) => {
  const { body } = await client.listRefunds(payment_id)
  return body.refunds.map(({ amount, status }: { amount: number; status: string }) => [amount, status])
}

const refundedAmountOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.refunded_amount

describe('a captured payment', () => {
  test('says what was refunded: what is pending counts, and where nothing was it is absent', async () => {
    const payment_id = await paid()
    expect(await refundedAmountOf(payment_id)).toBeUndefined()
    // The acquirer refuses this one.
    await client.refund(payment_id, { amount: 1013 })
    expect(await refundedAmountOf(payment_id)).toBeUndefined()
    await client.refund(payment_id, { amount: 1000 })
    expect(await refundedAmountOf(payment_id)).toBe(1000)
    await client.refund(payment_id, { amount: 517 })
    expect(await refundedAmountOf(payment_id)).toBe(1517)
  })

  test('is refunded whole where no amount is named, and its status stays', async () => {
    const payment_id = await paid()
    const { status, body } = await client.refund(payment_id, { reason: 'returned' })
    expect(status).toBe(201)
    const at = expect.stringMatching(/^\d{4}-.*\+00:00$/)
    expect(body).toEqual({
      id: expect.stringMatching(/^ref_[0-9a-f]{24}$/),
      payment_id,
      amount: 4200,
      currency: 'GBP',
      mode: 'test',
      status: 'succeeded',
      reason: 'returned',
      failure: null,
      created_at: at,
      settled_at: at,
    })
    expect((await client.readPayment(payment_id)).body.status).toBe('captured')
    expect((await client.readRefund(body.id)).body).toEqual(body)
    expect((await client.listRefunds(payment_id)).body).toEqual({ refunds: [body] })
    expect(refusal(await client.refund(payment_id))).toBe('409 refund_exceeds_captured')
  })

  test('is refunded in parts, newest first, and never by more than is left', async () => {
    const payment_id = await paid()
    expect((await client.refund(payment_id, { amount: 1000 })).status).toBe(201)
    expect((await client.refund(payment_id, { amount: 200 })).status).toBe(201)
    const exceeding = await client.refund(payment_id, { amount: 3001 })
    expect(refusal(exceeding)).toBe('409 refund_exceeds_captured')
    expect(exceeding.body.message).toContain('30.00 GBP is left of the capture')
    expect((await client.refund(payment_id)).body.amount).toBe(3000)
    expect(await statusesOf(payment_id)).toEqual([
      [3000, 'succeeded'],
      [200, 'succeeded'],
      [1000, 'succeeded'],
    ])
  })

  test('can be refunded again where a refund failed', async () => {
    const payment_id = await paid()
    const { status, body } = await client.refund(payment_id, { amount: 1013 })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'failed',
      failure: { code: 'refund_refused', reason: expect.any(String) },
      settled_at: expect.any(String),
    })
    expect((await client.refund(payment_id)).body).toMatchObject({ amount: 4200 })
  })

  test('has a pending refund, which counts, until the acquirer has carried it out', async () => {
    const payment_id = await paid()
    const { body } = await client.refund(payment_id, { amount: 4117 })
    expect(body).toMatchObject({ status: 'pending', settled_at: null, failure: null })
    expect(refusal(await client.refund(payment_id, { amount: 84 }))).toBe('409 refund_exceeds_captured')
    const session = await client.readSession((await client.readPayment(payment_id)).body.checkout_session_id)
    expect(session.body.settlement).toBeNull()
    await clock.advance(29 * second_ms)
    await run('reconcile')
    expect((await client.readRefund(body.id)).body.status).toBe('pending')
    await clock.advance(second_ms)
    await run('reconcile')
    expect((await client.readRefund(body.id)).body).toMatchObject({ status: 'succeeded' })
    const events = await eventsOf(service, body.id)
    expect(events).toMatchObject([{ sequence: 1, type: 'refund.succeeded' }])
  })

  test('answers a repeated request with the same bytes, and refuses another under its key', async () => {
    const payment_id = await paid()
    const key = randomUUID()
    const first = await client.refund(payment_id, { amount: 1017 }, key)
    await settle()
    const again = await there.refund(payment_id, { amount: 1017 }, key)
    expect(bytes(again)).toBe(bytes(first))
    expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
    expect(refusal(await client.refund(payment_id, { amount: 1018 }, key))).toBe('409 idempotency_key_reused')
    expect(refusal(await client.refund(await paid(), { amount: 1017 }, key))).toBe('409 idempotency_key_reused')
    expect(refusal(await client.refund(payment_id, {}, null))).toBe('400 idempotency_key_missing')
    expect(await statusesOf(payment_id)).toEqual([[1017, 'succeeded']])
  })
})

test('an amount of null refunds nothing, as the number that a client meant went wrong', async () => {
  const { payment_id } = (await client.pay()).body
  const answer = await client.refund(payment_id, { amount: null })
  expect(refusal(answer)).toBe('400 invalid_request')
  expect(answer.text).toContain('amount')
  expect((await client.listRefunds(payment_id)).body).toEqual({ refunds: [] })
})

test.each<[string, () => Promise<string>]>([
  ['held', async () => (await hold(account)).payment_id],
  [
    'voided',
    async () => {
      const { payment_id } = await hold(account)
      await client.decideHold('void', payment_id)
      return payment_id
    },
  ],
  ['declined', async () => (await client.pay('4000000000000002')).body.payment_id],
])('what is %s is not refunded', async (_, made) => {
  const payment_id = await made()
  expect(refusal(await client.refund(payment_id))).toBe('409 payment_not_refundable')
  expect((await client.listRefunds(payment_id)).body).toEqual({ refunds: [] })
})

test('a held payment that was captured is refunded', async () => {
  const { payment_id } = await hold(account)
  await client.decideHold('capture', payment_id)
  expect((await client.refund(payment_id)).body.status).toBe('succeeded')
})

describe('many refunds at once, in two processes', () => {
  test('never exceed the capture, whoever comes first', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const payment_id = await paid()
      const asking = Array.from({ length: 12 }, (_, at) => () => {
        const body = at % 4 === 3 ? {} : { amount: 1000 }
        return (at % 2 === 0 ? client : there).refund(payment_id, body)
      })
      const answers = await together(seed, ...asking)
      const made = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status !== 201)
      for (const answer of refused) expect(refusal(answer)).toBe('409 refund_exceeds_captured')
      const sum = made.reduce((total, { body }) => total + body.amount, 0)
      // One of those that take all that is left comes at the end.
      expect(sum).toBe(4200)
      const [row] = await sql`
        select refund_count, refunded_amount from payments where payment_id = ${payment_id}`
      expect(row).toEqual({ refund_count: made.length, refunded_amount: 4200 })
    }
  })

  test('under one key are one', async () => {
    const payment_id = await paid()
    const key = randomUUID()
    const asking = Array.from(
      { length: 8 },
      (_, at) => () => (at % 2 === 0 ? client : there).refund(payment_id, { amount: 500 }, key),
    )
    const answers = await together(1, ...asking)
    for (const answer of answers) {
      if (answer.status !== 201) expect(refusal(answer)).toBe('409 idempotency_key_reused')
    }
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(await statusesOf(payment_id)).toEqual([[500, 'succeeded']])
  })
})

test('the database refuses a sum beyond the capture, whatever the code does', async () => {
  const payment_id = await paid()
  await client.refund(payment_id, { amount: 1000 })
  for (const refunded_amount of [4201, -1]) {
    const writing = sql`update payments set refunded_amount = ${refunded_amount} where payment_id = ${payment_id}`
    await expect(writing).rejects.toThrow('payments_refunded_amount_check')
  }
})

test("another account's payment and refund are not there", async () => {
  const payment_id = await paid()
  const { body } = await client.refund(payment_id, { amount: 1 })
  const { client: stranger } = await service.newAccount()
  expect(refusal(await stranger.refund(payment_id))).toBe('404 resource_not_found')
  expect(refusal(await stranger.listRefunds(payment_id))).toBe('404 resource_not_found')
  expect(refusal(await stranger.readRefund(body.id))).toBe('404 resource_not_found')
})
