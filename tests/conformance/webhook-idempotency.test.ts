// Idempotency of webhook routes: a key may be left out, and one that is sent holds as firmly as on creates of sessions.

import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, bytes, type Client, refusal } from '../support/client.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { deadLetter } from './webhook-delivery-rows.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service
// Each test has a minute, and so the rate limits, to itself.
beforeEach(() => clock.advance(60_000))

const url = 'https://shop.example/hooks'
const path = '/v1/webhooks/endpoints'
const replayed = ({ headers }: Answer) => headers.get('rip-idempotent-replayed')
const warning = ({ headers }: Answer) => headers.get('rip-idempotency-warning')
const count = async (client: Client) => (await client.listEndpoints()).body.endpoints.length

/** The three writes: each makes what it needs and returns how to send it with a key. */
const writes: [string, () => Promise<(key?: string) => Promise<Answer>>][] = [
  ['create', async () => (key) => client.createEndpoint({ url }, key)],
  [
    'delete',
    async () => {
      const { body } = await client.createEndpoint({ url })
      return (key) => client.deleteEndpoint(body.id, key)
    },
  ],
  [
    'replay',
    async () => {
      const { delivery_id } = await deadLetter(service)
      return (key) => client.replayDelivery(delivery_id, key)
    },
  ],
]

describe.each(writes)('%s', (name, prepare) => {
  test('without a key: done, with a warning', async () => {
    const send = await prepare()
    const answer = await send()
    expect(answer.status).toBeLessThan(300)
    expect(warning(answer)).toContain('Rip-Idempotency-Key')
    expect(replayed(answer)).toBeNull()
  })

  test('with a key: the first answer again, byte for byte', async () => {
    const send = await prepare()
    const first = await send(`again ${name}`)
    const again = await send(`again ${name}`)
    expect([replayed(first), replayed(again)]).toEqual(['false', 'true'])
    expect([warning(first), warning(again)]).toEqual([null, null])
    expect(first.status).toBeLessThan(300)
    expect(bytes(again)).toBe(bytes(first))
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('rip-request-id')).not.toBe(first.headers.get('rip-request-id'))
  })

  test('five at once under one key: done once', async () => {
    const send = await prepare()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send(`at once ${name}`)))
    expect(new Set(answers.map(bytes)).size).toBe(1)
    expect(answers[0]!.status).toBeLessThan(300)
    expect(answers.filter((answer) => replayed(answer) === 'false')).toHaveLength(1)
  })

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['not ASCII', 'clé'],
    ['with a tab', 'a\tb'],
  ])('a key that is %s', async (_, key) => {
    const send = await prepare()
    const answer = await send(key)
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'invalid_idempotency_key', message: expect.stringContaining('Rip-Idempotency-Key') },
    ])
    expect((await send()).status).toBeLessThan(300)
  })

  test('a key that another route has had', async () => {
    const send = await prepare()
    await client.create(undefined, `elsewhere ${name}`)
    const answer = await send(`elsewhere ${name}`)
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'idempotency_key_reused', message: expect.any(String) },
    ])
    expect((await send()).status).toBeLessThan(300)
  })

  test('a key whose first request is still running', async () => {
    const send = await prepare()
    const release = await holdKey(`running ${name}`)
    const answer = await send(`running ${name}`)
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'idempotency_key_in_use', message: expect.any(String) },
    ])
    await release()
    expect((await send(`running ${name}`)).status).toBeLessThan(300)
  })
})

describe('what a key stands for', () => {
  test('spelling and order of members do not matter, entries of the filter do', async () => {
    const send = (raw: string) =>
      client.send('POST', path, {
        headers: { ...client.withKey, 'rip-idempotency-key': 'spelling' },
        raw,
      })
    const first = await send(`{"url":"${url}","event_filter":["payment.held"]}`)
    const again = await send(`{ "event_filter": ["payment.\\u0068eld"], "url":"${url}" }`)
    expect([again.status, again.text]).toEqual([201, first.text])
    const other = await send(`{"url":"${url}","event_filter":[]}`)
    expect(refusal(other)).toBe('409 idempotency_key_reused')
  })

  test.each([
    ['another url', { url: `${url}/2` }],
    ['an invalid url', { url: 'http://127.0.0.1' }],
    ['an unknown event', { url, event_filter: ['x'] }],
    ['no object', []],
  ])('%s is another request', async (_, body) => {
    const first = await client.createEndpoint({ url }, 'another')
    const answer = await client.createEndpoint(body, 'another')
    expect(refusal(answer)).toBe('409 idempotency_key_reused')
    expect((await client.createEndpoint({ url }, 'another')).text).toBe(first.text)
  })

  test('another id in the path is another request', async () => {
    const [one, two] = [await client.createEndpoint({ url }), await client.createEndpoint({ url })]
    expect((await client.deleteEndpoint(one.body.id, 'path')).status).toBe(204)
    expect(refusal(await client.deleteEndpoint(two.body.id, 'path'))).toBe('409 idempotency_key_reused')
    expect((await client.deleteEndpoint(two.body.id)).status).toBe(204)
  })

  test('two at once under one key for two endpoints: one is deleted', async () => {
    const made = [await client.createEndpoint({ url }), await client.createEndpoint({ url })]
    const answers = await Promise.all(made.map(({ body }) => client.deleteEndpoint(body.id, 'two paths')))
    expect(answers.map(refusal).sort()).toEqual(['204 undefined', '409 idempotency_key_reused'])
  })

  test('a refusal stores nothing: the same key may come with a corrected body', async () => {
    expect(refusal(await client.createEndpoint({ url: 'x' }, 'corrected'))).toBe('400 invalid_url')
    const answer = await client.createEndpoint({ url }, 'corrected')
    expect([answer.status, replayed(answer)]).toEqual([201, 'false'])
    const gone = `whep_${'0'.repeat(24)}`
    expect(refusal(await client.deleteEndpoint(gone, 'gone'))).toBe('404 endpoint_not_found')
    expect((await client.deleteEndpoint(answer.body.id, 'gone')).status).toBe(204)
  })

  test('each merchant has its own keys', async () => {
    const other = await service.newAccount()
    const mine = await client.createEndpoint({ url }, 'shared')
    const theirs = await other.client.createEndpoint({ url }, 'shared')
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test('a replay of a create shows the secret again, and is kept sealed', async () => {
    const first = await client.createEndpoint({ url }, 'sealed')
    const again = await client.createEndpoint({ url }, 'sealed')
    expect(again.body.signing_secret).toBe(first.body.signing_secret)
    const [row] = await service.sql<{ text: string }[]>`
      select k::text as text from idempotency_keys k where key = 'sealed'`
    expect(row!.text).not.toContain(Buffer.from('rip_whsec_').toString('hex'))
  })

  test('without a key the same body makes another endpoint', async () => {
    const { client: theirs } = await service.newAccount()
    await theirs.createEndpoint({ url })
    await theirs.createEndpoint({ url })
    expect(await count(theirs)).toBe(2)
  })

  test('a refusal of a request without a key warns, too', async () => {
    expect(warning(await client.createEndpoint({ url: 'x' }))).toContain('Rip-Idempotency-Key')
  })

  test('reads take no key and do not warn', async () => {
    const answer = await client.send('GET', path, {
      headers: { ...client.withKey, 'rip-idempotency-key': '' },
    })
    expect([answer.status, warning(answer), replayed(answer)]).toEqual([200, null, null])
  })
})

describe('headers', () => {
  test.each<[string, Record<string, string | string[]>, string]>([
    ['Idempotency-Key alone', { 'idempotency-key': 'h1' }, '201 false'],
    ['the same in the other header', { 'rip-idempotency-key': 'h1' }, '201 true'],
    ['the same in both', { 'rip-idempotency-key': 'h1', 'idempotency-key': 'h1' }, '201 true'],
    ['two in both', { 'rip-idempotency-key': 'h1', 'idempotency-key': 'h2' }, '400 invalid_idempotency_key'],
    [
      'an empty one beside another',
      { 'rip-idempotency-key': '', 'idempotency-key': 'h1' },
      '400 invalid_idempotency_key',
    ],
    ['twice the same', { 'rip-idempotency-key': ['h1', 'h1'] }, '201 true'],
    ['twice another', { 'rip-idempotency-key': ['h1', 'h2'] }, '400 invalid_idempotency_key'],
    ['the other one twice', { 'idempotency-key': ['h1', 'h2'] }, '400 invalid_idempotency_key'],
    ['255 characters', { 'idempotency-key': 'h'.repeat(255) }, '201 false'],
    ['an empty Idempotency-Key', { 'idempotency-key': '' }, '400 invalid_idempotency_key'],
  ])('%s', async (_, headers, expected) => {
    expect(await sendWith(headers)).toBe(expected)
  })

  test('an unusable key comes before a bad body or id, and after the rate limit was counted', async () => {
    const answer = await client.createEndpoint({}, '')
    expect(refusal(answer)).toBe('400 invalid_idempotency_key')
    expect(refusal(await client.deleteEndpoint('%00', ''))).toBe('400 invalid_idempotency_key')
    expect(refusal(await client.replayDelivery('x', ''))).toBe('400 invalid_idempotency_key')
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100')
  })
})

/** Claims a key in a transaction of its own; returns what gives it up. */
async function holdKey(key: string): Promise<() => Promise<void>> {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const running = service.sql
    .begin(async (tx) => {
      await tx`insert into idempotency_keys (merchant_id, audience, key, route, fingerprint, status, created_at)
        values (${service.account.merchant_id}, 'secret', ${key}, 'r', ${Buffer.alloc(1)}, 201, ${new Date()})`
      hold()
      await freed
      throw new Error('rolled back')
    })
    .catch(() => {})
  await held
  return async () => {
    free()
    await running
  }
}

/** Sends headers that fetch would join; tells the status, and whether it was a replay or how it was refused. */
function sendWith(keys: Record<string, string | string[]>): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { ...client.withKey, 'content-type': 'application/json', ...keys }
    const sent = request(service.base_url + path, { method: 'POST', headers }, async (answer) => {
      const { error } = JSON.parse(await text(answer))
      resolve(`${answer.statusCode} ${error ?? answer.headers['rip-idempotent-replayed']}`)
    })
    sent.on('error', reject).end(JSON.stringify({ url, event_filter: ['payment.failed'] }))
  })
}
