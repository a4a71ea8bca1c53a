// Idempotency of creates: what a retry gets, which keys are taken, and what a refusal leaves behind.

import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { bytes, purchase, refusal, wordsOf } from '../support/client.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service

const path = '/v1/checkout/sessions'
const sendRaw = (key: string, raw: string) =>
  client.send('POST', path, {
    headers: { ...client.withKey, 'rip-idempotency-key': key, 'content-type': 'application/json' },
    raw,
  })

test('a retry gets the first answer byte for byte, under a request id of its own', async () => {
  const first = await client.create(purchase, 'retry')
  const again = await client.create(purchase, 'retry')
  expect(first.headers.get('rip-idempotent-replayed')).toBe('false')
  expect(again.headers.get('rip-idempotent-replayed')).toBe('true')
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('rip-request-id')).not.toBe(first.headers.get('rip-request-id'))
})

test('member order, white space and spelling do not matter', async () => {
  const first = await sendRaw('spelling', '{"amount":100,"currency":"GBP","metadata":{"a":"1","b":"é"}}')
  const again = await sendRaw('spelling', ' {"metadata" : {"b":"\\u00e9", "a":"1"},\n"currency":"GBP","amount":1e2}\n')
  expect([again.status, again.text]).toEqual([201, first.text])
})

test.each([
  ['another amount', { ...purchase, amount: 4201 }],
  ['one field more', { ...purchase, metadata: {} }],
  ['another order of items', { ...purchase, items: [] }],
  ['an invalid body', { ...purchase, amount: 0 }],
  ['card data', { ...purchase, order_reference: '4242424242424242' }],
  ['no object', []],
])('the key with %s is refused', async (name, body) => {
  await client.create(purchase, `reuse ${name}`)
  const answer = await client.create(body, `reuse ${name}`)
  expect(refusal(answer)).toBe('409 idempotency_key_reused')
  expect(wordsOf(answer)).not.toContain('4242')
  expect((await client.create(purchase, `reuse ${name}`)).status).toBe(201)
})

test('a refusal stores nothing: the same key may come with a corrected body', async () => {
  for (const amount of [0, -1]) {
    expect(refusal(await client.create({ ...purchase, amount }, 'corrected'))).toBe('400 invalid_request')
  }
  const answer = await client.create(purchase, 'corrected')
  expect([answer.status, answer.headers.get('rip-idempotent-replayed')]).toEqual([201, 'false'])
})

test('each merchant has its own keys', async () => {
  const other = await service.newAccount()
  const mine = await client.create(purchase, 'shared')
  const theirs = await other.client.create(purchase, 'shared')
  expect(theirs.status).toBe(201)
  expect(theirs.body.id).not.toBe(mine.body.id)
})

test('a merchant suspended meanwhile still gets its replay, and nothing new', async () => {
  const { client: theirs, merchant_id } = await service.newAccount()
  const first = await theirs.create(purchase, 'before')
  await changeMerchant(service.operator, merchant_id, { status: 'suspended' })
  const again = await theirs.create(purchase, 'before')
  expect([again.status, again.text]).toEqual([201, first.text])
  await until(
    () => theirs.create(),
    ({ status }) => status === 403,
  )
  expect(refusal(await theirs.create({ amount: 0 }, 'after'))).toBe('403 merchant_not_active')
  expect(refusal(await theirs.create({ amount: 0 }, 'before'))).toBe('409 idempotency_key_reused')
})

test('a key whose first request still runs', async () => {
  const { merchant_id } = service.account
  let free = () => {}
  const freed = new Promise<void>((resolve) => {
    free = resolve
  })
  let taken = () => {}
  const holding = new Promise<void>((resolve) => {
    taken = resolve
  })
  const running = service.sql.begin(async (tx) => {
    await tx`insert into idempotency_keys (merchant_id, audience, key, route, fingerprint, status, created_at)
      values (${merchant_id}, 'secret', 'running', 'r', ${Buffer.alloc(1)}, 201, ${new Date()})`
    taken()
    await freed
    throw new Error('rolled back')
  })
  await holding
  expect(refusal(await client.create(purchase, 'running'))).toBe('409 idempotency_key_reused')
  free()
  await expect(running).rejects.toThrow('rolled back')
  expect((await client.create(purchase, 'running')).status).toBe(201)
})

test.each([
  ['1 character', '!', 201],
  ['255 characters', `~${' a'.repeat(127)}`, 201],
  ['256 characters', 'k'.repeat(256), 400],
  ['an empty key', '', 400],
  ['not ASCII', 'clé', 400],
  ['a tab', 'a\tb', 400],
])('%s', async (_, key, status) => {
  const answer = await client.create(purchase, key)
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body.error).toBe('idempotency_key_missing')
})

test('no key comes before a bad body', async () => {
  const answer = await client.send('POST', path, { headers: client.withKey, body: { amount: 0 } })
  expect(refusal(answer)).toBe('400 idempotency_key_missing')
})

test('two headers with one value are one key; with two values they are none', async () => {
  const send = (keys: string[]) => sendKeys(keys)
  expect((await send(['twice', 'twice'])).status).toBe(201)
  expect((await send(['twice'])).replayed).toBe('true')
  const refused = await send(['one', 'two'])
  expect([refused.status, refused.body.error]).toEqual([400, 'idempotency_key_missing'])
})

test('a retry of a read key sees the same bytes from a refusal too', async () => {
  const answers = [await client.create({ amount: 0 }, 'x'), await client.create({ amount: 0 }, 'x')]
  expect(bytes(answers[0]!)).toBe(bytes(answers[1]!))
})

/** Several headers of one name, which fetch would join. */
function sendKeys(keys: string[]) {
  return new Promise<{ status: number; replayed: unknown; body: { error?: string } }>((resolve, reject) => {
    const headers = {
      ...client.withKey,
      'content-type': 'application/json',
      'rip-idempotency-key': keys,
    }
    const sent = request(service.base_url + path, { method: 'POST', headers }, async (answer) => {
      const body = JSON.parse(await text(answer))
      const replayed = answer.headers['rip-idempotent-replayed']
      resolve({ status: answer.statusCode!, replayed, body })
    })
    sent.on('error', reject).end(JSON.stringify(purchase))
  })
}
