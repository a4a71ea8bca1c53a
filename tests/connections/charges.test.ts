// Live charges go to the connection that the acquiring profile names, with the credentials that it has at that moment.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createConnection, disableConnection, rotateCredentials } from '../../src/connections/manage-connections.ts'
import { countStatements } from '../../src/database/count.ts'
import type { AccountConnection } from '../../src/merchants/account-connection.ts'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { refusal } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { shopperAt } from '../support/live-shopper.ts'
import { type Account, drivenClock, type Service, startService, until } from '../support/service.ts'
import { openVendor } from '../support/vendor.ts'

const clock = drivenClock()
const statements = countStatements()
const vendor = openVendor()
let database: FreshDatabase
let service: Service
beforeAll(async () => {
  database = await freshDatabase()
  const { onStatement } = statements
  service = await startService({
    clock,
    connectors: [vendor.connector],
    database: { ...database, open: (options) => database.open({ ...options, onStatement }) },
    trusted_proxies: ['127.0.0.1'],
    three_ds: {
      server_reference_number: 'R',
      operator_id: 'O',
      requestor_id: 'I',
      requestor_name: 'N',
      requestor_url: 'https://ripper.example',
      directory_servers: [],
    },
  })
})
afterAll(async () => {
  await service.close()
  await database.drop()
})

const profile = { descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
const live = { live: true, live_enabled: true, acquiring_profile: profile }
type ConnectionOptions = Pick<AccountConnection, 'kind' | 'connector' | 'label' | 'mode'>
const main: ConnectionOptions = { kind: 'acquirer', connector: 'bank', label: 'main', mode: 'live' }

let account: Account
let shopper: ReturnType<typeof shopperAt>
beforeEach(async () => {
  account = await service.newAccount({ merchant: live })
  shopper = shopperAt(account, '192.0.2.1')
  vendor.asked.length = 0
  vendor.charged.length = 0
  // What one address may pay within a minute is another test's matter.
  await clock.advance(60_000)
})

const connect = (asked: Partial<ConnectionOptions> = {}, secret_key = 'sk_1') =>
  createConnection(service.operator, account.merchant_id, {
    ...main,
    ...asked,
    credentials: { secret_key },
  })
const name = (label: string | null) =>
  changeMerchant(service.operator, account.merchant_id, {
    acquiring_profile: { ...profile, ...(label !== null && { acquirer: label }) },
  })
/** The outcome of a create, once this process has heard of the change. */
const created = (wanted: string) =>
  until(
    async () => {
      const answer = await account.client.create()
      return answer.status === 201 ? answer.body.mode : refusal(answer)
    },
    (told) => told === wanted,
  )

describe('a live session', () => {
  const refused = '422 acquiring_profile_incomplete'

  test.each<[string, Partial<ConnectionOptions> | null]>([
    ['there is none', null],
    ['its label is another', { label: 'Main' }],
    ['it is one of the sandbox', { mode: 'sandbox' }],
    ['it is one for 3-D Secure', { kind: 'three_ds' }],
  ])('is refused where %s', async (_, connection) => {
    if (connection) await connect(connection)
    await name('main')
    expect(await created(refused)).toBe(refused)
    const { body } = await account.client.create()
    expect(body.message).toContain('names no acquirer connection that can be used')
  })

  test('is refused once its connection is disabled', async () => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    await disableConnection(service.operator, connection_id)
    expect(await created(refused)).toBe(refused)
  })
})

describe('a charge', () => {
  test('goes to the connection, by its name, with our mark', async () => {
    const { connection_id } = await connect()
    await connect({ label: 'other' }, 'sk_other')
    await name('main')
    await created('live')
    const { body } = await shopper.pay(1)
    expect(body).toMatchObject({ status: 'captured' })
    const acquirer = `bank:${connection_id}`
    expect(vendor.asked).toEqual([{ verb: 'authorise', name: acquirer, secret_key: 'sk_1' }])
    expect(vendor.charged[0]!.installation).toBe(service.context.installation)
    const [payment] = await service.sql`
      select acquirer, acquirer_transaction_id from payments where payment_id = ${body.payment_id}`
    expect(payment).toEqual({ acquirer, acquirer_transaction_id: 't_1' })
  })

  test.each([
    ['live', 'captured'],
    ['sandbox', 'failed'],
  ] as const)('that is approved in the environment %s: %s', async (environment, status) => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    vendor.next('sk_1', async () => ({
      result: 'approved',
      captured: true,
      acquirer_transaction_id: 't_1',
      amount: vendor.charged.at(-1)!.amount,
      currency: vendor.charged.at(-1)!.currency,
      environment,
    }))
    const { body } = await shopper.pay(8)
    expect(body).toMatchObject({ status })
    if (status === 'captured') return
    expect(body.decline).toMatchObject({
      category: 'provider_error',
      code: 'processing_error',
      reason: 'the vendor answers from its sandbox, and the connection is of mode live',
    })
    expect(body.attempts_left).toBe(2)
    const acquirer = `bank:${connection_id}`
    expect(service.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ acquirer, reason: body.decline.reason }),
        message: expect.stringContaining('connection failed to charge'),
      }),
    )
    const orphans = await service.sql`
      select 1 from orphan_authorisations where payment_id = ${body.payment_id}`
    expect(orphans).toEqual([])
  })

  test('asks for the account and the credentials once, however many there are', async () => {
    await connect()
    await name('main')
    await created('live')
    await shopper.pay(2)
    const session = await account.client.open()
    statements.reset()
    await shopper.pay(3, session)
    expect(statements.texts().filter((text) => /\bconnections\b/.test(text))).toEqual([])
  })

  test('is sent with rotated credentials within ten seconds', async () => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    await shopper.pay(4)
    await rotateCredentials(service.operator, connection_id, { secret_key: 'sk_2' })
    await clock.advance(10_000)
    await shopper.pay(5)
    expect(vendor.asked.map(({ secret_key }) => secret_key)).toEqual(['sk_1', 'sk_2'])
  })

  test('fails without being sent where the credentials do not open, and the log names the connection', async () => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    await service.sql`
      update connections set sealed_credentials = set_byte(
        sealed_credentials, 20, get_byte(sealed_credentials, 20) # 1)
      where connection_id = ${connection_id}`
    const { body } = await shopper.pay(6)
    expect(body).toMatchObject({ status: 'failed', decline: { category: 'provider_error' } })
    expect(vendor.asked).toEqual([])
    const counted = await service.sql`
      select name from limit_uses where merchant_id = ${account.merchant_id} and name like 'declines%'`
    expect(counted).toEqual([])
    expect(service.log).toContainEqual({
      level: 'error',
      fields: expect.objectContaining({ acquirer: `bank:${connection_id}` }),
      message: expect.stringContaining('connection failed to charge'),
    })
    expect(service.log).toContainEqual({
      level: 'error',
      fields: { connection_id, error: 'sealed record does not open' },
      message: 'credentials of the connection do not open',
    })
  })

  test('fails without being sent where the connection was disabled after the session was opened', async () => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    const session = await account.client.open()
    await disableConnection(service.operator, connection_id)
    await created('422 acquiring_profile_incomplete')
    const { body } = await shopper.pay(7, session)
    expect(body).toMatchObject({ status: 'failed', decline: { category: 'provider_error' } })
    expect(vendor.asked).toEqual([])
  })
})

describe('what a disabled connection charged', () => {
  test('is captured, voided, reversed, refunded and looked up there', async () => {
    const { connection_id } = await connect()
    await disableConnection(service.operator, connection_id)
    const acquirer = service.context.acquirerOf('live', `bank:${connection_id}`)
    const authorisation = { reference: 'r', handle: null, acquirer_transaction_id: 't' }
    const request = { reference: 's', authorisation, amount: 1, currency: 'GBP' }
    for (const verb of ['capture', 'void', 'reverse', 'refund'] as const) {
      expect(await acquirer[verb](request)).toMatchObject({ result: 'approved' })
    }
    expect(vendor.asked.map(({ verb }) => verb)).toEqual(['capture', 'void', 'reverse', 'refund'])
  })

  test('is refunded by the API, in four statements', async () => {
    const { connection_id } = await connect()
    await name('main')
    await created('live')
    const { body: paid } = await shopper.pay(8)
    await disableConnection(service.operator, connection_id)
    await created('422 acquiring_profile_incomplete')
    vendor.asked.length = 0
    statements.reset()
    const { body } = await account.client.refund(paid.payment_id)
    expect(body).toMatchObject({ status: 'succeeded', mode: 'live', amount: 4200 })
    expect(vendor.asked).toMatchObject([{ verb: 'refund', secret_key: 'sk_1' }])
    // The payment; the intent; the outcome; the answer under its key.
    const own = statements.texts().filter((text) => !/\bconnections\b/.test(text))
    expect(own.map((text) => /^\s*(with|update|select)/.exec(text)?.[1])).toEqual([
      ...['select', 'with', 'with', 'update'],
    ])
  })

  test('is among what sweeps go through, with the connections of all merchants and modes', async () => {
    const own = await connect()
    await disableConnection(service.operator, own.connection_id)
    const sandbox = await connect({ label: 'trial', mode: 'sandbox' })
    await connect({ label: '3ds', kind: 'three_ds' })
    await connect({ label: 'later', connector: 'unknown' })
    const { client: _, ...other } = await service.newAccount()
    const { merchant_id } = other
    const theirs = await createConnection(service.operator, merchant_id, {
      ...main,
      credentials: {},
    })
    const listed = await service.context.listAcquirers()
    const of = (id: string) => listed.flatMap(({ mode, acquirer }) => (acquirer.name === `bank:${id}` ? [mode] : []))
    expect(listed[0]).toMatchObject({ mode: 'test', acquirer: { name: 'simulator' } })
    expect(of(own.connection_id)).toEqual(['live'])
    expect(of(sandbox.connection_id)).toEqual(['test'])
    expect(of(theirs.connection_id)).toEqual(['live'])
    expect(listed.filter(({ acquirer }) => /unknown|3ds/.test(acquirer.name))).toEqual([])
  })
})

describe('acquirers by name', () => {
  test('of a connection that is not there are never called', async () => {
    const { connection_id } = await connect()
    const other = connection_id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const calls = [`bank:${other}`, `unknown:${connection_id}`, 'bank', 'main', connection_id]
    for (const each of calls) {
      const { lookUp } = service.context.acquirerOf('live', each)
      await expect(lookUp({} as never)).rejects.toThrow(/has no credentials|no acquirer connection/)
    }
    expect(vendor.asked).toEqual([])
  })
})
