// Who may call: secret keys and their restrictions, client secrets, other merchants' ids, modes.

import { describe, expect, test } from 'vitest'
import { changeMerchant, withdrawKey } from '../../src/merchants/manage.ts'
import { type Answer, bytes, type Client, openClient, purchase, refusal, visa } from '../support/client.ts'
import { type AccountOptions, drivenClock, newKey, startService, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const master_key = Buffer.alloc(32, 9)
const service = await useService({ clock, master_key })

const keyed = async (asked: Parameters<typeof newKey>[2]) => {
  const { operator, account, base_url } = service
  const { secret_key } = await newKey(operator, account.merchant_id, asked)
  return openClient({ base_url, secret_key })
}

const create = (client: Client, headers: Record<string, string> = {}) =>
  client.send('POST', '/v1/checkout/sessions', {
    headers: { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID(), ...headers },
    body: purchase,
  })

describe('secret keys', () => {
  test.each<[string, Parameters<typeof newKey>[2], string]>([
    ['paired', {}, '201'],
    ['expired', { expires_at: new Date(clock.now().getTime() - 1) }, '401 unauthorized'],
    ['expiring now', { expires_at: clock.now() }, '401 unauthorized'],
    ['expiring later', { expires_at: new Date(clock.now().getTime() + 1000) }, '201'],
    ['for another address', { allowed_addresses: ['192.0.2.0/24'] }, '401 unauthorized'],
    ['for this address', { allowed_addresses: ['192.0.2.1', '127.0.0.0/8'] }, '201'],
    ['for an IPv6 network', { allowed_addresses: ['2001:db8::/32'] }, '401 unauthorized'],
    ['for an origin', { allowed_origins: ['https://a.example'] }, '401 unauthorized'],
    ['without the permission', { permissions: ['read_transactions'] }, '403 permission_denied'],
    ['without a publishable key', { pair: false }, '401 public_key_missing'],
    ['for live only', { mode: 'live_only' }, '403 key_live_only'],
    ['for test only', { mode: 'test_only' }, '201'],
    [
      'expired, foreign and without permission',
      { expires_at: clock.now(), allowed_addresses: ['::1'], permissions: [], pair: false },
      '401 unauthorized',
    ],
    ['without permission and pair', { permissions: [], pair: false }, '403 permission_denied'],
  ])('%s', async (_, asked, expected) => {
    const answer = await create(await keyed(asked))
    expect(answer.status === 201 ? '201' : refusal(answer)).toBe(expected)
  })

  test('an origin that is allowed', async () => {
    const client = await keyed({ allowed_origins: ['https://a.example'] })
    expect((await create(client, { origin: 'https://a.example' })).status).toBe(201)
    expect(refusal(await create(client, { origin: 'https://a.example.evil' }))).toBe('401 unauthorized')
  })

  test.each([
    ['none', {}],
    ['empty', { 'x-service-api-key': '' }],
    ['unknown', { 'x-service-api-key': `rip_sk_${'0'.repeat(48)}` }],
    ['as another scheme', { authorization: 'Digest x' }],
  ])('%s', async (_, headers: Record<string, string>) => {
    for (const path of ['/v1/checkout/sessions/x', '/v1/payments/x']) {
      expect(refusal(await service.client.send('GET', path, { headers }))).toBe('401 unauthorized')
    }
    const body = { amount: 0 }
    const answer = await service.client.send('POST', '/v1/checkout/sessions', { headers, body })
    expect(refusal(answer)).toBe('401 unauthorized')
  })

  test('a publishable key in its place is called what it is', async () => {
    const { publishable_key } = await service.newAccount()
    const headers = { 'x-service-api-key': publishable_key! }
    const answer = await service.client.send('GET', '/v1/payments/x', { headers })
    expect(refusal(answer)).toBe('401 unauthorized')
    expect(answer.body.message).toMatch(/^That is a publishable key/)
    expect(answer.text).not.toContain(publishable_key)
  })

  test('reading needs its own permission', async () => {
    const client = await keyed({ permissions: ['create_payments'] })
    const { id } = await client.open()
    expect(refusal(await client.readSession(id))).toBe('403 permission_denied')
    expect(refusal(await client.readPayment('x'))).toBe('403 permission_denied')
  })

  test('a revocation is seen by every process', async () => {
    const other = await startService({ clock, master_key, database: service.database })
    const { account, newAccount, operator } = service
    const theirs = await newAccount()
    const there = openClient({ base_url: other.base_url, secret_key: theirs.secret_key })
    for (const client of [theirs.client, there]) expect((await create(client)).status).toBe(201)
    await withdrawKey(operator, theirs.key_id)
    for (const client of [theirs.client, there]) {
      const revoked = await until(
        () => create(client),
        ({ status }) => status !== 201,
      )
      expect(refusal(revoked)).toBe('401 key_revoked')
    }
    expect((await create(account.client)).status).toBe(201)
    await other.close()
  })

  test('a suspended account may neither create nor read nor pay', async () => {
    const { client, merchant_id } = await service.newAccount()
    const session = await client.open()
    const reference = await client.reference(session)
    await changeMerchant(service.operator, merchant_id, { status: 'suspended' })
    await until(
      () => client.readSession(session.id),
      ({ status }) => status === 403,
    )
    const answers = [
      await client.create({ amount: 0 }),
      await client.readSession(session.id),
      await client.readPayment('pay_x'),
      await client.referenceCard(session, { number: visa, exp_month: 1, exp_year: 2030, cvc: '1' }),
      await client.authenticate(session, reference),
      await client.confirm(session),
    ]
    expect(new Set(answers.map(refusal))).toEqual(new Set(['403 merchant_not_active']))
  })
})

describe('other merchants', () => {
  test('their ids answer like unknown ones, byte for byte', async () => {
    const { client } = await service.newAccount()
    const paid = await client.pay()
    const mine = service.client
    const of = async (id: string, read: (id: string) => Promise<Answer>) => bytes(await read(id))
    for (const unknown of [`cs_${'0'.repeat(24)}`, 'x', `${paid.body.session_id}0`, '__proto__']) {
      expect(await of(paid.body.session_id, mine.readSession)).toBe(await of(unknown, mine.readSession))
    }
    const unknown = await of(`pay_${'0'.repeat(24)}`, mine.readPayment)
    expect(unknown).toMatch(/^404 .*resource_not_found/)
    expect(await of(paid.body.payment_id, mine.readPayment)).toBe(unknown)
  })

  test('a wrong client secret and an unknown session answer alike', async () => {
    const { client } = service
    const session = await client.open()
    const other = await client.open()
    const there = session.client_secret
    const flipped = there.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const unknown = `cs_${'0'.repeat(24)}`
    const rows = [
      [session.id, flipped],
      [session.id, other.client_secret],
      [session.id, there.toUpperCase()],
      [session.id, `${there}0`],
      [session.id, there.slice(0, -1)],
      [session.id, ''],
      [other.id, there],
      [unknown, there],
      [unknown, there.replace(session.id, unknown)],
      ['x', 'x'],
    ] as const
    for (const verb of ['state', 'card_references', 'authenticate', 'confirm']) {
      const answers = await Promise.all(
        rows.map(async ([id, secret]) =>
          client.send(verb === 'state' ? 'GET' : 'POST', `/v1/checkout/sessions/${id}/${verb}`, {
            headers: { 'rip-client-secret': secret },
            ...(verb === 'state' ? {} : { body: {} }),
          }),
        ),
      )
      expect(new Set(answers.map(bytes)).size).toBe(1)
      expect(refusal(answers[0]!)).toBe('401 unauthorized')
    }
  })

  test('a client secret in the query opens nothing', async () => {
    const { client } = service
    const { id, client_secret } = await client.open()
    const path = `/v1/checkout/sessions/${id}/state?client_secret=${client_secret}`
    expect(refusal(await client.send('GET', path))).toBe('401 unauthorized')
  })
})

describe('test and live', () => {
  const acquiring_profile = { acquirer: 'x', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
  const live = { live: true, live_enabled: true, acquiring_profile }
  test.each<[string, AccountOptions, string]>([
    ['a live account', { merchant: live }, 'live'],
    ['the account is not live', { merchant: { ...live, live: false } }, 'test'],
    ['the toggle is off', { merchant: { ...live, live_enabled: false } }, 'test'],
    ['the integration is for tests', { merchant: live, integration: { mode_setting: 'test' } }, 'test'],
    ['no integration', { merchant: live, integration: null }, 'test'],
    ['a test key', { merchant: live, key: { mode: 'test_only' } }, 'test'],
    ['a live key', { merchant: live, key: { mode: 'live_only' } }, 'live'],
    [
      'a live key and no toggle',
      { merchant: { ...live, live_enabled: false }, key: { mode: 'live_only' } },
      '403 key_live_only',
    ],
    ['no profile', { merchant: { ...live, acquiring_profile: null } }, '422 acquiring_profile_incomplete'],
    [
      'half a profile',
      { merchant: { ...live, acquiring_profile: { mcc: '5499' } } },
      '422 acquiring_profile_incomplete',
    ],
    ['no profile but a test', { merchant: { acquiring_profile: null, live: true } }, 'test'],
  ])('%s', async (_, asked, expected) => {
    // A merchant without integrations has no publishable key by itself.
    const account = await service.newAccount(asked)
    const answer = await account.client.create()
    expect(answer.body.mode ?? refusal(answer)).toBe(expected)
  })

  test('a wrong body is refused before the mode', async () => {
    const { client } = await service.newAccount({ key: { mode: 'live_only' } })
    const bodies = [
      { ...purchase, amount: 0 },
      { ...purchase, confirmation_url: 'https://b.example' },
    ]
    for (const body of bodies) expect(refusal(await client.create(body))).toBe('400 invalid_request')
  })

  test('a live session refuses test cards, and its 3-D Secure is not the simulator', async () => {
    const { client } = await service.newAccount({ merchant: live })
    const session = await client.open()
    const card = { number: visa, exp_month: 12, exp_year: 2031, cvc: '123' }
    expect(refusal(await client.referenceCard(session, card))).toBe('400 invalid_request')
    const real = await client.referenceCard(session, { ...card, number: '4929 0000 0000 6' })
    expect(refusal(real)).toBe('400 invalid_request')
    const { body } = await client.referenceCard(session, { ...card, number: '4539578763621486' })
    expect(body.three_ds_method).toBeNull()
    expect(refusal(await client.authenticate(session, body.card_reference))).toBe('503 three_ds_provider_unavailable')
    expect(refusal(await client.confirm(session))).toBe('503 three_ds_provider_unavailable')
    expect((await client.state(session)).body.session.attempt_count).toBe(0)
  })

  test('what was authenticated before 3-D Secure went is charged, and nothing else is', async () => {
    const { context } = service
    const { client } = service
    const [whole, half] = [await client.open(), await client.open()]
    await client.present(whole)
    await client.present(half, '4000000000003220')
    expect((await client.confirm(half)).body.three_ds.state).toBe('awaiting_challenge')
    const { test } = context.three_ds
    context.three_ds.test = null
    try {
      const refused = await client.confirm(half)
      expect(refusal(refused)).toBe('503 three_ds_provider_unavailable')
      expect(refused.headers.get('retry-after')).toBe('2')
      const config = await client.send('GET', `/v1/checkout/config/${service.account.publishable_key}`)
      expect(refused.body.message).toBe(config.body.message)
      expect((await client.confirm(whole)).body.status).toBe('captured')
    } finally {
      context.three_ds.test = test
    }
    expect(refusal(await client.confirm(half))).toBe('409 authentication_incomplete')
  })
})
