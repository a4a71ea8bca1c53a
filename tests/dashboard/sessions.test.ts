// Sessions at the dashboard: found by what a shopper says, read without a payment, and what the shopper was refused.

import { expect, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { cardOf, type Json, openChallenge, purchase, runChallenge } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const clock = manualClock()
const service = await useService({ clock })
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const support = await newMember(service, { role: 'support' })
const viewer = await newMember(service, { role: 'viewer' })
const live = {
  live: true,
  live_enabled: true,
  acquiring_profile: { acquirer: 'bank', descriptor_name: 'TEA', mcc: '5499', country: 'GB' },
}

/** Until what waits in the log of refusals is there, which takes a second of the clock. */
async function refusalsOf(person: typeof support, merchant_id: string, session_id: string, count: number) {
  const look = async () => {
    await clock.advance(1_000)
    const { body } = await person.get(`/${merchant_id}/sessions/${session_id}/timeline`)
    return body.refusals as Json[]
  }
  await expect.poll(async () => (await look()).length).toBe(count)
  return look()
}

test('a session without a payment is read with its timeline, masked for who may not read shoppers', async () => {
  const { id } = await client.open({ ...purchase, order_reference: 'R-1', metadata: { basket: '7' } })
  const shown = await support.get(`${at}/sessions/${id}`)
  expect(shown.body, shown.text).toMatchObject({
    id,
    status: 'requires_payment',
    payment_id: null,
    order_reference: 'R-1',
    customer: { email: 'ada@example.com' },
    metadata: { basket: '7' },
  })
  const masked = (await viewer.get(`${at}/sessions/${id}`)).body
  expect([masked.customer.email, masked.metadata]).toEqual(['a…@example.com', {}])
  const { body } = await viewer.get(`${at}/sessions/${id}/timeline`)
  expect(refusalIn(await viewer.get(`${at}/payments/${id}/timeline`))).toBe('404 resource_not_found')
  expect(body.lines).toMatchObject([{ change: 'session.created', subject: id }])
  expect([body.payments, body.events, body.attempts, body.refusals]).toEqual([[], [], [], []])
  expect(refusalIn(await support.get(`${at}/sessions/cs_${'0'.repeat(24)}`))).toBe('404 resource_not_found')
})

test('what the shopper was refused stands in the timeline, and among no requests of servers', async () => {
  const shop = await service.newAccount({ merchant: live })
  const owner = await newMember(service, { merchant_id: shop.merchant_id })
  const session = await shop.client.open()
  const { body } = await shop.client.referenceCard(session, cardOf('4539578763621486'))
  const refused = await shop.client.authenticate(session, body.card_reference)
  const request_id = refused.headers.get('rip-request-id')
  expect(await refusalsOf(owner, shop.merchant_id, session.id, 1)).toEqual([
    {
      request_id,
      at: expect.any(String),
      path: `/v1/checkout/sessions/${session.id}/authenticate`,
      status: 503,
      code: 'three_ds_provider_unavailable',
      field: null,
    },
  ])
  const list = async (query = '') => (await owner.get(`/${shop.merchant_id}/requests${query}`)).body.data
  expect(await list()).toEqual([])
  expect(await list('?code=three_ds_provider_unavailable')).toEqual([])
  // Whoever has its id finds it.
  expect(await list(`?request_id=${request_id}`)).toMatchObject([{ request_id }])
  expect(await list(`?asker_id=${session.id}`)).toMatchObject([{ request_id }])
  expect(await list('?askers=shoppers')).toMatchObject([{ request_id, asker_id: session.id }])
  expect(await list('?askers=shoppers&code=session_expired')).toEqual([])
  expect(await list('?askers=servers')).toEqual([])
})

test('a session whose shopper could not go on says so in the list, is found by that and by the request', async () => {
  const shop = await service.newAccount()
  const people = [
    await newMember(service, { merchant_id: shop.merchant_id, role: 'support' }),
    await newMember(service, { merchant_id: shop.merchant_id, role: 'viewer' }),
  ]
  const [helper, masked] = people as [typeof support, typeof support]
  const refuse = async (session: { id: string; client_secret: string }) => {
    const { status, headers } = await shop.client.authenticate(session, 'cref_none')
    expect(status).toBe(400)
    return headers.get('rip-request-id')!
  }
  const stuck = await shop.client.open({ ...purchase, order_reference: 'stuck' })
  const paid = await shop.client.open()
  await shop.client.open()
  const first = await refuse(stuck)
  await clock.advance(1_000)
  await refuse(paid)
  await shop.client.present(paid)
  expect((await shop.client.confirm(paid)).body.status).toBe('captured')
  await clock.advance(60_000)
  const half = clock.now().toISOString()
  const last = await refuse(stuck)
  await refusalsOf(helper, shop.merchant_id, stuck.id, 2)
  const list = async (query: string, person = helper) =>
    (await person.get(`/${shop.merchant_id}/sessions?${query}`)).body
  const refusal = { at: expect.any(String), code: 'invalid_request', request_id: last }
  const rows = (await list('mode=test')).data as Json[]
  expect(new Map(rows.map((row) => [row.id, row.refusal]))).toEqual(
    new Map([...rows.map(({ id }) => [id, null] as const), [stuck.id, refusal]]),
  )
  const could_not = 'status=could_not_go_on'
  expect((await list(`mode=test&${could_not}`)).data).toMatchObject([
    { id: stuck.id, order_reference: 'stuck', refusal },
  ])
  expect((await list(could_not, masked)).data).toMatchObject([{ customer: { email: 'a…@example.com' } }])
  // A page of one refusal each: the paid session takes its place and shows nothing.
  const seen: string[][] = []
  for (let after = ''; ; ) {
    const page = await list(`limit=1&${could_not}${after && `&after=${after}`}`)
    seen.push(page.data.map((row: Json) => row.refusal.request_id))
    if (!page.has_more) break
    after = page.next_cursor
  }
  expect(seen).toEqual([[last], [], [first]])
  for (const [query, ids] of [
    ['mode=live', []],
    ['text=STUCK', [stuck.id]],
    ['text=other', []],
    ['order_reference=stuck', [stuck.id]],
    ['three_ds=failed', []],
    [`created_before=${half}`, [stuck.id]],
    [`created_from=${new Date(clock.now().getTime() + 60_000).toISOString()}`, []],
  ] as const) {
    expect([query, (await list(`${could_not}&${query}`)).data.map(({ id }: Json) => id)]).toEqual([query, ids])
  }
  const find = async (text: string, merchant_id = shop.merchant_id, person = helper) =>
    (await person.get(`/${merchant_id}/beginnings?mode=test&text=${text}`)).body.session_ids
  expect(await find(first)).toEqual([stuck.id])
  expect(await find(`req_${'0'.repeat(24)}`)).toEqual([])
  expect(await find(first, account.merchant_id, support)).toEqual([])
})

test('many refusals of shoppers hide none of a server, and where they hide some of a session this is said', async () => {
  const shop = await service.newAccount()
  const owner = await newMember(service, { merchant_id: shop.merchant_id })
  const session = await shop.client.open()
  const addRows = (asker_id: string, count: number, after_ms: number) => sql`
    insert into request_log (merchant_id, entry_id, request_id, key_id, at, method, path, route, status, duration_ms)
    select ${shop.merchant_id}, lpad(to_hex(${clock.now().getTime() + after_ms}::bigint + n), 12, '0') || repeat('0', 20),
      'req_' || n, ${asker_id}, ${clock.now()}, 'GET', '/', '/', 404, 1
    from generate_series(1, ${count}::int) n`
  const readRefusals = async () => {
    const { body } = await owner.get(`/${shop.merchant_id}/sessions/${session.id}/timeline`)
    return [body.refusals.length, body.are_refusals_whole]
  }
  await addRows('key_1', 1, 0)
  await addRows(session.id, 1, 10)
  await addRows('cs_other', 6_000, 20)
  const listed = await owner.get(`/${shop.merchant_id}/requests`)
  expect(listed.body).toMatchObject({ data: [{ asker_id: 'key_1' }], has_more: false })
  expect(await readRefusals()).toEqual([1, true])
  await addRows('cs_other', 14_000, 10_000)
  expect(await readRefusals()).toEqual([0, false])
  await addRows(session.id, 51, 30_000)
  expect(await readRefusals()).toEqual([50, false])
})

test('that a check by the bank goes on is no refusal to the shopper', async () => {
  const session = await client.open()
  await client.confirm(session)
  const wrong = await client.authenticate(session, 'cref_none')
  expect(wrong.status).toBe(400)
  expect(await refusalsOf(support, account.merchant_id, session.id, 1)).toMatchObject([{ code: 'invalid_request' }])
})

test('a session is found by a part of its order or email, the latter by who may read shoppers', async () => {
  const grace = { ...purchase, customer: { email: 'Grace.Hopper@Navy.example' } }
  const { id } = await client.open({ ...grace, order_reference: 'Order-77%' })
  await client.open({ ...purchase, order_reference: 'order-770' })
  const find = async (person: typeof support, query: string): Promise<string[]> => {
    const { body, text } = await person.get(`${at}/sessions?mode=test&${query}`)
    expect(body.data, text).toBeDefined()
    return body.data.map((row: Json) => row.id)
  }
  expect(await find(support, 'text=hopper@NAVY')).toEqual([id])
  expect(await find(viewer, 'text=hopper@NAVY')).toEqual([])
  expect(await find(support, 'text=ORDER-77%25')).toEqual([id])
  expect(await find(viewer, 'text=order-77%25')).toEqual([id])
  expect(await find(support, 'text=nobody')).toEqual([])
  const everywhere = await support.get(`${at}/sessions?text=hopper@navy`)
  expect(everywhere.body.data).toHaveLength(1)
  // A cursor of one text is none of another.
  const page = await support.get(`${at}/sessions?limit=1&text=order`)
  expect(page.body.has_more).toBe(true)
  const strange = await support.get(`${at}/sessions?limit=1&text=other&after=${page.body.next_cursor}`)
  expect(refusalIn(strange)).toBe('400 invalid_pagination')
})

test('a session is found by what became of 3-D Secure, as the overview counts it, and its timeline says why', async () => {
  const shop = await service.newAccount()
  const owner = await newMember(service, { merchant_id: shop.merchant_id })
  const rows: [end: string, number: string, code: string | null, failure: string | null][] = [
    ['frictionless', testNumber('visa'), null, null],
    ['failed', testNumber('visa', { yz: '10' }), null, 'authentication_failed'],
    ['challenged', testNumber('visa', { yz: '72' }), '1234', null],
    ['failed', testNumber('visa', { yz: '72' }), 'wrong', 'authentication_failed'],
    ['abandoned', testNumber('visa', { yz: '72' }), 'cancel', 'authentication_canceled'],
    // The bank says in its result that nobody came.
    ['abandoned', testNumber('visa', { yz: '73' }), null, 'authentication_timeout'],
    // Nobody opened its page.
    ['abandoned', testNumber('visa', { yz: '72' }), null, 'authentication_timeout'],
  ]
  const sessions: { id: string; end: string; failure: string | null }[] = []
  for (const [end, number, code, failure] of rows) {
    const session = await shop.client.open()
    const { body, text } = await shop.client.present(session, number)
    expect(body.three_ds, text).toBeDefined()
    if (number.endsWith('73')) await openChallenge(body.three_ds.challenge.url)
    for (let tries = 0; code !== null && tries < (code === 'wrong' ? 3 : 1); tries += 1)
      await runChallenge(body.three_ds.challenge.url, code)
    sessions.push({ id: session.id, end, failure })
  }
  await clock.advance(31_000)
  // The person's own session must not lock.
  await clock.advance(11 * 60_000)
  for (const { id, failure } of sessions) {
    const { body } = await owner.get(`/${shop.merchant_id}/sessions/${id}/timeline`)
    expect([id, body.attempts[0].authentication_failure?.code ?? null]).toEqual([id, failure])
  }
  const failuresInList = async () => {
    const { body } = await owner.get(`/${shop.merchant_id}/sessions?mode=test`)
    const listed = new Map(body.data.map((row: Json) => [row.id, row.authentication_failure]))
    return sessions.map(({ id }) => listed.get(id))
  }
  const failures = sessions.map(({ failure }) => failure)
  expect(await failuresInList()).toEqual(failures)
  await runJob(service, 'seal_journal')
  await runJob(service, 'count_payments')
  const { body: overview } = await owner.get(`/${shop.merchant_id}/overview?mode=test&zone=UTC`)
  for (const end of ['frictionless', 'challenged', 'abandoned', 'failed']) {
    const ids = sessions.filter((session) => session.end === end).map(({ id }) => id)
    const { body } = await owner.get(`/${shop.merchant_id}/sessions?three_ds=${end}`)
    expect([end, body.data.map(({ id }: Json) => id).sort()]).toEqual([end, ids.sort()])
    expect([end, overview.three_ds[end]]).toEqual([end, ids.length])
  }
  // Of the last one the bank's result never came.
  const { id } = sessions.at(-1)!
  await sql`update attempts set three_ds_state = 'awaiting_challenge', authentication_outcome = null where session_id = ${id}`
  const { body } = await owner.get(`/${shop.merchant_id}/sessions/${id}/timeline`)
  const [{ authentication_failure }] = body.attempts
  expect(authentication_failure).toEqual({ code: 'authentication_timeout', unrecorded_since: expect.any(String) })
  expect(await failuresInList()).toEqual(failures)
})
