// The merchants of the installation, as its operators see them, and a merchant that one of them makes.

import { expect, test } from 'vitest'
import { createMerchant } from '../../src/merchants/manage.ts'
import { linkFor, newMember, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { sql, account } = service
const operator = await newMember(service, { role: 'viewer', is_operator: true })
const owner = await newMember(service)
const path = '/system/merchants'
const make = (name: string, key = crypto.randomUUID()) =>
  operator.post(path, { name }, { headers: { 'rip-idempotency-key': key } })
const membershipsOf = async ({ get }: Pick<typeof operator, 'get'>) => (await get('/me')).body.memberships

/** The rows of a merchant, without what is drawn anew for each. */
async function rowsOf(merchant_id: string) {
  const [merchant] = await sql`
    select name, status, live, live_enabled, acquiring_profile from merchants
    where merchant_id = ${merchant_id}`
  const lines = await sql`
    select change, subject = merchant_id as is_of_merchant, detail from journal
    where merchant_id = ${merchant_id} and change not like 'member.%' order by entry_id`
  return { merchant, lines: lines.map(({ detail, ...line }) => ({ ...line, ...detail })) }
}

test('an owner without the mark learns of no merchant but their own', async () => {
  expect(refusalIn(await owner.get(path))).toBe('404 resource_not_found')
  expect(refusalIn(await owner.post(path, { name: 'Mine' }))).toBe('404 resource_not_found')
})

test('an operator without a merchant sees all of them, the newest first', async () => {
  const person = newPerson(service)
  await person.redeem(await linkFor(service, { email: 'root@example.com', is_operator: true }))
  await clock.advance(1000)
  const { merchant_id } = await service.newAccount()
  expect(await membershipsOf(person)).toEqual([])
  const { body } = await person.get(path)
  expect(body.merchants[0]).toMatchObject({ merchant_id, status: 'active', is_live: false })
  expect(body.merchants.map((each: { merchant_id: string }) => each.merchant_id)).toContain(account.merchant_id)
  expect(refusalIn(await person.get(`/${merchant_id}/payments`))).toBe('404 resource_not_found')
})

test('who makes one owns it, and it is the row that the command makes', async () => {
  const answer = await make('  Tea & Sons ')
  expect(answer.status, answer.text).toBe(201)
  const { merchant_id } = answer.body
  expect(await membershipsOf(operator)).toContainEqual(
    expect.objectContaining({ merchant_id, merchant_name: 'Tea & Sons', role: 'owner' }),
  )
  const { ids } = service.context
  const asked = { name: 'Tea & Sons', live: false, live_enabled: false, acquiring_profile: null }
  const typed = await createMerchant({ sql, ids, clock, actor: 'operator' }, asked)
  expect(await rowsOf(merchant_id)).toEqual(await rowsOf(typed.merchant_id))
  const lines = await sql`
    select change, actor, request_id from journal where merchant_id = ${merchant_id} order by change`
  const by = { actor: `user ${operator.user_id}`, request_id: answer.headers['rip-request-id'] }
  expect(lines).toEqual([
    { change: 'member.joined', ...by },
    { change: 'merchant.created', ...by },
  ])
  expect((await operator.get(`/${merchant_id}/payments?mode=test`)).status).toBe(200)
})

test('a press whose answer was lost makes one merchant, pressed again', async () => {
  const key = crypto.randomUUID()
  const [first, second] = [await make('Once', key), await make('Once', key)]
  expect(second.body).toEqual(first.body)
  expect(await sql`select 1 from merchants where name = 'Once'`).toHaveLength(1)
})

test.each(['', '  ', 'x'.repeat(101), 'tea\u202Eshop', 'tea\nshop'])('%j is no name', async (name) => {
  const before = await sql`select 1 from merchants`
  expect(refusalIn(await make(name))).toBe('400 invalid_request')
  expect(await sql`select 1 from merchants`).toHaveLength(before.length)
})

test('a link that opens their account anew counts no more: it was made for fewer rights', async () => {
  const purpose = 'reset' as const
  const asked = { purpose, email: operator.email, user_id: operator.user_id }
  const secret = await linkFor(service, asked)
  await make('Another')
  const read = await newPerson(service).post('/links/read', { secret })
  expect(refusalIn(read)).toBe('410 link_withdrawn')
})

test('making one wants a fresh proof', async () => {
  await clock.advance(6 * 60_000)
  expect(refusalIn(await make('Later'))).toBe('403 proof_required')
  expect((await operator.get(path)).status).toBe(200)
})
