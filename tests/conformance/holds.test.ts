// Decisions on held payments by the API: capture, void, escalate, what they refuse and what a retry gets.

import { describe, expect, test } from 'vitest'
import { refusal } from '../support/client.ts'
import { booksOf, eventsOf, hold } from '../support/holding.ts'
import { newKey } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account } = service

type SentBody = { key: string; raw: string | undefined; type?: string }

function sendBody(verb: string, payment_id: string, { key, raw, type }: SentBody) {
  return account.client.send('POST', `/v1/payments/${payment_id}/hold/${verb}`, {
    headers: {
      ...account.client.withKey,
      'rip-idempotency-key': key,
      ...(raw !== undefined && { 'content-type': type ?? 'application/json' }),
    },
    ...(raw !== undefined && { raw }),
  })
}

/** All that was begun for a held payment, as the journal and the acquirer's operations tell. */
async function decisionsOf(payment_id: string) {
  return service.sql`
    select kind from acquirer_operations where payment_id = ${payment_id} and kind <> 'authorise'
    union all select change from journal where subject = ${payment_id} and change = 'hold.escalated'`
}

const capture_refused = '4000009190520000'
const void_refused = '4000009190600000'

test('a held payment, as everybody reads it', async () => {
  const { client } = account
  const { session, payment_id } = await hold(account)
  const payment = (await client.readPayment(payment_id)).body
  expect(payment).toMatchObject({
    status: 'held',
    capture_state: 'authorised',
    executed_at: null,
    amount_verified: false,
  })
  expect(payment).not.toHaveProperty('hold')
  const read = (await client.readSession(session.id)).body
  expect(read).toMatchObject({ status: 'succeeded', settlement: null })
  expect(read.hold).toEqual({
    status: 'pending_review',
    reason: 'no_price_list',
    detail: null,
    deadline: expect.any(String),
    decided_by: null,
    decided_at: null,
    operation_refusal: null,
  })
  const days = Date.parse(read.hold.deadline) - Date.parse(payment.created_at)
  expect(days).toBe(5 * 24 * 3600 * 1000)
})

test.each([
  ['capture', 'captured', 'captured'],
  ['void', 'voided', 'voided'],
])('%s: %s', async (verb, status, capture_state) => {
  const { client } = account
  const { session, payment_id } = await hold(account)
  const decided = await client.decideHold(verb, payment_id)
  expect(decided.status, decided.text).toBe(200)
  const payment = (await client.readPayment(payment_id)).body
  const { hold: shown, settlement, ...fields } = decided.body
  expect(fields).toEqual(payment)
  expect(settlement).toBeNull()
  expect(payment).toMatchObject({ status, capture_state })
  expect(payment.executed_at === null).toBe(verb === 'void')
  expect(shown).toMatchObject({ status, decided_by: 'merchant', operation_refusal: null })
  const read = (await client.readSession(session.id)).body
  expect(read).toMatchObject({ status: 'succeeded', settlement: null, hold: shown })
  const [held, second, ...more] = await eventsOf(service, payment_id)
  expect(more).toEqual([])
  expect(held).toMatchObject({ sequence: 1, type: 'payment.held' })
  expect(held!.envelope.data.hold).toMatchObject({ status: 'pending_review' })
  expect(second).toMatchObject({ sequence: 2, type: `payment.${status}` })
  expect(second!.envelope).toMatchObject({ sequence: 2, type: `payment.${status}` })
  expect(second!.envelope.data).toMatchObject({ status, capture_state, hold: shown })
  const books = (await booksOf(service, payment_id))!
  expect([books.captured_at !== null, books.voided_at !== null]).toEqual([verb === 'capture', verb === 'void'])
})

test('escalated, then captured', async () => {
  const { client } = account
  const { payment_id } = await hold(account)
  const escalated = await client.decideHold('escalate', payment_id)
  expect(escalated.body).toMatchObject({
    status: 'held',
    hold: { status: 'escalated', decided_by: null, decided_at: null },
  })
  expect((await client.decideHold('escalate', payment_id)).body).toEqual(escalated.body)
  expect(await eventsOf(service, payment_id)).toHaveLength(1)
  const captured = await client.decideHold('capture', payment_id)
  expect(captured.body).toMatchObject({ status: 'captured', hold: { status: 'captured' } })
})

describe.each([
  ['capture', capture_refused, 'void'],
  ['void', void_refused, 'capture'],
])('the first %s is refused', (verb, number, other) => {
  test('the hold stays open, the refusal is read, and the second decision works', async () => {
    const { client } = account
    const { session, payment_id } = await hold(account, number)
    const key = `refused ${verb}`
    const refused = await client.decideHold(verb, payment_id, key)
    expect(refusal(refused)).toBe('409 operation_refused')
    expect(refused.body.message).toMatch(/do_not_honor/)
    expect((await client.readPayment(payment_id)).body.status).toBe('held')
    const { hold: open } = (await client.readSession(session.id)).body
    expect(open).toMatchObject({ status: 'pending_review', decided_by: null, decided_at: null })
    expect(open.operation_refusal).toEqual({
      kind: verb,
      sequence: 1,
      reason: 'The issuer refused it this once',
      decline_code: 'do_not_honor',
      at: expect.any(String),
    })
    expect(await eventsOf(service, payment_id)).toHaveLength(1)
    // The refusal kept nothing under the key.
    const second = await client.decideHold(verb, payment_id, key)
    expect(second.status).toBe(200)
    expect(second.headers.get('rip-idempotent-replayed')).toBe('false')
    expect(second.body.hold.operation_refusal).toMatchObject({ kind: verb, sequence: 1 })
    const operations = await service.sql`
      select kind, sequence, state from acquirer_operations
      where payment_id = ${payment_id} and kind <> 'authorise' order by sequence`
    expect([...operations]).toEqual([
      { kind: verb, sequence: 1, state: 'refused' },
      { kind: verb, sequence: 2, state: 'approved' },
    ])
  })

  test(`${other} is open after it`, async () => {
    const { client } = account
    const { payment_id } = await hold(account, number)
    await client.decideHold(verb, payment_id)
    expect((await client.decideHold(other, payment_id)).status).toBe(200)
  })
})

describe('a decision that was made', () => {
  test.each(['capture', 'void'])('%s: everything after it is refused', async (verb) => {
    const { client } = account
    const { payment_id } = await hold(account)
    await client.decideHold(verb, payment_id)
    for (const next of ['capture', 'void', 'escalate']) {
      expect(refusal(await client.decideHold(next, payment_id))).toBe('409 hold_already_decided')
    }
    expect(await eventsOf(service, payment_id)).toHaveLength(2)
  })

  test.each(['capture', 'void', 'escalate'])('%s: a retry gets the same bytes', async (verb) => {
    const { client } = account
    const { payment_id } = await hold(account)
    const first = await client.decideHold(verb, payment_id, `retried ${verb}`)
    const again = await client.decideHold(verb, payment_id, `retried ${verb}`)
    expect(again.text).toBe(first.text)
    expect(first.headers.get('rip-idempotent-replayed')).toBe('false')
    expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
    expect(again.headers.get('rip-request-id')).not.toBe(first.headers.get('rip-request-id'))
  })

  test.each<[string, string | undefined, string | undefined]>([
    ['without a body, then with an empty object', undefined, '{}'],
    ['with an empty object, then without a body', ' { } ', undefined],
  ])('asked for %s: the same request', async (_, one, other) => {
    const { payment_id } = await hold(account)
    const key = `same ${payment_id}`
    const first = await sendBody('capture', payment_id, { key, raw: one })
    const again = await sendBody('capture', payment_id, { key, raw: other })
    expect([first.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
    const third = await sendBody('capture', payment_id, { key, raw: '{"amount":1}' })
    expect(refusal(third)).toBe('409 idempotency_key_reused')
  })

  test('its key is not good for another decision, nor for another payment', async () => {
    const { client } = account
    const [one, other] = [await hold(account), await hold(account)]
    await client.decideHold('capture', one.payment_id, 'one key')
    for (const [verb, { payment_id }] of [
      ['void', one],
      ['capture', other],
    ] as const) {
      const answer = await client.decideHold(verb, payment_id, 'one key')
      expect(refusal(answer)).toBe('409 idempotency_key_reused')
    }
    expect((await client.readPayment(other.payment_id)).body.status).toBe('held')
  })
})

describe.each(['capture', 'void', 'escalate'])('%s refuses', (verb) => {
  test('a payment that was never held, and one that nobody has', async () => {
    const { client } = account
    const { payment_id } = (await client.pay()).body
    const answers = [
      await client.decideHold(verb, payment_id),
      await client.decideHold(verb, `pay_${'0'.repeat(24)}`),
      await client.decideHold(verb, 'nonsense'),
      await client.decideHold(verb, 'pay_%00'),
    ]
    for (const answer of answers) expect(refusal(answer)).toBe('404 resource_not_found')
  })

  test.each([
    ['a field', '{"sum":1}', /^sum is not a field/],
    ['a field that is null', '{"sum":null}', /^sum is not a field/],
    ['a field that is sent twice', '{"amount":1,"amount":1}', /^amount is sent twice/],
    ['__proto__', '{"__proto__":{}}', /^__proto__ is not a field/],
    ['a list', '[]', /^The body must be a JSON object/],
    ['null', 'null', /^The body must be a JSON object/],
    ['a number', '1', /^The body must be a JSON object/],
    ['broken JSON', '{', /^The body is not valid JSON/],
  ])('a body with %s, before anything is begun', async (_, raw, words) => {
    const { payment_id } = await hold(account)
    const answer = await sendBody(verb, payment_id, { key: `body ${payment_id}`, raw })
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toMatch(words)
    expect(await decisionsOf(payment_id)).toEqual([])
    // Nothing is kept under the key.
    const corrected = await sendBody(verb, payment_id, { key: `body ${payment_id}`, raw: '{}' })
    expect([corrected.status, corrected.headers.get('rip-idempotent-replayed')]).toEqual([200, 'false'])
  })

  test('a form', async () => {
    const { payment_id } = await hold(account)
    const type = 'application/x-www-form-urlencoded'
    const answer = await sendBody(verb, payment_id, { key: 'form', raw: 'amount=1', type })
    expect(refusal(answer)).toBe('415 invalid_request')
    expect(await decisionsOf(payment_id)).toEqual([])
  })

  test("another merchant's held payment", async () => {
    const { payment_id } = await hold(account)
    const other = await service.newAccount()
    const answer = await other.client.decideHold(verb, payment_id)
    const unknown = await other.client.decideHold(verb, `pay_${'0'.repeat(24)}`)
    expect(refusal(answer)).toBe('404 resource_not_found')
    expect(answer.body.message).toBe(unknown.body.message)
  })

  test('a key without the permission, and a request without an idempotency key', async () => {
    const { payment_id } = await hold(account)
    const { secret_key } = await newKey(service.operator, account.merchant_id, {
      permissions: ['create_payments', 'read_transactions', 'manage_webhooks'],
    })
    const answer = await account.client.send('POST', `/v1/payments/${payment_id}/hold/${verb}`, {
      headers: { 'x-service-api-key': secret_key, 'rip-idempotency-key': 'k' },
    })
    expect(refusal(answer)).toBe('403 permission_denied')
    expect(refusal(await account.client.decideHold(verb, payment_id, null))).toBe('400 idempotency_key_missing')
    expect((await account.client.readPayment(payment_id)).body.status).toBe('held')
  })
})
