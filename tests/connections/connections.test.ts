// Connections in the database: sealed, bound to their merchant and id, with lines in the journal, rotated and rewrapped.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCredentials } from '../../src/connections/connection.ts'
import { credentialsThatCount, findConnection, forgetOldCredentials } from '../../src/connections/connection-store.ts'
import { createConnection, disableConnection, rotateCredentials } from '../../src/connections/manage-connections.ts'
import { rewrapCredentials } from '../../src/connections/read-credentials.ts'
import { routingsIn } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { changeMerchant, createMerchant } from '../../src/merchants/manage.ts'
import { manualClock } from '../support/clock.ts'
import { type LogLine, logInto, type Service, startService } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'

const clock = manualClock()
const old = randomBytes(32)
const random = { bytes: randomBytes }
let service: Service
beforeAll(async () => {
  service = await startService({ clock, master_key: old })
})
afterAll(() => service.close())

let labels = 0
const fresh = () => ({
  kind: 'acquirer' as const,
  connector: 'checkout',
  mode: 'live' as const,
  label: `main-${++labels}`,
  credentials: { secret_key: 'sk_Lapsang', signature_key: 'sig' },
})
const create = (merchantId = service.account.merchant_id, asked: Partial<ReturnType<typeof fresh>> = {}) =>
  createConnection(service.operator, merchantId, { ...fresh(), ...asked })

async function rowOf(connection_id: string) {
  const { sql, context } = service
  const row = await findConnection(sql, connection_id, routingsIn(connection_id, context.keyring))
  return row!
}

async function linesOf(subject: string) {
  return service.sql<{ change: string; detail: object; actor: string }[]>`
    select change, detail, actor from journal where subject = ${subject} order by change`
}

describe('a connection', () => {
  test('is made with its credentials sealed, and a line of it', async () => {
    const { merchant_id } = service.account
    const made = await create(merchant_id, { label: 'made' })
    const { connection_id } = made
    expect(connection_id).toMatch(/^conn_[0-9a-f]{24}$/)
    const row = await rowOf(connection_id)
    expect(row).toMatchObject({ ...made, previous_sealed_credentials: null, previous_until: null })
    const [counting, ...others] = credentialsThatCount(service.context.keyring, row, clock.now())
    expect([counting, others]).toEqual([{ secret_key: 'sk_Lapsang', signature_key: 'sig' }, []])
    expect(await linesOf(connection_id)).toEqual([
      {
        change: 'connection.created',
        detail: { kind: 'acquirer', connector: 'checkout', label: 'made', mode: 'live' },
        actor: 'operator',
      },
    ])
  })

  test('opens under its own name alone', async () => {
    const [one, other] = [await create(), await create()]
    const { keyring } = service.context
    const { sealed_credentials } = await rowOf(one.connection_id)
    const { merchant_id } = await service.newAccount()
    const names = [other, { ...one, merchant_id }]
    for (const name of names) {
      expect(() => openCredentials(keyring, name, sealed_credentials)).toThrow('does not open')
    }
  })

  test('has a label that no other of its merchant has', async () => {
    await create(service.account.merchant_id, { label: 'twice' })
    await expect(create(service.account.merchant_id, { label: 'twice' })).rejects.toThrow(
      'The merchant has a connection labelled twice already.',
    )
    const { merchant_id } = await service.newAccount()
    await create(merchant_id, { label: 'twice' })
  })

  test('of a merchant or an id that is not there', async () => {
    await expect(create('m_none')).rejects.toThrow('There is no merchant m_none.')
    for (const id of [`conn_${'0'.repeat(24)}`, 'conn_1', 'main']) {
      await expect(rotateCredentials(service.operator, id, {})).rejects.toThrow(`There is no connection ${id}.`)
      await expect(disableConnection(service.operator, id)).rejects.toThrow('There is no connection')
    }
  })

  test('is disabled once', async () => {
    const { connection_id } = await create()
    const first = await disableConnection(service.operator, connection_id)
    expect(first).toMatchObject({ state: 'disabled', disabled_at: clock.now() })
    await clock.advance(1000)
    expect(await disableConnection(service.operator, connection_id)).toEqual(first)
    const changes = (await linesOf(connection_id)).map(({ change }) => change)
    expect(changes).toEqual(['connection.created', 'connection.disabled'])
  })
})

describe('after a rotation', () => {
  test('both sets count for a day, and then the old one is deleted', async () => {
    const { connection_id } = await create()
    const { keyring } = service.context
    const { previous_until } = await rotateCredentials(service.operator, connection_id, {
      secret_key: 'sk_2',
    })
    const sets = async (at: Date) => {
      const counting = credentialsThatCount(keyring, await rowOf(connection_id), at)
      return counting.map(({ secret_key }) => secret_key)
    }
    const last_ms = previous_until.getTime()
    expect(last_ms - clock.now().getTime()).toBe(24 * 3_600_000)
    expect(await sets(new Date(last_ms - 1))).toEqual(['sk_2', 'sk_Lapsang'])
    expect(await sets(previous_until)).toEqual(['sk_2'])
    expect(await forgetOldCredentials(service.sql, new Date(last_ms - 1))).toBe(0)
    expect(await forgetOldCredentials(service.sql, previous_until)).toBe(1)
    expect(await rowOf(connection_id)).toMatchObject({
      previous_sealed_credentials: null,
      previous_until: null,
      rotated_at: clock.now(),
    })
    const line = { change: 'connection.rotated', detail: {}, actor: 'operator' }
    expect(await linesOf(connection_id)).toContainEqual(line)
  })

  test('of a disabled connection, it stays disabled', async () => {
    const { connection_id } = await create()
    await disableConnection(service.operator, connection_id)
    await rotateCredentials(service.operator, connection_id, { secret_key: 'sk_3' })
    expect(await rowOf(connection_id)).toMatchObject({ state: 'disabled' })
  })
})

test('after a rotation of the master key both sets are wrapped anew; what does not open is logged', async () => {
  await service.sql`delete from connections`
  const rotated = await create()
  await rotateCredentials(service.operator, rotated.connection_id, { secret_key: 'sk_new' })
  const broken = await create()
  await service.sql`
    update connections set sealed_credentials = set_byte(
      sealed_credentials, 20, get_byte(sealed_credentials, 20) # 1)
    where connection_id = ${broken.connection_id}`
  const young = randomBytes(32)
  const keyring = openKeyring([young, old], random)
  const lines: LogLine[] = []
  const world = { ...service.context.world, log: logInto(lines) }
  const context = { sql: service.sql, keyring, world }
  expect(await rewrapCredentials(context)).toBe(1)
  expect(await rewrapCredentials(context)).toBe(0)
  const { connection_id } = broken
  const told = { level: 'error', message: 'credentials not wrapped anew' }
  expect(lines.map(({ fields, ...line }) => [line, fields])).toEqual(
    [1, 2].map(() => [told, { connection_id, error: 'sealed record does not open' }]),
  )
  const alone = openKeyring([young], random)
  const sets = credentialsThatCount(alone, await rowOf(rotated.connection_id), clock.now())
  expect(sets.map(({ secret_key }) => secret_key)).toEqual(['sk_new', 'sk_Lapsang'])
})

test('nothing of any credentials is in a table or in the log', async () => {
  const secret = 'sk_Keemun_Mao_Feng'
  const { connection_id } = await create(undefined, {
    credentials: { secret_key: secret, signature_key: 's' },
  })
  await rotateCredentials(service.operator, connection_id, { secret_key: `${secret}_2` })
  await service.context.directory.account(service.account.merchant_id)
  const stored = await everythingStored(service.sql)
  const places = [JSON.stringify(service.log), ...[...stored.values()].flat()]
  expect(places.some((text) => text.includes(connection_id))).toBe(true)
  const spelled = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')]
  expect(places.filter((text) => spelled.some((each) => text.includes(each)))).toEqual([])
})

test('a profile whose fallback is its own acquirer is refused by name, and the one before stays', async () => {
  const profile = { acquirer: 'main', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
  const change = (fallback_acquirer: string) =>
    changeMerchant(service.operator, service.account.merchant_id, {
      acquiring_profile: { ...profile, fallback_acquirer },
    })
  await change('second')
  const refused = { code: 'invalid_request', field: 'fallback_acquirer' }
  await expect(change('main')).rejects.toMatchObject(refused)
  const [kept] = await service.sql`
    select acquiring_profile->>'fallback_acquirer' as label from merchants
    where merchant_id = ${service.account.merchant_id}`
  expect(kept).toEqual({ label: 'second' })
  const asked = { name: 'Tea', live: false, live_enabled: false }
  const acquiring_profile = { ...profile, fallback_acquirer: 'main' }
  await expect(createMerchant(service.operator, { ...asked, acquiring_profile })).rejects.toMatchObject(refused)
})
