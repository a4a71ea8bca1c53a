// POST /3ds/results: the Directory Server's word on a challenge counts once, and only where it was asked for.

import { expect, test } from 'vitest'
import { changeMerchant } from '../../src/merchants/manage.ts'
import type { Json, SessionSecret } from '../support/client.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { client } = service

const otp = '4000000000003220'
type Ids = {
  server_transaction_id: string
  acs_transaction_id: string
  ds_transaction_id: string
}
const idsOf = async (session: SessionSecret): Promise<Ids> => {
  const [row] = await service.sql<Ids[]>`select * from attempts where session_id = ${session.id}`
  return row!
}
const post = async (ids: Ids, transStatus = 'Y', more: object = {}) => {
  const body = JSON.stringify({
    messageType: 'RReq',
    messageVersion: '2.2.0',
    messageCategory: '01',
    threeDSServerTransID: ids.server_transaction_id,
    acsTransID: ids.acs_transaction_id,
    dsTransID: ids.ds_transaction_id,
    transStatus,
    ...(transStatus === 'Y'
      ? {
          authenticationValue: 'AAABBEg0VhI0VniQEjRWAAAAAAA=',
          eci: '05',
          authenticationType: '02',
        }
      : { transStatusReason: '01', authenticationType: '02' }),
    interactionCounter: '01',
    ...more,
  })
  const answer = await fetch(`${service.base_url}/3ds/results`, { method: 'POST', body })
  expect(answer.status).toBe(200)
  const { messageType, errorCode = null } = (await answer.json()) as Json
  return [messageType, errorCode]
}
const waiting = async () => {
  const session = await client.open()
  await client.present(session, otp)
  return { session, ids: await idsOf(session) }
}
const stranger = 'e8db9820-63b7-43ce-8831-36ce81a2e313'

test('the first counts, a second is refused and changes nothing', async () => {
  const { session, ids } = await waiting()
  expect(await post(ids)).toEqual(['RRes', null])
  expect(await post(ids, 'N')).toEqual(['Erro', '312'])
  expect((await client.state(session)).body.three_ds.state).toBe('authenticated')
  expect((await client.confirm(session)).body.status).toBe('captured')
  expect(await post(ids, 'N')).toEqual(['Erro', '312'])
})

test.each(['server_transaction_id', 'acs_transaction_id', 'ds_transaction_id'])(
  'one whose %s is wrong is of an unknown transaction',
  async (name) => {
    const { session, ids } = await waiting()
    expect(await post({ ...ids, [name]: stranger })).toEqual(['Erro', '301'])
    expect((await client.state(session)).body.three_ds.state).toBe('awaiting_challenge')
  },
)

test('ids are the same in capital letters', async () => {
  const { ids } = await waiting()
  const capitals = Object.entries(ids).map(([name, id]) => [name, String(id).toUpperCase()])
  expect(await post(Object.fromEntries(capitals))).toEqual(['RRes', null])
})

test('one without a challenge was not asked for', async () => {
  const session = await client.open()
  await client.present(session)
  expect(await post(await idsOf(session), 'N')).toEqual(['Erro', '313'])
  expect((await client.confirm(session)).body.status).toBe('captured')
})

test('one that breaks a field rule, or is none', async () => {
  const { session, ids } = await waiting()
  expect(await post(ids, 'Q')).toEqual(['Erro', '203'])
  expect(await post(ids, 'Y', { messageVersion: '9.9.9' })).toEqual(['Erro', '102'])
  for (const body of ['', 'x', '{}', '[]']) {
    const answer = await fetch(`${service.base_url}/3ds/results`, { method: 'POST', body })
    expect(answer.status).toBe(200)
  }
  expect((await client.state(session)).body.three_ds.state).toBe('awaiting_challenge')
})

test('one for an attempt that gave way to another card', async () => {
  const { session, ids } = await waiting()
  await client.present(session)
  expect(await post(ids, 'N')).toEqual(['RRes', null])
  expect((await client.confirm(session)).body).toMatchObject({
    status: 'captured',
    attempt: { number: 2 },
  })
})

test('one that comes after the time of the challenge', async () => {
  const { session, ids } = await waiting()
  await service.sql`update attempts set challenge_expires_at = ${clock.now()}
    where session_id = ${session.id}`
  expect(await post(ids)).toEqual(['RRes', null])
  expect((await client.confirm(session)).body.decline.code).toBe('authentication_timeout')
})

test('one for a merchant that was suspended is still recorded', async () => {
  const theirs = await service.newAccount()
  const session = await theirs.client.open()
  await theirs.client.present(session, otp)
  await changeMerchant(service.operator, theirs.merchant_id, { status: 'suspended' })
  expect(await post(await idsOf(session))).toEqual(['RRes', null])
})
