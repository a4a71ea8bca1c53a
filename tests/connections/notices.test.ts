// What is posted in an acquirer's name: stored once where it is genuine, and else refused with nothing kept.

import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConnection, rotateCredentials } from '../../src/connections/manage-connections.ts'
import { manualClock } from '../support/clock.ts'
import { type Service, startService } from '../support/service.ts'

const clock = manualClock()
let service: Service
let connection_id: string
const credentials = { secret_key: 'sk_sbox_a', signature_key: 'first' }

beforeAll(async () => {
  service = await startService({ clock, master_key: randomBytes(32) })
  const asked = { kind: 'acquirer', connector: 'checkout', mode: 'sandbox', label: 'main' } as const
  const { merchant_id } = service.account
  const made = await createConnection(service.operator, merchant_id, { ...asked, credentials })
  connection_id = made.connection_id
})
afterAll(() => service.close())

let posted = 0

function event(change: object = {}): string {
  posted += 1
  const metadata = { ripper_installation: service.context.installation }
  const data = { id: 'pay_theirs', reference: '0'.repeat(25), metadata, ...change }
  const created_on = clock.now().toISOString()
  return JSON.stringify({ id: `evt_${posted}`, type: 'payment_approved', created_on, data })
}

async function post(body: string, { key = 'first', id = connection_id, signature = signed(key, body) } = {}) {
  const url = `${service.base_url}/acquirers/${id}/notices`
  const headers = { 'content-type': 'application/json', 'cko-signature': signature }
  const answer = await fetch(url, { method: 'POST', headers, body })
  return { status: answer.status, text: await answer.text() }
}

function signed(key: string, body: string): string {
  return createHmac('sha256', key).update(body).digest('hex')
}

async function count(): Promise<number> {
  const [row] = await service.sql`select count(*)::int from acquirer_notices`
  return row!.count
}

test('a genuine notice is stored once, however often it comes', async () => {
  const body = event()
  const before = await count()
  expect(await post(body)).toEqual({ status: 200, text: '' })
  expect((await post(body)).status).toBe(200)
  expect(await count()).toBe(before + 1)
  const [row] = await service.sql`
    select about, reference, authorisation_transaction_id from acquirer_notices
    where notice_id = ${`evt_${posted}`}`
  expect(row).toEqual({ about: 'authorise', reference: '0'.repeat(32), authorisation_transaction_id: 'pay_theirs' })
})

test('a rotation leaves a day in which both signatures count', async () => {
  const rotated = { ...credentials, signature_key: 'second' }
  await rotateCredentials(service.operator, connection_id, rotated)
  expect((await post(event(), { key: 'second' })).status).toBe(200)
  expect((await post(event(), { key: 'first' })).status).toBe(200)
  await clock.advance(24 * 3_600_000)
  expect((await post(event(), { key: 'first' })).status).toBe(401)
  expect((await post(event(), { key: 'second' })).status).toBe(200)
})

test('what is not genuine is refused in the same words, and nothing is kept', async () => {
  const key = 'second'
  const before = await count()
  const body = event()
  const refused = { status: 401, text: '' }
  expect(await post(body, { key: 'wrong' })).toEqual(refused)
  expect(await post(body, { signature: '' })).toEqual(refused)
  expect(
    await post(body.replace('payment_approved', 'payment_declined'), {
      signature: signed(key, body),
    }),
  ).toEqual(refused)
  expect(await post('{"id":"evt_cut', { key })).toEqual(refused)
  expect(await post(body, { key, id: `conn_${'0'.repeat(24)}` })).toEqual(refused)
  expect(await post(body, { key, id: 'conn_x' })).toEqual(refused)
  expect(await count()).toBe(before)
})

test("what bears another installation's mark is acknowledged, and not kept", async () => {
  const before = await count()
  const stranger = event({ metadata: { ripper_installation: 'another' } })
  expect((await post(stranger, { key: 'second' })).status).toBe(200)
  expect(await count()).toBe(before)
})

test('a post may be of 64 KB, and no longer', async () => {
  const padded = (length: number) => {
    const body = event({ padding: '' })
    return body.replace('"padding":""', `"padding":"${'x'.repeat(length - body.length)}"`)
  }
  expect((await post(padded(64 * 1024), { key: 'second' })).status).toBe(200)
  expect((await post(padded(64 * 1024 + 1), { key: 'second' })).status).toBe(413)
})
