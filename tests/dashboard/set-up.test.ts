// Holds, webhooks, keys, sessions and events at the dashboard.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { lines_max } from '../../src/payments/reading/line-look.ts'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { type Json, openClient } from '../support/client.ts'
import { hold, runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const [owner, developer, support, viewer] = [
  await newMember(service, { role: 'owner' }),
  await newMember(service, { role: 'developer' }),
  await newMember(service, { role: 'support' }),
  await newMember(service, { role: 'viewer' }),
]
const key = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })
const actorsOf = async (subject: string) => {
  const rows = await sql<{ change: string; actor: string; request_id: string | null }[]>`
    select change, actor, request_id from journal where subject = ${subject} order by entry_id`
  return rows.map(({ change, actor, request_id }) => [change, actor, request_id?.slice(0, 4)])
}

test('holds wait by their deadline, in one mode', async () => {
  const { payment_id } = await hold(account)
  const { body, text } = await support.get(`${at}/holds?mode=test`)
  expect(body.has_more).toBe(false)
  expect(body.data, text).toMatchObject([
    {
      payment_id,
      mode: 'test',
      customer_email: 'ada@example.com',
      settlement: null,
      hold: { status: 'pending_review' },
      rules: { at_deadline: 'void' },
      operation: null,
    },
  ])
  expect((await support.get(`${at}/holds?mode=live`)).body.data).toEqual([])
  expect((await viewer.get(`${at}/holds?mode=test`)).body.data[0].customer_email).toBe('a…@example.com')
  expect(refusalIn(await support.get(`${at}/holds`))).toBe('400 invalid_request')
  const escalationFor = async (person: typeof owner) =>
    (await person.get(`${at}/holds?mode=test`)).body.data[0].escalation
  expect(await escalationFor(owner)).toBeNull()
  await support.post(`${at}/payments/${payment_id}/hold/escalate`, { note: 'Ada rang: is it right?' }, key())
  const { name } = (await support.get('/me')).body.user
  expect(await escalationFor(owner)).toEqual({ by: name, note: 'Ada rang: is it right?' })
  expect(await escalationFor(viewer)).toEqual({ by: null, note: null })
  await owner.post(`${at}/payments/${payment_id}/hold/void`, {}, key())
  expect((await support.get(`${at}/holds?mode=test`)).body.data).toEqual([])
})

test('holds of the other mode are looked at up to a bound, and the next page goes on', async () => {
  const place = await service.newAccount()
  const { payment_id } = await hold(place)
  const { merchant_id } = place
  const person = await newMember(service, { merchant_id })
  const ids = (body: Json) => body.data.map((each: Json) => each.payment_id)
  await sql`
    insert into payments select (json_populate_record(p, json_build_object(
      'payment_id', 'pay_' || lpad(to_hex(n), 24, '0'), 'attempt_id', 'att_' || lpad(to_hex(n), 24, '0'),
      'status', 'declined', 'capture_state', null, 'executed_at', null,
      'decline', json_build_object('code', 'do_not_honour', 'category', 'soft', 'reason', null), 'mode', case when n > ${lines_max} then 'test' else 'live' end))).*
    from payments p, generate_series(1, ${lines_max + 2}) n where p.payment_id = ${payment_id}`
  await sql`
    insert into holds select (json_populate_record(h, json_build_object(
      'payment_id', 'pay_' || lpad(to_hex(n), 24, '0'),
      'deadline', h.deadline - (${lines_max + 3} - n) * interval '1 second'))).*
    from holds h, generate_series(1, ${lines_max + 2}) n where h.payment_id = ${payment_id}`
  const path = `/${merchant_id}/holds?mode=test&limit=2`
  const short = (await person.get(path)).body
  expect(short).toMatchObject({ data: [], has_more: true })
  const next = (await person.get(`${path}&after=${short.next_cursor}`)).body
  expect([ids(next), next.has_more]).toEqual([
    [lines_max + 1, lines_max + 2].map((n) => `pay_${n.toString(16).padStart(24, '0')}`),
    true,
  ])
  const last = (await person.get(`${path}&after=${next.next_cursor}`)).body
  expect([ids(last), last.has_more, last.next_cursor]).toEqual([[payment_id], false, null])
  const strange = await person.get(`/${merchant_id}/holds?mode=live&after=${short.next_cursor}`)
  expect(refusalIn(strange)).toBe('400 invalid_pagination')
})

test('sessions and events, masked for who may not read shoppers', async () => {
  const { body: paid } = await client.pay()
  for (const path of ['sessions', 'events']) {
    const mine = await owner.get(`${at}/${path}?limit=1`)
    expect(mine.text).toContain(paid.payment_id)
    expect(mine.text).toContain('ada@example.com')
    const masked = await viewer.get(`${at}/${path}?limit=1`)
    expect(masked.text).toContain(paid.payment_id)
    expect(masked.text).not.toContain('ada@')
    const next = await viewer.get(`${at}/${path}?limit=1&after=${masked.body.next_cursor}`)
    expect(next.status).toBe(200)
  }
})

test('an endpoint: made once, listed with its health, deleted', async () => {
  const asked = { url: 'https://shop.example/hooks', event_filter: ['payment.held'] }
  const pressed = key()
  expect(refusalIn(await support.post(`${at}/webhooks/endpoints`, asked, pressed))).toBe('403 permission_denied')
  const made = await developer.post(`${at}/webhooks/endpoints`, asked, pressed)
  expect(made.body, made.text).toMatchObject({
    signing_secret: expect.stringMatching(/^rip_whsec_/),
  })
  expect((await developer.post(`${at}/webhooks/endpoints`, asked, pressed)).text).toBe(made.text)
  const { body } = await support.get(`${at}/webhooks/endpoints`)
  expect(body.endpoints).toMatchObject([
    {
      id: made.body.id,
      url: asked.url,
      status: 'active',
      standing: { first_attempts: 0, retries: 0, breaker: null },
      recent: { succeeded: 0, failed: 0, dead_lettered: 0 },
    },
  ])
  expect(JSON.stringify(body)).not.toContain('whsec')
  const wrong = await owner.post(`${at}/webhooks/endpoints`, { url: 'https://10.0.0.1/' }, key())
  expect(refusalIn(wrong)).toBe('400 invalid_url')
  const gone = await developer.remove(`${at}/webhooks/endpoints/${made.body.id}`)
  expect(gone.status).toBe(204)
  expect((await support.get(`${at}/webhooks/endpoints`)).body.endpoints).toEqual([])
  const who = `user ${developer.user_id}`
  expect(await actorsOf(made.body.id)).toEqual([
    ['endpoint.created', who, 'req_'],
    ['endpoint.deleted', who, 'req_'],
  ])
})

test('an endpoint of a key or a command has its lines, which never hold its address whole', async () => {
  const url = 'https://shop.example/hooks?token=hush'
  const { body } = await client.createEndpoint({ url })
  const { endpoint_id } = await rotateSecret(
    service.context,
    body.id,
    { ids: service.context.ids, actor: 'operator', by: 'jo' },
    service.context.world.clock.now(),
  )
  await client.deleteEndpoint(endpoint_id)
  expect(await actorsOf(endpoint_id)).toEqual([
    ['endpoint.created', `key ${account.key_id}`, 'req_'],
    ['endpoint.secret_rotated', 'operator', undefined],
    ['endpoint.deleted', `key ${account.key_id}`, 'req_'],
  ])
  const [line] = await sql`
    select detail from journal where subject = ${endpoint_id} and change = 'endpoint.created'`
  expect(line!.detail).toEqual({ origin: 'https://shop.example', event_filter: [], extension_events: null })
})

test('a delivery that was given up is replayed', async () => {
  const { delivery_id } = await deadLetter(service)
  const list = await support.get(`${at}/webhooks/deliveries?status=dead_lettered`)
  expect(list.body.data).toMatchObject([{ delivery_id, replayable: true }])
  const path = `${at}/webhooks/deliveries/${delivery_id}/replay`
  expect(refusalIn(await viewer.post(path, {}, key()))).toBe('403 permission_denied')
  const replayed = await support.post(path, {}, key())
  expect([replayed.status, replayed.body.replay_of]).toEqual([202, delivery_id])
  expect(refusalIn(await support.post(path, {}, key()))).toBe('409 replay_in_progress')
  expect(await actorsOf(delivery_id)).toEqual([['delivery.replayed', `user ${support.user_id}`, 'req_']])
})

test('a key is shown once, works, and is revoked for good', async () => {
  const asked = { name: 'shop', permissions: ['create_payments', 'read_transactions'], mode: 'any' }
  const made = await owner.post(`${at}/keys`, asked)
  const { key_id, secret_key } = made.body
  expect([made.status, secret_key]).toEqual([201, expect.stringMatching(/^rip_sk_/)])
  const shop = openClient({ base_url: service.base_url, secret_key })
  expect((await shop.create()).status).toBe(201)
  const listed = await owner.get(`${at}/keys`)
  expect(listed.text).not.toContain(secret_key)
  const row = listed.body.keys.find((each: { key_id: string }) => each.key_id === key_id)
  // Whoever found the secret somewhere finds its row, and whoever reads the list learns no more of it.
  const fingerprint = createHash('sha256').update(secret_key).digest('hex').slice(0, 8)
  expect(row).toMatchObject({ name: 'shop', state: 'usable', mode: 'any', fingerprint })
  expect((await owner.post(`${at}/keys/${key_id}/revoke`)).status).toBe(204)
  const refused = await until(
    () => shop.create(),
    ({ status }) => status !== 201,
  )
  expect(refused.body.error).toBe('key_revoked')
  expect(await actorsOf(key_id)).toEqual([
    ['key.created', `user ${owner.user_id}`, 'req_'],
    ['key.revoked', `user ${owner.user_id}`, 'req_'],
  ])
})

test('the last use of a key is listed, and whether its maker has left', async () => {
  const leaver = await newMember(service, { role: 'admin' })
  const { body: made } = await leaver.post(`${at}/keys`, {
    name: 'shop',
    permissions: ['create_payments'],
    mode: 'any',
  })
  const rowOf = async () => {
    const { body } = await owner.get(`${at}/keys`)
    return body.keys.find(({ key_id }: { key_id: string }) => key_id === made.key_id)
  }
  const shop = openClient({ base_url: service.base_url, secret_key: made.secret_key })
  const before = new Date()
  await shop.listDeliveries()
  await runJob(service, 'write_key_uses')
  // A key that was refused is not in use.
  expect(await rowOf()).toMatchObject({ last_used_at: null, made_by: leaver.user_id, maker_has_left: false })
  await shop.create()
  await shop.create()
  expect(await runJob(service, 'write_key_uses')).toBeGreaterThan(0)
  expect(await runJob(service, 'write_key_uses')).toBe(0)
  await owner.remove(`${at}/team/${leaver.user_id}`)
  const { last_used_at, maker_has_left } = await rowOf()
  expect(new Date(last_used_at).getTime()).toBeGreaterThanOrEqual(before.getTime())
  expect(maker_has_left).toBe(true)
})

test('a key is made once under an idempotency key, and an invitation, too', async () => {
  const account = await service.newAccount()
  const { merchant_id } = account
  const person = await newMember(service, { merchant_id })
  const count = async () => {
    const [row] = await sql<Record<string, number>[]>`
      select (select count(*)::int from api_keys where merchant_id = ${merchant_id}) as keys,
        (select count(*)::int from publishable_keys where merchant_id = ${merchant_id}) as publishable,
        (select count(*)::int from sign_in_links
          where merchant_id = ${merchant_id} and purpose = 'invite' and withdrawn_at is null) as links`
    return row!
  }
  const before = await count()
  const asked = { name: 'shop', permissions: ['read_transactions'], mode: 'test_only' }
  const pressed = key()
  const [one, two] = await Promise.all([
    person.post(`/${merchant_id}/keys`, asked, pressed),
    person.post(`/${merchant_id}/keys`, asked, pressed),
  ])
  expect([one.status, two.text]).toEqual([201, one.text])
  const other = await person.post(`/${merchant_id}/keys`, { ...asked, name: 'else' }, pressed)
  expect(refusalIn(other)).toBe('409 idempotency_key_reused')
  const invited = { email: 'colleague@example.com', role: 'viewer' }
  const again = key()
  const link = await person.post(`/${merchant_id}/team/invitations`, invited, again)
  const repeat = await person.post(`/${merchant_id}/team/invitations`, invited, again)
  expect([link.status, repeat.text]).toEqual([200, link.text])
  expect(await count()).toEqual({
    keys: before.keys! + 1,
    publishable: before.publishable! + 1,
    links: before.links! + 1,
  })
})

test('a key can never do what its maker may not', async () => {
  const path = `${at}/keys`
  const asked = { name: 'mine', permissions: ['read_transactions'], mode: 'test_only' }
  expect((await developer.post(path, asked)).status).toBe(201)
  const refused = [
    { ...asked, mode: 'any' },
    { ...asked, mode: 'live_only' },
    { ...asked, permissions: ['read_transactions', 'refund_payments'] },
  ]
  for (const each of refused) {
    expect(refusalIn(await developer.post(path, each))).toBe('403 permission_denied')
  }
  expect(refusalIn(await support.post(path, asked))).toBe('403 permission_denied')
  const { body } = await owner.post(path, { ...asked, mode: 'any' })
  const revoke = await developer.post(`${path}/${body.key_id}/revoke`)
  expect(refusalIn(revoke)).toBe('403 permission_denied')
})

test('a developer has no say in the publishable key of the live shop', async () => {
  const { merchant_id, publishable_key } = await service.newAccount()
  const own = await newMember(service, { merchant_id, role: 'developer' })
  const path = `/${merchant_id}/keys`
  const asked = { name: 'mine', permissions: ['read_transactions'], mode: 'test_only' }
  const { body } = await own.post(path, asked)
  expect(body.publishable_key).not.toBe(publishable_key)
  expect((await own.post(`${path}/${body.publishable_key}/revoke`)).status).toBe(204)
  // One that the command line paired, and which is listed before the one of the live shop.
  await sql`
    update api_keys set publishable_key = ${publishable_key!}, created_at = ${new Date(0)}
    where key_id = ${body.key_id}`
  const shops = await own.post(`${path}/${publishable_key}/revoke`)
  expect(refusalIn(shops)).toBe('403 permission_denied')
})

test('the keys of another merchant are as if there were none', async () => {
  const other = await service.newAccount()
  for (const id of [other.key_id, other.publishable_key!]) {
    expect(refusalIn(await owner.post(`${at}/keys/${id}/revoke`))).toBe('404 resource_not_found')
  }
  expect((await other.client.create()).status).toBe(201)
})
