// Capture and cancel of payment intents: what they lead to, what is refused, retries, and a shopper who pays meanwhile.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Answer, visa } from '../support/client.ts'
import { addresses, described, fault, formType, openCompatible, tea } from '../support/compatible.ts'
import { eventsOf, hold } from '../support/holding.ts'
import { drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const compatible = openCompatible(client, account)

type Sent = { at?: string; raw?: string; body?: object; key?: string; bearer?: { authorization: string } }

const post = (verb: 'capture' | 'cancel', id: string, sent: Sent = {}): Promise<Answer> => {
  const { at = described, raw, body, key, bearer = compatible.bearer } = sent
  const headers = { ...bearer, ...(raw !== undefined && formType), ...(key && { 'idempotency-key': key }) }
  return client.send('POST', `${at}/${id}/${verb}`, { headers, raw, body })
}

const unpaid = async () => (await compatible.create(tea)).body.id as string
const held = async (number?: string) => (await hold(account, number)).session.id
/** Held, and captured or voided. */
const decided = async (verb: 'capture' | 'cancel') => {
  const id = await held()
  await post(verb, id)
  return id
}
const paid = async () => (await client.pay(visa)).body.session_id as string
const lost = async () => {
  const session = await client.open()
  await client.present(session, '4000009190450000')
  return (await driving(clock, client.confirm(session))).body.session_id as string
}
const declined = async () => (await client.pay('4000009105980000')).body.session_id as string
const nobodys = async () => 'cs_000000000000000000000000'
const paymentOf = async (id: string) => (await client.readSession(id)).body.payment_id as string

describe('capture', () => {
  test.each(addresses)('takes the whole amount, at %s', async (at) => {
    const id = await held()
    const answer = await post('capture', id, { at, raw: '' })
    expect(answer.body).toMatchObject({ status: 'succeeded', amount_received: 4200, amount_capturable: 0 })
    expect((await compatible.read(id)).body).toEqual(answer.body)
    expect((await eventsOf(service, await paymentOf(id))).map(({ type }) => type)).toEqual([
      'payment.held',
      'payment.captured',
    ])
  })

  test.each([{ raw: 'amount_to_capture=4200' }, { body: { amount_to_capture: 4200 } }, { body: {} }, { raw: '' }])(
    'which may be named: %j',
    async (sent) => {
      expect((await post('capture', await held(), sent)).body.status).toBe('succeeded')
    },
  )

  test.each([
    ['amount_to_capture=4201', 'amount_too_large amount_to_capture'],
    ['amount_to_capture=0', 'parameter_invalid_integer amount_to_capture'],
    ['amount_to_capture=', 'parameter_invalid_empty amount_to_capture'],
    ['amount_to_capture=all', 'parameter_invalid_integer amount_to_capture'],
    ['amount_to_capture=100000000000', 'amount_too_large amount_to_capture'],
    ['final_capture=true', 'parameter_unknown final_capture'],
    ['metadata[a]=b', 'parameter_unknown metadata'],
    ['expand[]=customer', 'parameter_unknown expand'],
  ])('refuses %s', async (raw, expected) => {
    const id = await held()
    expect(fault(await post('capture', id, { raw }))).toBe(`400 invalid_request_error ${expected} invalid_request`)
    expect((await compatible.read(id)).body.status).toBe('requires_capture')
  })

  test('final_capture is told what happens without it', async () => {
    const { body } = await post('capture', await held(), { raw: 'final_capture=true' })
    expect(body.error.message).toContain(
      'final_capture is not supported: delete this line; a payment is captured once, and what is not captured is released.',
    )
  })

  test('with the charge in place of its id', async () => {
    const { latest_charge } = (await post('capture', await held(), { raw: 'expand[]=latest_charge' })).body
    expect(latest_charge).toMatchObject({ object: 'charge', captured: true, amount_captured: 4200 })
  })

  const unexpected = '400 invalid_request_error payment_intent_unexpected_state -'
  test.each<[string, () => Promise<string>, string]>([
    ['requires_payment_method', unpaid, `${unexpected} invalid_request`],
    ['succeeded', paid, `${unexpected} session_completed`],
    ['succeeded', () => decided('capture'), `${unexpected} hold_already_decided`],
    ['processing', lost, `${unexpected} session_processing`],
    ['canceled', declined, `${unexpected} session_expired`],
    ['canceled', () => decided('cancel'), `${unexpected} hold_already_decided`],
    ['nobody’s', nobodys, '404 invalid_request_error resource_missing intent resource_not_found'],
  ])('of one that is %s', async (status, make, expected) => {
    const answer = await post('capture', await make())
    expect(fault(answer)).toBe(expected)
    if (expected.startsWith(unexpected)) expect(answer.body.error.message).toContain(`status is ${status}`)
  })

  test('that the acquirer refuses leaves it held', async () => {
    const id = await held('4000009190520000')
    expect(fault(await post('capture', id))).toBe('400 invalid_request_error operation_refused - operation_refused')
    expect((await compatible.read(id)).body.status).toBe('requires_capture')
  })

  test('a retry gets the first answer, and no second operation', async () => {
    const [id, key] = [await held(), randomUUID()]
    const first = await post('capture', id, { key })
    const again = await post('capture', id, { key, at: addresses[1]! })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(fault(await post('capture', await held(), { key }))).toContain('409 invalid_request_error idempotency_key')
  })

  test('a retry of one that died before it could answer gets what became of it', async () => {
    const [id, key] = [await held(), randomUUID()]
    const first = await post('capture', id, { key })
    await sql`update idempotency_keys set answer = null where key = ${key}`
    const again = await post('capture', id, { key })
    expect([again.status, again.body]).toEqual([200, first.body])
  })
})

describe('cancel', () => {
  test.each(addresses)('ends what is unpaid, at %s', async (at) => {
    const id = await unpaid()
    await clock.advance(60_000)
    const answer = await post('cancel', id, { at, raw: '' })
    const canceled_at = Math.floor(clock.now().getTime() / 1000)
    expect(answer.body).toMatchObject({
      status: 'canceled',
      cancellation_reason: null,
      canceled_at,
      latest_charge: null,
    })
    expect((await compatible.read(id)).body).toEqual(answer.body)
    expect((await client.readSession(id)).body).toMatchObject({ status: 'expired', payment_id: null })
  })

  test.each(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer', '', null])(
    'for a reason: %j',
    async (reason) => {
      for (const id of [await unpaid(), await held()]) {
        const { body } = await post('cancel', id, { body: { cancellation_reason: reason } })
        expect(body).toMatchObject({ status: 'canceled', cancellation_reason: reason || null })
        expect((await compatible.read(id)).body).toEqual(body)
      }
    },
  )

  test('releases what is held', async () => {
    const id = await held()
    const { body } = await post('cancel', id, { raw: 'expand[]=latest_charge&cancellation_reason=duplicate' })
    expect(body).toMatchObject({
      status: 'canceled',
      amount_capturable: 0,
      latest_charge: { amount_refunded: 4200, refunded: true, captured: false },
      ripper: { hold: { status: 'voided', decided_by: 'merchant' } },
    })
    const events = await eventsOf(service, await paymentOf(id))
    expect(events.map(({ type }) => type)).toEqual(['payment.held', 'payment.voided'])
  })

  test('the reason of a cancel that the acquirer refused goes with the next decision', async () => {
    const id = await held('4000009190600000')
    const refused = await post('cancel', id, { body: { cancellation_reason: 'duplicate' } })
    expect(fault(refused)).toBe('400 invalid_request_error operation_refused - operation_refused')
    const rows = () => sql`select cancellation from sessions where session_id = ${id}`
    expect(await rows()).toEqual([{ cancellation: 'duplicate' }])
    expect((await compatible.read(id)).body.cancellation_reason).toBeNull()
    await client.decideHold('void', await paymentOf(id))
    expect(await rows()).toEqual([{ cancellation: null }])
  })

  test('a void by our own route is as it was', async () => {
    const id = await held()
    await client.decideHold('void', await paymentOf(id))
    expect((await compatible.read(id)).body.cancellation_reason).toBe('requested_by_customer')
  })

  const unexpected = '400 invalid_request_error payment_intent_unexpected_state -'
  test.each<[string, () => Promise<string>, string]>([
    ['succeeded', paid, `${unexpected} session_completed`],
    ['processing', lost, `${unexpected} session_processing`],
    ['canceled', declined, `${unexpected} session_expired`],
    ['canceled', () => decided('cancel'), `${unexpected} hold_already_decided`],
    [
      'canceled',
      async () => {
        const id = await unpaid()
        await post('cancel', id)
        return id
      },
      `${unexpected} session_expired`,
    ],
    ['nobody’s', nobodys, '404 invalid_request_error resource_missing intent resource_not_found'],
  ])('of one that is %s', async (status, make, expected) => {
    const answer = await post('cancel', await make())
    expect(fault(answer)).toBe(expected)
    if (expected.startsWith(unexpected)) expect(answer.body.error.message).toContain(`status is ${status}`)
  })

  test.each([
    ['cancellation_reason=expired', 'invalid_request cancellation_reason'],
    ['reason=duplicate', 'parameter_unknown reason'],
  ])('refuses %s', async (raw, expected) => {
    const id = await unpaid()
    expect(fault(await post('cancel', id, { raw }))).toBe(`400 invalid_request_error ${expected} invalid_request`)
    expect((await compatible.read(id)).body.status).toBe('requires_payment_method')
  })

  test.each([
    ['an unpaid one', unpaid],
    ['a held one', held as () => Promise<string>],
  ])('a retry for %s gets the first answer', async (_name, make) => {
    const [id, key] = [await make(), randomUUID()]
    const first = await post('cancel', id, { key })
    await clock.advance(5000)
    const again = await post('cancel', id, { key })
    expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
  })

  test('a retry of a void that died before it could answer gets what became of it', async () => {
    const [id, key] = [await held(), randomUUID()]
    const first = await post('cancel', id, { key })
    await sql`update idempotency_keys set answer = null where key = ${key}`
    expect((await post('cancel', id, { key })).body).toEqual(first.body)
  })

  test('the shopper cannot pay any more', async () => {
    const session = await client.open()
    await client.present(session)
    await post('cancel', session.id)
    expect((await client.confirm(session)).body.error).toBe('session_expired')
  })
})

test.each([
  ['decide_holds', 'capture', 200],
  ['create_payments', 'capture', 403],
  ['create_payments', 'cancel', 200],
  ['decide_holds', 'cancel', 403],
] as const)('a key that may only %s: %s is %i', async (permission, verb, status) => {
  const other = await service.newAccount({ key: { permissions: [permission, 'read_transactions'] } })
  const { bearer } = openCompatible(other.client, other)
  expect((await post(verb, (await hold(other)).session.id, { bearer })).status).toBe(status)
})
