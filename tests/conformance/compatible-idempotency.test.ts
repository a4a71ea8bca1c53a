// Idempotency of the compatible create: which keys there are, what a retry gets, and what tells clients to try again.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Answer, purchase } from '../support/client.ts'
import { addresses, described, fault, formOf, openCompatible, tea } from '../support/compatible.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const compatible = openCompatible(service.client, service.account)

const teaForm = formOf({ ...tea, amount: String(tea.amount) })
const keyed = (key: string, name = 'idempotency-key') => ({ headers: { [name]: key } })
const told = ({ headers }: Answer) => ({
  key: headers.get('idempotency-key'),
  replayed: headers.get('idempotent-replayed'),
  ours: headers.get('rip-idempotent-replayed'),
  warning: headers.has('rip-idempotency-warning'),
  retry: headers.get('stripe-should-retry'),
})

test('a retry gets the first answer’s bytes, secret and all, whichever header the key is in', async () => {
  const key = randomUUID()
  const first = await compatible.create(tea, keyed(key))
  const second = await compatible.create(tea, keyed(key))
  const third = await compatible.create(tea, keyed(key, 'rip-idempotency-key'))
  expect([second.status, second.text, third.text]).toEqual([200, first.text, first.text])
  const of = { key, ours: 'true', replayed: 'true', warning: false, retry: null }
  expect(told(first)).toEqual({ ...of, replayed: null, ours: 'false' })
  expect(told(second)).toEqual(of)
  expect(told(third)).toEqual({ ...of, key: null })
  const ids = [first, second, third].map(({ headers }) => headers.get('request-id'))
  expect(new Set(ids).size).toBe(3)
})

test.each(['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242', '30569309025904'])(
  'a key such as %s works, and is not said again',
  async (key) => {
    const first = await compatible.create(tea, keyed(key))
    expect([first.status, told(first).key]).toEqual([200, null])
    expect((await compatible.create(tea, keyed(key))).text).toBe(first.text)
  },
)

test.each([
  // Of no scheme, a wrong check digit, too long, and what is more than a number.
  ...['1764000000000', '9780306406157', '4242424242424241', '42424242424242424242'],
  ...['order-4242424242424242', 'a4242424242424242', '2026-09-01 12:00:00.1234567', 'cart_20260901120000'],
  ...['01890a5d-ac96-774b-bcce-b302099a8057', '4242.4242.4242.4242'],
])('a key such as %s is said again', async (key) => {
  expect(told(await compatible.create(tea, keyed(key))).key).toBe(key)
})

test('at every address and in both encodings it is one request', async () => {
  const key = randomUUID()
  const first = await compatible.create(tea, keyed(key))
  for (const at of addresses) {
    for (const send of [compatible.create, compatible.createForm]) {
      const body = (send === compatible.create ? tea : teaForm) as never
      const again = await send(body, { ...keyed(key), at })
      expect([again.status, again.text]).toEqual([200, first.text])
    }
  }
})

test('without a key each is a session of its own, and that is said', async () => {
  const [first, second] = [await compatible.create(), await compatible.create()]
  expect(first.body.id).not.toBe(second.body.id)
  expect(told(first)).toEqual({ key: null, replayed: null, ours: null, warning: true, retry: null })
  const rows = await service.sql`
    select 1 from sessions where session_id = any(${[first.body.id, second.body.id]})`
  expect(rows).toHaveLength(2)
})

describe('the same key for something else', () => {
  const reused = '409 invalid_request_error idempotency_key_reused - idempotency_key_reused'

  test('another body', async () => {
    const key = randomUUID()
    await compatible.create(tea, keyed(key))
    const answer = await compatible.create({ ...tea, amount: 1 }, keyed(key))
    expect(fault(answer)).toBe(reused)
    expect(told(answer)).toMatchObject({ retry: 'false', key })
    // Told of before what is wrong with the body.
    expect(fault(await compatible.create({}, keyed(key)))).toBe(reused)
  })

  test('the API’s own create, and the other way round', async () => {
    const [key, other] = [randomUUID(), randomUUID()]
    await compatible.create(tea, keyed(key))
    expect((await service.client.create(purchase, key)).body.error).toBe('idempotency_key_reused')
    await service.client.create(purchase, other)
    expect(fault(await compatible.create(tea, keyed(other)))).toBe(reused)
  })

  test('the first is still running', async () => {
    const key = randomUUID()
    const { promise: release, resolve } = Promise.withResolvers<void>()
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
    const holding = service.sql.begin(async (tx) => {
      await tx`insert into idempotency_keys
        (merchant_id, audience, key, route, fingerprint, status, answer, created_at)
        values (${service.account.merchant_id}, 'secret', ${key}, 'r', ${Buffer.alloc(32)}, 200,
          ${Buffer.alloc(1)}, ${new Date()})`
      lock()
      await release
      throw new Error('taken back')
    })
    await locked
    const answer = await compatible.create(tea, keyed(key))
    const running = '409 invalid_request_error idempotency_key_in_use - idempotency_key_reused'
    expect(fault(answer)).toBe(running)
    expect(told(answer)).toMatchObject({ retry: 'true', key })
    resolve()
    await holding.catch(() => {})
    const again = await until(
      () => compatible.create(tea, keyed(key)),
      ({ status }) => status === 200,
    )
    expect(told(again).ours).toBe('false')
  })
})

test('a refusal keeps nothing: the same key with the right body', async () => {
  const key = randomUUID()
  expect((await compatible.create({ ...tea, amount: 0 }, keyed(key))).status).toBe(400)
  const answer = await compatible.create(tea, keyed(key))
  expect([answer.status, told(answer).ours]).toEqual([200, 'false'])
})

test.each([
  ['empty', { 'idempotency-key': '' }, 'idempotency_key_missing', null],
  ['256 characters', { 'idempotency-key': 'x'.repeat(256) }, 'idempotency_key_missing', null],
  ['not ASCII', { 'idempotency-key': 'é' }, 'idempotency_key_missing', null],
  ['ours too long', { 'rip-idempotency-key': 'x'.repeat(256) }, 'idempotency_key_missing', null],
  ['two different ones', { 'idempotency-key': 'a', 'rip-idempotency-key': 'b' }, 'invalid_idempotency_key', 'a'],
])('a key that is no use: %s', async (_name, headers, code, echo) => {
  const answer = await compatible.create(tea, { headers })
  expect(fault(answer)).toBe(`400 invalid_request_error ${code} - ${code}`)
  expect(told(answer).key).toBe(echo)
})

test('255 characters, and the same in both headers', async () => {
  const key = randomUUID().padEnd(255, '~ ')
  const headers = { 'idempotency-key': key, 'rip-idempotency-key': key }
  const answer = await compatible.create(tea, { headers })
  expect([answer.status, told(answer).key]).toEqual([200, key.trimEnd()])
})

test('two equal lines of it', async () => {
  const key = randomUUID()
  const { base_url } = service
  const headers = { ...compatible.bearer, 'idempotency-key': [key, key] }
  const sent = request(`${base_url}${described}`, { method: 'POST', headers })
  const [answer] = await once(sent.end(JSON.stringify(tea)), 'response')
  answer.resume()
  expect([answer.statusCode, answer.headers['idempotency-key']]).toEqual([200, key])
})

test.each([
  ['2026-10-28.endive', '2026-10-28.endive'],
  ['x y', null],
  ['4242424242424242', null],
  ['x'.repeat(65), null],
])('Stripe-Version %s changes nothing', async (version, echo) => {
  const more = { 'stripe-version': version }
  const answer = await compatible.create(tea, { headers: more })
  expect([answer.status, answer.headers.get('stripe-version')]).toEqual([200, echo])
})

test.each(['Stripe-Account', 'Stripe-Context'])('%s is refused by name', async (name) => {
  const answer = await compatible.create(tea, { headers: { [name]: 'acct_1' } })
  expect(fault(answer)).toBe(`400 invalid_request_error invalid_request ${name} invalid_request`)
  expect(fault(await compatible.read('cs_x', { headers: { [name]: '' } }))).toContain(`400 invalid_request_error`)
})

test('twenty at once under one key make one session', async () => {
  const key = randomUUID()
  const answers = await Promise.all(
    addresses.flatMap((at) => Array.from({ length: 4 }, () => compatible.create(tea, { ...keyed(key), at }))),
  )
  const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body.id)
  expect(new Set(ids).size).toBe(1)
  const others = answers.filter(({ status }) => status !== 200)
  expect(others.map(({ status }) => status).filter((status) => status !== 409)).toEqual([])
})
