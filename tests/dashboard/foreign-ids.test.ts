// Another merchant's ids below one's own merchant: every route answers as for ids that nobody has. Generated from the records.

import { expect, test } from 'vitest'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import type { DoorRule } from '../../src/users/signed-in.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { hold } from '../support/holding.ts'
import { insertPayout } from '../support/payouts.ts'
import { linkFor, newMember } from '../support/person.ts'
import { connectBank, drivenClock, driving } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account: mine } = service
const theirs = await service.newAccount()
const owner = await newMember(service, { role: 'owner' })
const their_owner = await newMember(service, { role: 'owner', merchant_id: theirs.merchant_id })

/** What the other merchant has, by the names that paths give it. */
const ids: Record<string, string[]> = await (async () => {
  const { client } = theirs
  const held = await hold(theirs)
  const paid = (await client.pay()).body.payment_id
  const session = await client.open()
  const { body: refund } = await client.refund(paid, { amount: 513 })
  await client.present(session, '4000009190450000')
  await driving(clock, client.confirm(session))
  const begun = await their_owner.post(
    `/${theirs.merchant_id}/test-payments`,
    { outcome: 'paid' },
    { headers: { 'rip-idempotency-key': crypto.randomUUID() } },
  )
  const [operation] = await service.sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where merchant_id = ${theirs.merchant_id} and state = 'unknown'`
  const sold = await client.send('POST', '/v1/payment_links', {
    headers: { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() },
    body: { amount: 1, currency: 'GBP' },
  })
  const { delivery_id, endpoint_id } = await deadLetter({ ...service, account: theirs })
  await linkFor(service, {
    purpose: 'invite',
    email: 'new@example.com',
    merchant_id: theirs.merchant_id,
    role: 'viewer',
  })
  const [link] = await service.sql<{ link_id: string }[]>`
    select link_id from sign_in_links where merchant_id = ${theirs.merchant_id} and email = 'new@example.com'`
  return {
    payment_id: [held.payment_id, paid],
    session_id: [session.id, begun.body.session_id],
    refund_id: [refund.id],
    operation_id: [operation!.operation_id],
    delivery_id: [delivery_id],
    endpoint_id: [endpoint_id],
    integration_id: [theirs.integration!.integration_id],
    connection_id: [(await connectBank(service.operator, theirs.merchant_id, 'theirs')).connection_id],
    key_id: [theirs.key_id, theirs.publishable_key!],
    user_id: [their_owner.user_id],
    link_id: [link!.link_id],
    payment_link_id: [sold.body.id],
    payout_id: [await insertPayout(service.sql, { merchant_id: theirs.merchant_id, mode: 'test', vendor_id: 'po_1' })],
  }
})()

const bodies: [end: string, body: object][] = [
  ['/resolve', { outcome: 'failed', reason: 'they say so' }],
  ['/role', { role: 'viewer' }],
  ['/refunds', {}],
  ['/notes', { note: 'in cash' }],
  ['/otherwise', { amount: 513, note: 'in cash' }],
  ['/credentials', { credentials: {} }],
]

const withIds = dashboardRoutes.flatMap(({ method, path, access }) => {
  const { door } = access as unknown as DoorRule<unknown>
  const [name] = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, each]) => (each === 'merchant_id' ? [] : [each!]))
  return door.who === 'member' && name
    ? [{ route: `${method} ${path}`, method: method as string, path: path as string, name }]
    : []
})

test('every name of an id in a path has one', () => {
  expect([...new Set(withIds.map(({ name }) => name))].sort()).toEqual(Object.keys(ids).sort())
})

const nobodys = (id: string) =>
  id.replace(/[0-9a-f]{8,}/g, (hex) =>
    hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 5) % 16).toString(16)),
  )

test.each(withIds)('$route', async ({ method, path, name }) => {
  const ask = async (id: string) => {
    const at = path.replace('/dashboard/api', '').replace('{merchant_id}', mine.merchant_id).replace(`{${name}}`, id)
    const body = method === 'GET' ? undefined : (bodies.find(([end]) => at.endsWith(end))?.[1] ?? {})
    const headers = { 'rip-idempotency-key': crypto.randomUUID() }
    const { status, text } = await owner.send(method, at, body, { headers })
    return { status, text: text.replaceAll(id, 'ID').replace(/req_[0-9a-f]{24}/, 'req_') }
  }
  for (const id of ids[name]!) {
    const [foreign, none] = [await ask(id), await ask(nobodys(id))]
    expect(foreign).toEqual(none)
    expect(foreign.status).toBeGreaterThanOrEqual(400)
    expect([401, 403]).not.toContain(foreign.status)
  }
})

test('nothing of theirs has changed', async () => {
  const { body } = await their_owner.get(`/${theirs.merchant_id}/keys`)
  expect(body.keys.filter(({ state }: { state: string }) => state === 'usable')).toHaveLength(1)
  const holds = await their_owner.get(`/${theirs.merchant_id}/holds?mode=test`)
  expect(holds.body.data).toMatchObject([{ hold: { status: 'pending_review' }, operation: null }])
  const { integrations } = (await their_owner.get(`/${theirs.merchant_id}/integrations`)).body
  expect(integrations).toHaveLength(1)
})
