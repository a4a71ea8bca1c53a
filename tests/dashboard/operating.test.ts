// Integrations, requests, operations and the journal at the dashboard.

import { describe, expect, test } from 'vitest'
import type { Json } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock, driving, newKey } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const [owner, developer, support] = [
  await newMember(service, { role: 'owner' }),
  await newMember(service, { role: 'developer' }),
  await newMember(service, { role: 'support' }),
]
const id = account.integration!.integration_id

test('an integration is changed by what is sent, and the journal has the difference', async () => {
  const path = `${at}/integrations/${id}`
  expect(refusalIn(await support.post(path, { at_deadline: 'capture' }))).toBe('403 permission_denied')
  const changed = await developer.post(path, { at_deadline: 'capture', capture_below: 500 })
  expect(changed.body, changed.text).toMatchObject({
    integration_id: id,
    at_deadline: 'capture',
    capture_below: 500,
    is_default: true,
    allowed_origins: account.integration!.allowed_origins,
  })
  const { body } = await developer.get(`${at}/integrations`)
  expect(body.integrations).toEqual([changed.body])
  const [line] = await sql<{ detail: object; actor: string }[]>`
    select detail, actor from journal where subject = ${id} and change = 'integration.changed'`
  expect(line).toEqual({
    detail: { at_deadline: 'capture', capture_below: 500 },
    actor: `user ${developer.user_id}`,
  })
})

test.each<[string, object, string]>([
  ['an origin with a path', { allowed_origins: ['https://shop.example/x'] }, 'allowed_origins[0]'],
  ['a URL elsewhere', { confirmation_url: 'https://other.example/done' }, 'confirmation_url'],
  ['a hosted page without a handle', { is_hosted_page: true, handle: null }, 'handle'],
  ['a page of the service as its handle', { handle: 'docs' }, 'handle'],
  ['an amount without a currency', { default_amount: 5 }, 'default_currency'],
  ['an escalation after the deadline', { escalate_after_seconds: 9999999 }, 'escalate_after_seconds'],
  ['a late escalation', { escalate_after_seconds: 2592000 }, 'escalate_after_seconds'],
  ['an unknown member', { merchant_id: 'm_1' }, 'merchant_id'],
  ['a name that turns text round', { name: 'shop\u202e' }, 'name must have 1 to 100 characters'],
  ['no longer the default', { is_default: false }, 'is_default'],
  ['a script as a link', { terms_url: 'javascript:alert(1)' }, 'terms_url'],
])('an integration refuses %s, and names it', async (_, change, field) => {
  const answer = await developer.post(`${at}/integrations/${id}`, change)
  expect(refusalIn(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toContain(field)
})

test('a price list is shown with every member, and a connection of tests by its label', async () => {
  const tea = { sku: 'tea', name: 'Tea', unit_amount: 850, currency: 'gbp' }
  const path = `${at}/integrations/${id}`
  const changed = await developer.post(path, { price_list: [tea], is_hosted_page: false })
  expect(changed.body, changed.text).toMatchObject({
    price_list: [{ ...tea, currency: 'GBP', tax_rate: null, image_url: null }],
    hosted_page_url: null,
  })
  // What is shown may be sent back.
  const { price_list } = changed.body
  expect((await developer.post(path, { price_list })).status).toBe(200)
  const refused = await developer.post(path, { test_connections: ['trial'] })
  expect(refusalIn(refused)).toBe('400 invalid_request')
  expect(refused.body.message).toContain('trial, which is missing')
  const hosted = await developer.post(path, { is_hosted_page: true, handle: 'tea-house' })
  expect(hosted.body.hosted_page_url).toBe(`${service.base_url}/pay/tea-house`)
  await developer.post(path, { price_list: null, is_hosted_page: false })
})

test('a second integration, made and deleted; the default one stays', async () => {
  const path = `${at}/integrations`
  const made = await developer.post(path, { name: 'app', allowed_origins: ['https://app.example'] })
  expect([made.status, made.body.is_default]).toEqual([201, false])
  const same = await developer.post(path, { name: 'app' })
  expect(refusalIn(same)).toBe('400 invalid_request')
  expect(same.body.message).toMatch(/^name /)
  expect((await developer.remove(`${path}/${made.body.integration_id}`)).status).toBe(204)
  const again = await developer.remove(`${path}/${made.body.integration_id}`)
  expect(refusalIn(again)).toBe('404 resource_not_found')
  const refused = await developer.remove(`${path}/${id}`)
  expect(refusalIn(refused)).toBe('400 invalid_request')
  expect(refused.body.message).toMatch(/^integration_id /)
  const other = await service.newAccount()
  const theirs = `${path}/${other.integration!.integration_id}`
  expect(refusalIn(await developer.post(theirs, { capture_below: 1 }))).toBe('404 resource_not_found')
  expect(refusalIn(await developer.remove(theirs))).toBe('404 resource_not_found')
})

test('the last requests of the merchant, and of no other', async () => {
  const other = await service.newAccount()
  await other.client.readPayment(`pay_${'1'.repeat(24)}`)
  const { headers } = await client.create({ amount: 0 })
  const { body, text } = await developer.get(`${at}/requests/recent`)
  expect(body.data[0], text).toMatchObject({
    method: 'POST',
    path: '/v1/checkout/sessions',
    status: 400,
    code: 'invalid_request',
    request_id: headers.get('rip-request-id'),
  })
  expect(text).not.toContain('/v1/payments/')
  expect(text).not.toContain('/dashboard/')
  expect(refusalIn(await support.get(`${at}/requests`))).toBe('403 permission_denied')
})

test('an operation without an answer is listed, and settled by a person', async () => {
  const session = await client.open()
  await client.present(session, '4000009190450000')
  const { body: confirmed } = await driving(clock, client.confirm(session))
  expect(confirmed.status).toBe('processing')
  const list = async () => (await support.get(`${at}/operations?mode=test`)).body
  const [operation] = (await list()).operations
  expect(operation).toMatchObject({
    kind: 'authorise',
    payment_id: confirmed.payment_id,
    mode: 'test',
    outcomes: ['approved', 'declined', 'failed'],
  })
  expect(operation).toMatchObject({ order_reference: null, customer_email: 'ada@example.com' })
  const viewer = await newMember(service, { role: 'viewer' })
  const masked = (await viewer.get(`${at}/operations?mode=test`)).body.operations[0]
  expect(masked.customer_email).toBe('a…@example.com')
  const life = (await support.get(`${at}/payments/${confirmed.payment_id}/timeline`)).body
  const [{ sent_at, asking }] = life.payments[0].operations
  expect(Date.parse(asking.until) - Date.parse(sent_at)).toBe(72 * 3600 * 1000)
  expect(asking.next_at).toBe(operation.next_look_at)
  expect((await list()).brake).toEqual({ is_pulled: false })
  const path = `${at}/operations/${operation.operation_id}/resolve`
  const asked = { outcome: 'failed', reason: 'They never got it' }
  expect(refusalIn(await support.post(path, asked))).toBe('403 permission_denied')
  expect(refusalIn(await owner.post(path, { ...asked, reason: ' ' }))).toBe('400 invalid_request')
  const strange = await owner.post(`${at}/operations/${'0'.repeat(32)}/resolve`, asked)
  expect(refusalIn(strange)).toBe('404 resource_not_found')
  const settled = await owner.post(path, asked)
  expect(settled.status, settled.text).toBe(204)
  expect((await list()).operations).toEqual([])
  expect((await client.readPayment(confirmed.payment_id)).body.status).toBe('failed')
  const [line] = await sql<{ actor: string; detail: Json }[]>`
    select actor, detail from journal
    where subject = ${confirmed.payment_id} and change = 'payment.failed'`
  expect(line).toMatchObject({
    actor: `user ${owner.user_id}`,
    detail: { reason: asked.reason, by: owner.user_id, resolved_as: 'failed' },
  })
})

test("an approval must bear the acquirer's reference, and no other payment's, which is named to its own merchant alone", async () => {
  const stranger = await service.newAccount()
  const [own, strange] = [(await client.pay()).body, (await stranger.client.pay()).body]
  const session = await client.open()
  await client.present(session, '4000009190450000')
  await driving(clock, client.confirm(session))
  const [operation] = (await support.get(`${at}/operations?mode=test`)).body.operations
  const path = `${at}/operations/${operation.operation_id}/resolve`
  const settle = async (acquirer_transaction_id: string | null) => {
    const body = { outcome: 'approved', reason: 'They say so', acquirer_transaction_id }
    const { field, fault, payment_id } = (await owner.post(path, body)).body
    return { field, fault, payment_id }
  }
  const idOf = async (paid: Json) => {
    const [row] = await sql<[{ id: string }]>`
      select acquirer_transaction_id as id from payments where payment_id = ${paid.payment_id}`
    return row.id
  }
  const field = 'acquirer_transaction_id'
  expect(await settle(null)).toEqual({ field, fault: 'required' })
  expect(await settle(await idOf(own))).toEqual({ field, fault: 'other_payments_id', payment_id: own.payment_id })
  expect(await settle(await idOf(strange))).toEqual({ field, fault: 'other_payments_id' })
})

describe('the journal', async () => {
  const other = await service.newAccount()
  const reader = await newMember(service, { role: 'admin' })
  const stranger = await newMember(service, { merchant_id: other.merchant_id })
  const read = async (query: string) => (await reader.get(`${at}/audit?limit=100${query}`)).body.data
  const readings = () => read('&change=audit.read')

  test('says who read it, once a quarter of an hour', async () => {
    const by = {
      change: 'audit.read',
      actor: `user ${reader.user_id}`,
      subject: account.merchant_id,
    }
    expect(await readings()).toMatchObject([by])
    await clock.advance(15 * 60_000 - 1)
    await reader.prove()
    expect(await readings()).toHaveLength(1)
    await clock.advance(1)
    expect(await readings()).toMatchObject([by, by])
    await clock.advance(1)
    await owner.prove()
    await owner.get(`${at}/audit`)
    expect(await readings()).toMatchObject([{ actor: `user ${owner.user_id}` }, by, by])
  })

  test('has what members did to come in, and nobody else', async () => {
    await support.post('/sign-out')
    await support.signIn()
    await stranger.post('/sign-out')
    await stranger.signIn()
    const lines: Json[] = await read('&change=sign_in.succeeded')
    expect(lines).toMatchObject([{ subject: support.user_id, detail: { factors: ['passkey'], address: '127.0.0.1' } }])
    await clock.advance(1)
    await sql`
      update memberships set created_at = ${clock.now()} where user_id = ${support.user_id}`
    expect(await read('&change=sign_in.succeeded')).toEqual([])
  })
})

test('the journal has who made a way into a member’s account, and nothing of the installation', async () => {
  await owner.prove()
  const made = await owner.post(`${at}/team/${support.user_id}/reset-link`)
  expect(made.status).toBe(200)
  await sql`update users set is_operator = true where user_id = ${owner.user_id}`
  const brake = { acquirer: null, reason: 'a fire' }
  expect((await owner.post('/system/brake/pull', brake)).status).toBe(200)
  await sql`update users set is_operator = false where user_id = ${owner.user_id}`
  const { data } = (await owner.get(`${at}/audit?limit=100`)).body
  expect(data).toContainEqual(
    expect.objectContaining({
      change: 'link.created',
      actor: `user ${owner.user_id}`,
      detail: expect.objectContaining({ purpose: 'reset', user_id: support.user_id }),
    }),
  )
  expect(data.map(({ change }: Json) => change)).not.toContain('brake.pulled')
})

test('the journal, newest first, by who did it', async () => {
  await client.pay()
  const { body } = await owner.get(`${at}/audit?limit=1`)
  expect([body.has_more, body.data.length]).toEqual([true, 1])
  const next = await owner.get(`${at}/audit?limit=1&after=${body.next_cursor}`)
  expect(next.body.data[0].entry_id < body.data[0].entry_id).toBe(true)
  const actor = encodeURIComponent(`user ${developer.user_id}`)
  const mine = (await owner.get(`${at}/audit?limit=100&actor=${actor}`)).body
  expect(mine.data.map(({ change }: Json) => change)).toContain('integration.changed')
  expect(new Set(mine.data.map(({ actor }: Json) => actor))).toEqual(new Set([`user ${developer.user_id}`]))
  const name = (await owner.get(`${at}/team`)).body.members.find(
    ({ user_id }: Json) => user_id === developer.user_id,
  ).name
  expect(mine.people).toEqual({ [developer.user_id]: name })
  const namesOf = async (actor: string) => {
    return (await owner.get(`${at}/audit?actor=${encodeURIComponent(actor)}`)).body.people
  }
  const other = await service.newAccount()
  const stranger = await newMember(service, { role: 'owner', merchant_id: other.merchant_id })
  const { key_id: unused } = (await newKey(service.operator, account.merchant_id)).key
  await sql`update api_keys set name = 'till' where key_id in (${unused}, ${other.key_id})`
  expect(await namesOf(`user ${stranger.user_id}`)).toEqual({})
  expect(await namesOf(`key ${other.key_id}`)).toEqual({})
  expect(await namesOf(`key ${unused}`)).toEqual({ [unused]: 'till' })
  const strange = await owner.get(`${at}/audit?after=${body.next_cursor}&actor=rules`)
  expect(refusalIn(strange)).toBe('400 invalid_pagination')
  expect(refusalIn(await support.get(`${at}/audit`))).toBe('403 permission_denied')
})
