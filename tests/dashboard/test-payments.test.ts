// Test payments from the dashboard: each outcome as a shopper's, once for one intent, and only by who may make them.

import { expect, test } from 'vitest'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account, client, sql } = service
const at = `/${account.merchant_id}/test-payments`
const [developer, support] = [
  await newMember(service, { role: 'developer' }),
  await newMember(service, { role: 'support' }),
]
const key = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })

async function begin(outcome: string, sent = key()) {
  const answer = await developer.post(at, { outcome }, sent)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

const pay = (session_id: string) => developer.post(`${at}/${session_id}/pay`)

test.each([
  ['paid', 'captured', null],
  ['held', 'held', 'no_price_list'],
  ['declined', 'declined', null],
])('one that is %s', async (outcome, status, reason) => {
  const { session_id, email, amount, currency } = await begin(outcome)
  const { body: paid, text } = await pay(session_id)
  expect(paid, text).toEqual({ payment_id: expect.stringMatching(/^pay_/), status })
  const path = `/${account.merchant_id}/payments`
  const found = await developer.get(`${path}?mode=test&customer_email=${email}&status=${status}`)
  expect(found.body.data).toMatchObject([{ id: paid.payment_id, amount, currency, mode: 'test' }])
  const one = await developer.get(`${path}/${paid.payment_id}`)
  expect(one.body.hold?.reason ?? null).toBe(reason)
  const lines = await sql<{ actor: string }[]>`
    select actor from journal where subject = ${session_id} and change = 'session.created'`
  expect(lines).toEqual([{ actor: `user ${developer.user_id}` }])
})

test('one intent makes one payment, however often it is sent', async () => {
  const sent = key()
  const first = await begin('paid', sent)
  expect(await begin('paid', sent)).toEqual(first)
  const answers = await Promise.all([pay(first.session_id), pay(first.session_id)])
  const again = await pay(first.session_id)
  expect(again.body).toMatchObject({ status: 'captured' })
  for (const { status, body } of answers) {
    if (status === 200) expect(body.payment_id).toBe(again.body.payment_id)
    else expect(status).toBe(409)
  }
  const [count] = await sql`
    select count(*)::int from payments
    where merchant_id = ${account.merchant_id} and session_id = ${first.session_id}`
  expect(count).toEqual({ count: 1 })
})

test('a declined one is not tried again', async () => {
  const { session_id } = await begin('declined')
  const first = await pay(session_id)
  expect((await pay(session_id)).body).toEqual(first.body)
})

test('without a key, or with another outcome, nothing is made', async () => {
  expect(refusalIn(await developer.post(at, { outcome: 'paid' }))).toBe('400 idempotency_key_missing')
  expect(refusalIn(await developer.post(at, { outcome: 'rich' }, key()))).toBe('400 invalid_request')
})

test('who may not create payments makes none', async () => {
  expect(refusalIn(await support.post(at, { outcome: 'paid' }, key()))).toBe('403 permission_denied')
})

test('no session but one of these is paid', async () => {
  const shoppers = await client.open()
  expect(refusalIn(await pay(shoppers.id))).toBe('404 resource_not_found')
  expect(refusalIn(await pay('cs_nothing'))).toBe('404 resource_not_found')
})

test('it is paid at the simulator where the default integration pays its tests at a vendor', async () => {
  const { integration_id } = account.integration!
  await sql`update integrations set test_connections = ${['sandbox']}
    where integration_id = ${integration_id}`
  const other = await newMember(service, { role: 'owner' })
  const { body } = await other.post(at, { outcome: 'paid' }, key())
  const paid = await other.post(`${at}/${body.session_id}/pay`)
  expect(paid.body, paid.text).toMatchObject({ status: 'captured' })
})
