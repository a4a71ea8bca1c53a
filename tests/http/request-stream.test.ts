// The stream of requests, and `ripper logs tail`: one's own, as they are answered, without anything that is secret.

import { describe, expect, onTestFinished, test } from 'vitest'
import { openRequestLog, requests_kept } from '../../src/http/request-log.ts'
import { withdrawKey } from '../../src/merchants/manage.ts'
import { described } from '../support/compatible.ts'
import { listen as listenAt, type StreamMessage } from '../support/listener.ts'
import { ripper, talk } from '../support/programs.ts'
import { type Account, newKey, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()

const listen = ({ secret_key }: Pick<Account, 'secret_key'>, query = '') =>
  listenAt({ base_url: service.base_url, secret_key, path: `/v1/logs/stream${query}` })

const payment = (end: string) => `pay_${end.padStart(24, '0')}`
const session = (end: string) => `cs_${end.padStart(24, '0')}`

const rows = (news: StreamMessage[]) => news.map(({ data }) => `${data.status} ${data.method} ${data.route}`)

describe('the stream', () => {
  test('has each request of the account, by any caller', async () => {
    const account = await service.newAccount()
    const { client, publishable_key } = account
    const listener = await listen(account)
    const session = await client.open()
    await client.state(session)
    await client.createFrom(shop, { public_key: publishable_key, amount: 100, currency: 'GBP' })
    await client.send('GET', `/v1/checkout/config/${publishable_key}?integration=default`)
    await client.readPayment(payment('0'))
    const news = await listener.atLeast(5)
    expect(rows(news)).toEqual([
      '201 POST /v1/checkout/sessions',
      '200 GET /v1/checkout/sessions/:session_id/state',
      '201 POST /v1/checkout/public/sessions',
      '200 GET /v1/checkout/config/:public_key',
      '404 GET /v1/payments/:payment_id',
    ])
    expect(news[4]!.data).toEqual({
      request_id: expect.stringMatching(/^req_[0-9a-f]{24}$/),
      at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      method: 'GET',
      path: `/v1/payments/${payment('0')}`,
      route: '/v1/payments/:payment_id',
      status: 404,
      code: 'resource_not_found',
      duration_ms: expect.any(Number),
    })
    expect(news[3]!.data.path).toBe(`/v1/checkout/config/${publishable_key}`)
    const text = JSON.stringify(news)
    for (const secret of [account.secret_key, session.client_secret, 'integration=default']) {
      expect(text).not.toContain(secret)
    }
    listener.hangUp()
  })

  test('shows nothing in a path but ids of ours', async () => {
    const account = await service.newAccount()
    const { client, secret_key } = account
    const { client_secret } = await client.open()
    const listener = await listen(account)
    const headers = { authorization: `Bearer ${secret_key}` }
    await client.send('GET', '/v1/payment_intents/4242424242424242', { headers })
    await client.send('GET', `/v1/payment_intents/${client_secret}`, { headers })
    const news = await listener.atLeast(2)
    const path = '/v1/payment_intents/…'
    expect(news.map(({ data }) => [data.status, data.path])).toEqual([
      [404, path],
      [404, path],
    ])
    listener.hangUp()
  })

  const native = (key: string) => ({ 'x-service-api-key': key })
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const basic = (key: string) => ({ authorization: `Basic ${btoa(`${key}:`)}` })
  const routes = {
    payments: `/v1/payments/${payment('0')}`,
    webhooks: '/v1/webhooks/endpoints',
    compatible: `${described}/${session('0')}`,
    stream: '/v1/events/stream',
  }
  const over = new Date('2020-01-01T00:00:00Z')

  /** What a key has that is to be refused; revoked where it is null. */
  const faults = {
    expired: { expires_at: over },
    revoked: null,
    elsewhere: { allowed_addresses: ['198.51.100.0/24'] },
    other_page: { allowed_origins: [shop] },
    powerless: { permissions: ['create_payments' as const] },
  }

  test.each([
    ['payments', native, 'expired', '401 unauthorized'],
    ['payments', native, 'revoked', '401 key_revoked'],
    ['payments', native, 'elsewhere', '401 unauthorized'],
    ['payments', native, 'other_page', '401 unauthorized'],
    ['payments', native, 'powerless', '403 permission_denied'],
    ['webhooks', native, 'expired', '403 key_expired'],
    ['webhooks', native, 'revoked', '403 key_revoked'],
    ['webhooks', native, 'elsewhere', '403 key_ip_blocked'],
    ['webhooks', native, 'other_page', '403 key_origin_blocked'],
    ['webhooks', native, 'powerless', '403 key_permission_denied'],
    ['compatible', bearer, 'expired', '401 unauthorized'],
    ['compatible', bearer, 'revoked', '401 key_revoked'],
    ['compatible', basic, 'elsewhere', '401 unauthorized'],
    ['compatible', basic, 'powerless', '403 permission_denied'],
    ['stream', native, 'expired', '403 key_expired'],
  ] as const)('tells of %s, asked %o with a key that is %s', async (to, headersOf, fault, told) => {
    const account = await service.newAccount()
    const path = routes[to]
    const { secret_key, key } = await newKey(service.operator, account.merchant_id, {
      ...faults[fault],
    })
    if (faults[fault] === null) await withdrawKey(service.operator, key.key_id)
    const listener = await listen(account)
    await account.client.send('GET', path, { headers: headersOf(secret_key) })
    const [news] = await listener.atLeast(1)
    expect(`${news!.data.status} ${news!.data.code}`).toBe(told)
    expect(news!.data.path).toBe(path)
    listener.hangUp()
  })

  test('has the refusals that a page of the account got', async () => {
    const account = await service.newAccount()
    const { client, publishable_key } = account
    const listener = await listen(account)
    const asked = { public_key: publishable_key, amount: 100, currency: 'GBP' }
    await client.createFrom('https://elsewhere.example', asked)
    const [news] = await listener.atLeast(1)
    expect(news!.data).toMatchObject({ status: 403, code: 'origin_not_allowed' })
    listener.hangUp()
  })

  test('leaves out an unknown key and a wrong client secret', async () => {
    const account = await service.newAccount()
    const { client } = account
    const session = await client.open()
    const listener = await listen(account)
    await client.send('GET', '/v1/payments/pay_0', { headers: native('rip_sk_none') })
    await client.send('GET', `${described}/cs_0`, { headers: native(account.secret_key) })
    await client.state({ ...session, client_secret: 'none' })
    await client.state(session)
    expect(rows(await listener.atLeast(1))).toEqual(['200 GET /v1/checkout/sessions/:session_id/state'])
    listener.hangUp()
  })

  test.each<[string, string, (key: string) => Record<string, string>, string]>([
    ['GET', '/v1/payment', native, '404 /v1/payment'],
    ['POST', '/v1/setup_intents/search?query=a', bearer, '404 /v1/setup_intents/search'],
    ['GET', '/v1/customers/4242424242424242/', basic, '404 /v1/customers/…/'],
    ['DELETE', routes.payments, native, `405 ${routes.payments}`],
  ])('has %s %s, which leads nowhere', async (method, path, headersOf, told) => {
    const account = await service.newAccount()
    const listener = await listen(account)
    await account.client.send(method, path, { headers: headersOf(account.secret_key) })
    const [news] = await listener.atLeast(1)
    expect(`${news!.data.status} ${news!.data.path}`).toBe(told)
    listener.hangUp()
  })

  test('leaves out a path that leads nowhere, asked with an unknown key', async () => {
    const account = await service.newAccount()
    const { client, secret_key } = account
    const listener = await listen(account)
    await client.send('GET', '/v1/nowhere', { headers: native('rip_sk_none') })
    await client.send('GET', '/v1/nowhere')
    await client.send('GET', '/v1/somewhere', { headers: native(secret_key) })
    const [only] = await listener.atLeast(1)
    expect(only!.data).toMatchObject({ path: '/v1/somewhere', code: 'resource_not_found' })
    listener.hangUp()
  })

  test('leaves out the requests of other accounts', async () => {
    const [mine, theirs] = [await service.newAccount(), await service.newAccount()]
    const listener = await listen(mine)
    await theirs.client.readPayment('pay_1')
    await mine.client.readPayment(payment('2'))
    const [only] = await listener.atLeast(1)
    expect(only!.data.path).toBe(`/v1/payments/${payment('2')}`)
    expect((await listen(mine, '?last=1000')).news()).toHaveLength(1)
    listener.hangUp()
  })

  test.each([
    ['all', '', [payment('a'), payment('b'), session('c'), 'sessions']],
    ['the last', '&last=1', ['sessions']],
    ['a path', '&path=/v1/payments/', [payment('a'), payment('b')]],
    ['a status', '&status=404', [payment('a'), payment('b'), session('c')]],
    ['a class', '&status=4xx', [payment('a'), payment('b'), session('c')]],
    ['another class', '&status=2xx', ['sessions']],
    ['a request', '&request_id=second', [payment('b')]],
  ])('%s of those before', async (_, query, wanted) => {
    const account = await service.newAccount()
    const { client } = account
    await client.readPayment(payment('a'))
    const second = await client.readPayment(payment('b'))
    await client.readSession(session('c'))
    await client.open()
    const asked = query.replace('second', second.headers.get('rip-request-id')!)
    const listener = await listen(account, `?last=100${asked}`.replace('last=100&last=1', 'last=1'))
    await listener.atLeast(wanted.length)
    expect(listener.news().map(({ data }) => data.path.split('/').at(-1))).toEqual(wanted)
    listener.hangUp()
  })

  test.each([
    ['a status that is none', '?status=900'],
    ['a count that is none', '?last=-1'],
    ['a count beyond what is kept', '?last=1001'],
    ['a parameter that is none', '?method=GET'],
  ])('%s is refused', async (_, query) => {
    await expect(listen(service.account, query)).rejects.toThrow(/^400 .*invalid_request/)
  })

  test('a key that may not read is refused', async () => {
    const key = { permissions: ['manage_webhooks' as const] }
    const account = await service.newAccount({ key })
    await expect(listen(account)).rejects.toThrow(/^403 .*permission_denied/)
  })
})

describe('the log', () => {
  const at = new Date(0)
  const request = (number: number) => ({
    merchant_id: 'm',
    request_id: String(number),
    at,
    method: 'GET',
    path: '/',
    route: '/',
    status: 200,
    code: null,
    duration_ms: 1,
    mode: null,
  })

  test('keeps the last ones, and gives from any place what is still there', () => {
    const log = openRequestLog()
    for (let number = 0; number < requests_kept + 5; number++) log.add(request(number))
    expect(log.count()).toBe(requests_kept + 5)
    expect(log.from(0)).toHaveLength(requests_kept)
    expect(log.from(0)[0]!.request_id).toBe('5')
    expect(log.from(requests_kept + 3).map(({ request_id }) => request_id)).toEqual([
      String(requests_kept + 3),
      String(requests_kept + 4),
    ])
    expect(log.from(log.count())).toEqual([])
  })

  test('calls its listeners until they leave', () => {
    const log = openRequestLog()
    let calls = 0
    const unhear = log.hear(() => {
      calls += 1
    }, 'm')
    log.add(request(1))
    unhear()
    log.add(request(2))
    expect(calls).toBe(1)
  })
})

describe('ripper logs tail', () => {
  const tail = (account: Account, ...args: string[]) => {
    const env = { RIPPER_SECRET_KEY: account.secret_key, RIPPER_DATA_DIR: '/nonexistent' }
    const program = talk(['logs', 'tail', '--base-url', service.base_url, ...args], { env })
    onTestFinished(async () => void (await program.stop()))
    return program
  }

  test('shows one line a request, the last ones first', async () => {
    const account = await service.newAccount()
    await account.client.readPayment(payment('b'))
    const program = tail(account)
    await program.says(payment('b'))
    await account.client.open()
    await program.says('201')
    const { stdout, status } = await program.stop()
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      `Requests of ${account.merchant_id} at ${service.base_url}, as they are answered:`,
      expect.stringMatching(/^\S+Z {2}404 {2}GET {4}\/v1\/payments\/pay_0+b +resource_not_found +req_\w{24} {2}\d/),
      expect.stringMatching(/^\S+Z {2}201 {2}POST {3}\/v1\/checkout\/sessions +– +req_\w{24} {2}\d/),
      '',
    ])
  })

  test('with --json, one document a line, of those that are asked for', async () => {
    const account = await service.newAccount()
    await account.client.readPayment('pay_1')
    await account.client.open()
    const program = tail(account, '--json', '--status', '2xx', '--last', '5')
    await program.says('}\n')
    const { stdout } = await program.stop()
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ status: 201, method: 'POST', path: '/v1/checkout/sessions', code: null }])
  })

  test.each([
    [['--status', 'bad'], 2, /--status must be/],
    [['--last', 'all'], 2, /--last must be/],
    [['--key', 'rip_sk_0000'], 1, /401 unauthorized[\s\S]*that of --key[\s\S]*ripper key list --all/],
  ])('%j is refused', async (args, status, words) => {
    const { secret_key } = service.account
    const env = { RIPPER_SECRET_KEY: secret_key, RIPPER_DATA_DIR: '/nonexistent' }
    const ended = await ripper(['logs', 'tail', '--base-url', service.base_url, ...args], { env })
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringMatching(words)])
  })
})
