// Looking through the journal: by who, by what, by which id, by days; as a list and as a file.

import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { auditKinds } from '../../src/dashboard/audit/audit-kinds.ts'
import { type Json, purchase } from '../support/client.ts'
import { hold, runJob } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const admin = await newMember(service, { role: 'admin' })
const former = await newMember(service, { role: 'admin' })
const known = { payment_id: '', key_id: '', request_id: '' }
const key = { permissions: ['read_transactions'], mode: 'test_only' }
const newKey = async (person: typeof owner, name: string) => {
  const headers = { 'rip-idempotency-key': crypto.randomUUID() }
  const { body } = await person.post(`${at}/keys`, { ...key, name }, { headers })
  return body.key_id as string
}

beforeAll(async () => {
  await sql`update users set name = 'Grace Hopper' where user_id = ${admin.user_id}`
  const { body } = await client.pay()
  known.payment_id = body.payment_id
  known.key_id = await newKey(admin, 'the bookkeeper')
  const [line] = await sql<{ request_id: string }[]>`
    select request_id from journal where subject = ${known.key_id}`
  known.request_id = line!.request_id
  await sql`update users set name = '=Ann "Former"' where user_id = ${former.user_id}`
  await newKey(former, '-till')
  await sql`delete from memberships where user_id = ${former.user_id}`
  // Keys of the same name that did nothing, whose ids come first.
  await sql`
    insert into api_keys select r.* from api_keys k, generate_series(1, 150) n,
      json_populate_record(null::api_keys, (to_jsonb(k) || jsonb_build_object(
        'key_id', 'key_' || lpad(n::text, 24, '0'), 'key_hash', '\\x' || lpad(n::text, 64, '0')))::json) r
    where k.key_id = ${known.key_id}`
})

const read = async (query: string) => {
  await owner.prove()
  const answer = await owner.get(`${at}/audit?limit=100&${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data as Json[]
}

describe('the search finds', () => {
  test.each<[string, () => string, (line: Json) => boolean]>([
    ['a person by name', () => 'grace h', ({ actor, subject }) => `${actor} ${subject}`.includes(admin.user_id)],
    [
      'a person by address',
      () => admin.email.toUpperCase(),
      ({ actor, subject }) => `${actor} ${subject}`.includes(admin.user_id),
    ],
    [
      'a former member by name',
      () => 'ann "former',
      ({ actor, subject }) => `${actor} ${subject}`.includes(former.user_id),
    ],
    ['a key by name, however many are called so', () => 'Bookkeeper', ({ subject }) => subject === known.key_id],
    ['an action', () => 'key.created', ({ change }) => change.endsWith('key.created')],
    ['an action in words', () => 'Key Created', ({ change }) => change.endsWith('key.created')],
    ['a thing by its id', () => known.payment_id, ({ subject }) => subject === known.payment_id],
    ['a thing by a part of its id', () => known.payment_id.slice(4, 14), ({ subject }) => subject === known.payment_id],
    ['a request', () => known.request_id, ({ request_id }) => request_id === known.request_id],
  ])('%s', async (_, text, isRight) => {
    const lines = await read(`search=${encodeURIComponent(text())}`)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => !isRight(line))).toEqual([])
  })

  test('what the text means in other languages', async () => {
    expect(await read('search=Schl%C3%BCssel')).toEqual([])
    const lines = await read('search=Schl%C3%BCssel&meant=key_revoked,key_created')
    expect(lines.map(({ change }) => change)).toContain('key.created')
    expect(new Set(lines.map(({ change }) => change))).toEqual(new Set(['key.created']))
  })

  test('nobody by the address of a former member', async () => {
    expect(await read(`search=${encodeURIComponent(former.email)}`)).toEqual([])
  })

  test('nothing by a sign that means anything elsewhere', async () => {
    expect(await read('search=%25')).toEqual([])
  })
})

test('a line about a refund has its order and its reason, and is found by the order or email of the payment', async () => {
  const { client } = account
  const order_reference = 'A-1011'
  const customer = { ...purchase.customer, email: 'twice@example.com' }
  const { payment_id } = (await client.pay(undefined, { ...purchase, order_reference, customer })).body
  const refunded = await client.refund(payment_id, { amount: 1000, reason: 'A cup broke' })
  expect(refunded.status).toBe(201)
  for (const text of [order_reference, 'Twice@Example.com']) {
    const lines = await read(`search=${encodeURIComponent(text)}`)
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1)
    const of = lines.find(({ change }) => change === 'refund.succeeded')
    const detail = expect.objectContaining({ amount: 1000, currency: 'GBP' })
    expect(of).toMatchObject({ subject: refunded.body.id, order_reference, refund_reason: 'A cup broke', detail })
    expect(lines.find(({ change }) => change === 'payment.captured')).toMatchObject({
      subject: payment_id,
      order_reference,
      refund_reason: null,
    })
  }
  expect(await read('search=A-101')).toEqual([])
})

test('a kind has its changes and no others', async () => {
  const all = await read('')
  const kinds = await Promise.all(
    Object.keys(auditKinds).map(async (kind) => {
      const answer = await owner.get(`${at}/audit?limit=100&kind=${kind}`)
      return answer.body.data.map(({ change }: Json) => [kind, change.split('.')[0]])
    }),
  )
  for (const [kind, beginning] of kinds.flat()) expect(auditKinds[kind as keyof typeof auditKinds]).toContain(beginning)
  expect(kinds.flat()).toHaveLength(all.length)
  expect(refusalIn(await owner.get(`${at}/audit?kind=weather`))).toBe('400 invalid_request')
})

test('what people did is all of it but for what keys, shoppers and the service did', async () => {
  const isPerson = ({ actor }: Json) => actor === 'operator' || actor.startsWith('user ')
  const all = await read('')
  const by_people = await read('by=people')
  expect(by_people).toEqual(all.filter(isPerson))
  expect([by_people.length > 0, by_people.length < all.length]).toEqual([true, true])
  expect(refusalIn(await owner.get(`${at}/audit?by=weather`))).toBe('400 invalid_request')
})

test('each change that has a word is of one kind', () => {
  const words = JSON.parse(
    readFileSync(new URL('../../web/words/dashboard/en.json', import.meta.url), 'utf8'),
  ) as Record<string, string>
  const beginnings: string[] = Object.values(auditKinds).flat()
  expect(beginnings).toHaveLength(new Set(beginnings).size)
  const changes = Object.keys(words).filter((key) => /^change_(?!password$)/.test(key))
  const homeless = changes.filter((key) => !beginnings.some((beginning) => key.startsWith(`change_${beginning}_`)))
  expect(homeless).toEqual([])
})

describe('the file', () => {
  const path = `${at}/audit/export`
  const cellsOf = (text: string) => text.split('\r\n').map((line) => line.split(','))

  test('has what the filters say, with names, and leaves a line', async () => {
    await owner.prove()
    const answer = await owner.get(`${path}?search=bookkeeper&kind=keys`)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(answer.headers['content-disposition']).toMatch(/filename="journal-[\d-]{21}\.csv"$/)
    const [heading, row, end, ...more] = cellsOf(answer.text)
    expect(heading!.join()).toBe('\uFEFFat,change,actor,actor_name,subject,subject_name,request_id,detail')
    expect(row!.slice(1, 7)).toEqual([
      ...['key.created', `user ${admin.user_id}`, 'Grace Hopper'],
      ...[known.key_id, 'the bookkeeper', known.request_id],
    ])
    expect([end, more]).toEqual([[''], []])
    // A name that was searched for is not written down.
    const detail = { filters: { kind: 'keys', search: '…' } }
    const actor = `user ${owner.user_id}`
    expect(await read('change=audit.export_begun')).toMatchObject([{ actor, detail }])
    expect(await read('change=audit.exported')).toMatchObject([{ actor, detail: { ...detail, count: 1 } }])
  })

  test('holds a name back that would be a formula, and the detail is JSON as it was', async () => {
    const detail = {
      name: '=1+1',
      of: ['-2', '@SUM(A1)', 'a;=b', 'x\\"=y'],
      on: '2026-09-01',
      by: -5,
    }
    await sql`
      insert into journal (merchant_id, entry_id, subject, change, detail, actor, at)
      select merchant_id, left(entry_id, -1) || case right(entry_id, 1) when 'f' then 'e' else 'f' end, subject, 'key.revoked', ${detail as never}, actor, at
      from journal where merchant_id = ${account.merchant_id} and change = 'key.created'
        and actor = ${`user ${former.user_id}`}`
    const { text } = await owner.get(`${path}?search=ann&change=key.revoked`)
    const [, row] = text.split('\r\n')
    expect(row).toContain(`,user ${former.user_id},"'=Ann ""Former""",`)
    expect(row).toContain(",'-till,")
    const cell = /"((?:[^"]|"")*)"$/.exec(row!)![1]!.replaceAll('""', '"')
    expect(JSON.parse(cell)).toEqual(detail)
    expect(cell).not.toMatch(/["';\\][=+@＝＋－＠-]/)
    expect(cell).toContain('2026-09-01')
  })

  test('is of a leap year at most', async () => {
    const from = (days: number) => encodeURIComponent(new Date(clock.now().getTime() - days * 86_400_000).toISOString())
    expect((await owner.get(`${path}?created_from=${from(366)}`)).status).toBe(200)
    const { body } = await owner.get(`${path}?created_from=${from(368)}`)
    expect(body).toMatchObject({ field: 'created_from', fault: 'too_many_days', bound: 366 })
  })

  test('asks for a fresh proof, and for the permission', async () => {
    const support = await newMember(service, { role: 'support' })
    expect(refusalIn(await support.get(path))).toBe('403 permission_denied')
    await clock.advance(6 * 60_000)
    expect(refusalIn(await owner.get(path))).toBe('403 proof_required')
    await owner.prove()
    expect((await owner.get(path)).status).toBe(200)
  })
})

test('a line of the rules has the deadline of its hold, as the timelines have it; others have none', async () => {
  const shop = await service.newAccount()
  const person = await newMember(service, { role: 'owner', merchant_id: shop.merchant_id })
  const { payment_id, session } = await hold(shop)
  await clock.advance(8 * 24 * 3_600_000)
  await runJob(service, 'apply_hold_rules')
  await person.signIn()
  const read = async (path: string): Promise<Json> => (await person.get(`/${shop.merchant_id}/${path}`)).body
  const { deadline } = (await read(`payments/${payment_id}`)).hold
  const { data } = await read('audit?limit=100')
  const ofRules = data.filter(({ actor }: Json) => actor === 'rules')
  expect(ofRules.map(({ change }: Json) => change)).toEqual(expect.arrayContaining(['void.begun', 'payment.voided']))
  for (const { actor, hold_deadline, at: time } of data) {
    expect(hold_deadline).toBe(actor === 'rules' ? deadline : null)
    if (actor === 'rules') expect(time >= deadline).toBe(true)
  }
  for (const path of [`payments/${payment_id}`, `sessions/${session.id}`])
    expect((await read(`${path}/timeline`)).payments).toMatchObject([{ hold_deadline: deadline }])
})
