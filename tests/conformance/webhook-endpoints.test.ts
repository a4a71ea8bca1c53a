// Webhook endpoints: what may be registered, what comes back, listing and deleting, and the shape of every refusal.

import { describe, expect, test } from 'vitest'
import { openSecret } from '../../src/webhooks/endpoint.ts'
import { type Raw, refusal } from '../support/client.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { onOneServer } from '../support/one-server.ts'
import { drivenClock, startService, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { client } = service

const url = 'https://shop.example/hooks'
const types = ['payment.captured', 'payment.held', 'payment.voided', 'payment.declined', 'payment.failed']
const path = '/v1/webhooks/endpoints'
const unknown_id = `whep_${'0'.repeat(24)}`

describe('create', () => {
  test('answers with the endpoint and, this once, its secret', async () => {
    const { client: theirs, merchant_id } = await service.newAccount()
    const answer = await theirs.createEndpoint({ url, event_filter: ['payment.held'] })
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^whep_[0-9a-f]{24}$/),
        url,
        event_filter: ['payment.held'],
        status: 'active',
        created_at: '2026-09-01T12:00:00.0000000+00:00',
        signing_secret: expect.stringMatching(/^rip_whsec_[0-9a-f]{64}$/),
      },
    ])
    expect(Object.keys(answer.body)[0]).toBe('id')
    expect(answer.headers.get('rip-request-id')).toMatch(/^req_/)
    const { id, signing_secret } = answer.body
    const [row] = await service.sql<{ sealed_secret: Buffer; text: string }[]>`
      select sealed_secret, e::text as text from webhook_endpoints e where endpoint_id = ${id}`
    const owner = { merchant_id, endpoint_id: id }
    expect(openSecret(service.context.keyring, owner, row!.sealed_secret)).toBe(signing_secret)
    const other = { ...owner, endpoint_id: unknown_id }
    expect(() => openSecret(service.context.keyring, other, row!.sealed_secret)).toThrow()
    const bare = signing_secret.slice('rip_whsec_'.length)
    for (const spelled of [bare, Buffer.from(signing_secret).toString('hex')]) {
      expect(row!.text).not.toContain(spelled)
    }
    expect(JSON.stringify(service.log)).not.toContain(bare)
    expect((await theirs.listEndpoints()).text).not.toContain('rip_whsec_')
  })

  test.each<[string, unknown, string[]]>([
    ['left out', undefined, []],
    ['null', null, []],
    ['empty', [], []],
    ['all five', types, types],
    ['one twice', ['payment.held', 'payment.failed', 'payment.held'], ['payment.held', 'payment.failed']],
  ])('an event filter that is %s', async (_, event_filter, kept) => {
    const answer = await client.createEndpoint({ url, event_filter })
    expect([answer.status, answer.body.event_filter]).toEqual([201, kept])
  })

  test.each([
    'https://shop.example',
    'https://SHOP.example:8443/a%20b?c=d&e=é',
    'https://bücher.example/x',
    'https://shop.example./hooks',
  ])('%s is taken, and comes back as it was sent', async (sent) => {
    const answer = await client.createEndpoint({ url: sent })
    expect([answer.status, answer.body.url]).toEqual([201, sent])
  })
})

// One fault a row, and then two: what stands higher here is told first.
describe('refused, in the shape of endpoints', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['no object', [], '400 invalid_request', /^The body must be a JSON object\.$/],
    ['null', null, '400 invalid_request', /^The body must be a JSON object\.$/],
    ['a field that nobody knows', { url, name: 'x' }, '400 invalid_request', /^name is not a field/],
    ['a secret of their own', { url, signing_secret: 'x' }, '400 invalid_request', /^signing_secret /],
    [
      'a version in our own words',
      { url, api_version: '2026-04-30.preview' },
      '400 invalid_request',
      /^api_version needs /,
    ],
    [
      'a version that is none',
      { url, event_format: 'stripe', api_version: 'newest' },
      '400 invalid_request',
      /^api_version must be a date/,
    ],
    ['a status', { url, status: 'disabled' }, '400 invalid_request', /^status /],
    ['__proto__', JSON.parse(`{"url":"${url}","__proto__":1}`), '400 invalid_request', /^__proto__ /],
    ['no url', {}, '400 invalid_url', /^url is required\.$/],
    ['null as url', { url: null }, '400 invalid_url', /^url is required\.$/],
    ['a number as url', { url: 7 }, '400 invalid_url', /^url must be text\.$/],
    ['a list as url', { url: [url] }, '400 invalid_url', /^url must be text\.$/],
    ['an empty url', { url: '' }, '400 invalid_url', /^url must /],
    ['a relative url', { url: '/hooks' }, '400 invalid_url', /^url must be an absolute https URL\.$/],
    ['no scheme', { url: 'shop.example/hooks' }, '400 invalid_url', /^url must /],
    ['plain http', { url: 'http://shop.example/hooks' }, '400 invalid_url', /^url must .*https/],
    ['another scheme', { url: 'ftp://shop.example/hooks' }, '400 invalid_url', /^url must /],
    ['user information', { url: 'https://a:b@shop.example' }, '400 invalid_url', /user name or password/],
    ['a fragment', { url: `${url}#x` }, '400 invalid_url', /fragment/],
    ['this machine', { url: 'https://127.0.0.1/hooks' }, '400 invalid_url', /private or local/],
    ['this machine by name', { url: 'https://localhost/hooks' }, '400 invalid_url', /private or local/],
    ...['hooks', 'a.internal', 'a.local', 'a.localhost', 'a.lan', 'a.home.arpa', 'a.corp', 'a.intranet'].map(
      (name): [string, unknown, string, RegExp] => [
        `a name of a private network, ${name}`,
        { url: `https://${name}/hooks` },
        '400 invalid_url',
        /private or local/,
      ],
    ),
    ['a private address', { url: 'https://10.1.2.3/hooks' }, '400 invalid_url', /private or local/],
    ['a private IPv6 address', { url: 'https://[fd00::1]/' }, '400 invalid_url', /private or local/],
    ['cloud metadata', { url: 'https://169.254.169.254/' }, '400 invalid_url', /private or local/],
    ['too long a url', { url: `${url}/${'x'.repeat(2048)}` }, '400 invalid_url', /2,048/],
    ['no list', { url, event_filter: 'payment.held' }, '400 invalid_request', /^event_filter must /],
    ['an object as filter', { url, event_filter: {} }, '400 invalid_request', /^event_filter must /],
    [
      'another event',
      { url, event_filter: ['payment.held', 'payment.new'] },
      '400 unknown_event_type',
      /^event_filter\[1\] is not one/,
    ],
    ['other letters', { url, event_filter: ['Payment.captured'] }, '400 unknown_event_type', /^event_filter\[0\] /],
    [
      'as rows spell it',
      { url, event_filter: ['webhook.payment.held'] },
      '400 unknown_event_type',
      /^event_filter\[0\] /,
    ],
    ['a blank behind', { url, event_filter: ['payment.held '] }, '400 unknown_event_type', /^event_filter\[0\] /],
    ['any event', { url, event_filter: ['*'] }, '400 unknown_event_type', /^event_filter\[0\] /],
    ['an empty event', { url, event_filter: [''] }, '400 unknown_event_type', /^event_filter\[0\] /],
    ['a number', { url, event_filter: [1] }, '400 unknown_event_type', /^event_filter\[0\] /],
    ['null in the filter', { url, event_filter: [null] }, '400 unknown_event_type', /^event_filter\[0\] /],
    ['toString', { url, event_filter: ['toString'] }, '400 unknown_event_type', /^event_filter\[0\] is not one/],
    [
      'the retired event',
      { url, event_filter: ['payment.succeeded'] },
      '400 unknown_event_type',
      /^event_filter\[0\] .*payment\.captured\.$/,
    ],
    ['an unknown field and a bad url', { url: 'x', name: 'x' }, '400 invalid_request', /^name /],
    ['a bad url and a bad filter', { url: 'x', event_filter: ['x'] }, '400 invalid_url', /^url /],
    ['a bad url and no list', { url: 'x', event_filter: 'x' }, '400 invalid_request', /^event_filter /],
  ])('%s', async (_, body, expected, words) => {
    const answer = await client.createEndpoint(body)
    expect(refusal(answer)).toBe(expected)
    expect(answer.body.message).toMatch(words)
    const allowed = expected.endsWith('unknown_event_type') ? types : null
    expect(answer.body).toEqual({
      error: expected.slice(4),
      message: expect.any(String),
      allowed,
    })
  })

  test.each<[string, Raw, string, number]>([
    ['broken JSON', '{"url":', 'application/json', 400],
    ['a member twice', `{"url":"${url}","url":"${url}"}`, 'application/json', 400],
    ['U+0000', '{"url":"https://a.example/\\u0000"}', 'application/json', 400],
    ['no body', '', 'application/json', 400],
    ['a form', `url=${url}`, 'application/x-www-form-urlencoded', 415],
    ['over 128 KB', ' '.repeat(131_073), 'application/json', 413],
  ])('%s', async (_, raw, type, status) => {
    const headers = { ...client.withKey, 'content-type': type }
    const answer = await client.send('POST', path, { headers, raw })
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: 'invalid_request', message: expect.any(String), allowed: null },
    ])
  })

  test('a refusal repeats no value', async () => {
    const secret = 'hunter2'
    const bodies = [
      { url: `https://${secret}@shop.example` },
      { url: `https://10.0.0.1/${secret}` },
      { url, event_filter: [secret] },
    ]
    for (const body of bodies) {
      const answer = await client.createEndpoint(body)
      expect(answer.status).toBe(400)
      expect(answer.text).not.toContain(secret)
    }
  })

  test('a private name that leads into no allowed network, over http or https', async () => {
    const known: Record<string, string[]> = {
      'receiver.internal': ['10.1.2.3'],
      nodotname: ['11.1.2.3'],
      'metadata.google.internal': ['169.254.169.254'],
    }
    const private_service = await startService({
      clock,
      allowed_networks: ['10.0.0.0/8'],
      resolve: async (name) => known[name] ?? [],
    })
    try {
      const answers = async (host: string) => {
        const made = ['http', 'https'].map((scheme) =>
          private_service.client.createEndpoint({ url: `${scheme}://${host}/` }),
        )
        return (await Promise.all(made)).map(({ status, body }) => `${status} ${body.error ?? ''}`)
      }
      expect(await answers('receiver.internal')).toEqual(['201 ', '201 '])
      for (const host of ['nodotname', 'metadata.google.internal', 'foo.internal', 'x.corp']) {
        expect(await answers(host)).toEqual(['400 invalid_url', '400 invalid_url'])
      }
    } finally {
      await private_service.close()
    }
  })

  test('the 201st active endpoint', async () => {
    const { client: theirs, merchant_id } = await service.newAccount()
    await service.sql`
      insert into webhook_endpoints (merchant_id, endpoint_id, url, event_filter, status, sealed_secret, created_at)
      select ${merchant_id}, 'whep_' || lpad(n::text, 24, '0'), ${url}, '{}', 'active', ${Buffer.alloc(1)}, ${clock.now()}
      from generate_series(1, 199) n`
    const last = await theirs.createEndpoint({ url })
    expect(last.status).toBe(201)
    const answer = await theirs.createEndpoint({ url }, 'full')
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'invalid_request', message: expect.stringContaining('200'), allowed: null },
    ])
    expect((await theirs.deleteEndpoint(last.body.id)).status).toBe(204)
    // The refusal stored nothing under the key.
    const again = await theirs.createEndpoint({ url }, 'full')
    expect([again.status, again.headers.get('rip-idempotent-replayed')]).toEqual([201, 'false'])
    expect((await theirs.listEndpoints()).body.endpoints).toHaveLength(200)
  })
})

describe('list', () => {
  test('none: an empty list', async () => {
    const { client: theirs } = await service.newAccount()
    const answer = await theirs.listEndpoints()
    expect([answer.status, answer.body]).toEqual([200, { endpoints: [] }])
  })

  test('active ones alone, oldest first, without their secrets, and nobody else’s', async () => {
    const { client: theirs } = await service.newAccount()
    const made = []
    for (const name of ['a', 'b', 'c']) {
      const { body } = await theirs.createEndpoint({ url: `https://${name}.example` })
      made.push(body)
      await clock.advance(1)
    }
    await theirs.deleteEndpoint(made[1].id)
    const withoutSecret = ({ signing_secret: _, ...rest }: { signing_secret: string }) => rest
    const { body } = await theirs.listEndpoints()
    expect(body).toEqual({ endpoints: [withoutSecret(made[0]), withoutSecret(made[2])] })
  })
})

describe('delete', () => {
  test('answers 204 without a body, and disables', async () => {
    const { client: theirs } = await service.newAccount()
    const { body: made } = await theirs.createEndpoint({ url })
    const answer = await theirs.deleteEndpoint(made.id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers.get('content-type')).toBeNull()
    expect((await theirs.listEndpoints()).body.endpoints).toEqual([])
    const [row] = await service.sql`
      select status, disabled_at from webhook_endpoints where endpoint_id = ${made.id}`
    expect(row).toEqual({ status: 'disabled', disabled_at: clock.now() })
  })

  test('a body is not looked at', async () => {
    const { client: theirs } = await service.newAccount()
    const { body: made } = await theirs.createEndpoint({ url })
    const sent = { headers: theirs.withKey, raw: '{"x":' }
    expect((await theirs.send('DELETE', `${path}/${made.id}`, sent)).status).toBe(204)
  })

  test('unknown, foreign, deleted before, and what is no id answer alike', async () => {
    const { client: theirs } = await service.newAccount()
    const { body: foreign } = await theirs.createEndpoint({ url })
    const { body: deleted } = await client.createEndpoint({ url })
    await client.deleteEndpoint(deleted.id)
    const ids = [unknown_id, foreign.id, deleted.id, 'x', '%00', 'a%20b', 'é', `whep_${'x'.repeat(600)}`]
    const answers = await Promise.all(ids.map((id) => client.deleteEndpoint(id)))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 404))
    expect(new Set(answers.map(({ text }) => text))).toEqual(
      new Set([
        JSON.stringify({
          error: 'endpoint_not_found',
          message: 'There is no active webhook endpoint with this id.',
          allowed: null,
        }),
      ]),
    )
    expect((await theirs.listEndpoints()).body.endpoints).toHaveLength(1)
  })

  onOneServer('two that wait for each other: one 204, one 404', async () => {
    const { client: theirs } = await service.newAccount()
    const { body: made } = await theirs.createEndpoint({ url })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const holding = service.sql.begin(async (tx) => {
      await tx`select 1 from webhook_endpoints where endpoint_id = ${made.id} for update`
      hold()
      await released
    })
    await held
    const deleting = [1, 2].map(() => theirs.deleteEndpoint(made.id))
    await until(
      () => countLockWaits(service.sql),
      (count) => count === 2,
    )
    release()
    await holding
    const answers = await Promise.all(deleting)
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
  })
})
