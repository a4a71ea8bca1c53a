// `ripper user …`, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newMember, newPerson, refusalIn, secretOf } from '../support/person.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { merchant_id } = service.account
const env = { ...settingsOf(service, master_key), RIPPER_BASE_URL: service.base_url }
const answer = (...args: string[]) => answerOf(['user', ...args], { env })
const run = (...args: string[]) => ripper(['user', ...args], { env })

test('a link makes an operator, who is listed', async () => {
  const email = 'op@example.com'
  const made = await answer('link', '--email', 'Op@Example.com', '--operator')
  expect(Object.keys(made)).toEqual(['url', 'email', 'purpose', 'expires_at'])
  expect(made).toMatchObject({ email, purpose: 'welcome' })
  expect(made.url).toMatch(/^http:\/\/localhost:\d+\/dashboard#welcome=/)
  const person = newPerson(service)
  await person.redeem(secretOf(made.url), { name: 'Op' })
  const { user_id } = (await person.get('/me')).body.user
  const listed = await answer('list')
  expect(listed.find((each: { email: string }) => each.email === email)).toEqual({
    user_id,
    email,
    name: 'Op',
    is_operator: true,
    memberships: [],
    disabled_at: null,
    seen_at: expect.any(String),
  })
  const [line] = await service.sql`
    select actor, detail from journal where change = 'link.created' order by entry_id desc limit 1`
  expect(line).toMatchObject({ actor: 'operator', detail: { by: expect.any(String) } })
})

test('whoever has an account gets a reset, or an invitation to what is new', async () => {
  const member = await newMember(service)
  const reset = await answer('link', '--email', member.email)
  expect(reset.purpose).toBe('reset')
  const elsewhere = await service.newAccount()
  const where = ['--merchant', elsewhere.merchant_id, '--role', 'support']
  const invited = await answer('link', '--email', member.email, ...where)
  expect(invited.purpose).toBe('invite')
  const sent = { secret: secretOf(invited.url), email: member.email, name: '' }
  expect((await member.post('/links/redeem', sent)).status).toBe(200)
  const { memberships } = (await member.get('/me')).body
  expect(memberships.map(({ role }: { role: string }) => role).toSorted()).toEqual(['owner', 'support'])
})

test('disable shuts out at once, unlock lets in again', async () => {
  const member = await newMember(service)
  expect(await answer('disable', member.email)).toMatchObject({ is_disabled: true })
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
  expect(refusalIn(await member.signIn())).toBe('401 sign_in_failed')
  const link = await run('link', '--email', member.email)
  expect([link.status, link.stderr]).toEqual([1, expect.stringContaining('ripper user unlock')])
  await answer('unlock', member.email)
  expect((await member.signIn()).status).toBe(200)
})

test('one operator is left, whoever is disabled or loses the mark', async () => {
  const { sql } = service
  await sql`update users set is_operator = false`
  const [first, second] = [await newMember(service, { is_operator: true }), await newMember(service)]
  const last = expect.stringContaining(`${first.email} is the last operator`)
  for (const args of [
    ['disable', first.email],
    ['operator', first.email, '--remove'],
  ]) {
    const refused = await run(...args)
    expect([refused.status, refused.stderr]).toEqual([1, last])
  }
  expect((await first.get('/me')).body.user.is_operator).toBe(true)
  expect(await answer('operator', second.email)).toMatchObject({ is_operator: true })
  expect(refusalIn(await second.get('/me'))).toBe('401 sign_in_required')
  await second.signIn()
  expect((await second.get('/me')).body.user.is_operator).toBe(true)
  const taken = await answer('operator', first.email, '--remove')
  expect(taken).toEqual({ user_id: first.user_id, email: first.email, is_operator: false })
  expect((await run('disable', second.email)).status).toBe(1)
  await answer('disable', first.email)
  const lines = await sql`
    select subject, detail from journal where change = 'user.operator' and actor = 'operator'
    order by entry_id`
  expect(lines).toMatchObject([
    { subject: second.user_id, detail: { is_operator: true, by: expect.any(String) } },
    { subject: first.user_id, detail: { is_operator: false } },
  ])
})

test('a link changes no role, and a command does, but for the last owner', async () => {
  const { merchant_id } = await service.newAccount()
  const [owner, member] = [
    await newMember(service, { merchant_id }),
    await newMember(service, { merchant_id, role: 'viewer' }),
  ]
  const at = ['--merchant', merchant_id, '--role']
  const link = await run('link', '--email', member.email, ...at, 'admin')
  expect([link.status, link.stderr]).toEqual([
    1,
    expect.stringContaining(`is viewer of ${merchant_id} already: ripper user role`),
  ])
  const last = await run('role', owner.email, ...at, 'admin')
  expect([last.status, last.stderr]).toEqual([1, expect.stringContaining('the last owner')])
  const changed = await answer('role', member.email, ...at, 'owner')
  expect(changed).toEqual({ user_id: member.user_id, email: member.email, merchant_id, role: 'owner' })
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
  await member.signIn()
  expect((await member.get('/me')).body.memberships[0].role).toBe('owner')
  await answer('role', owner.email, ...at, 'admin')
  const nobody = await newMember(service)
  const foreign = await run('role', nobody.email, ...at, 'viewer')
  expect([foreign.status, foreign.stderr]).toEqual([1, expect.stringContaining('is no member of')])
})

test('sign-out ends the sessions, and says how many', async () => {
  const member = await newMember(service)
  expect(await answer('sign-out', member.email)).toEqual({ email: member.email, sessions_ended: 1 })
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
})

test.each([
  [['link', '--email', 'no address'], 2, '--email must be an e-mail address'],
  [['link', '--email', 'a@b.example', '--merchant', merchant_id], 2, 'belong together'],
  [['link', '--email', 'a@b.example', '--merchant', 'm_x', '--role', 'owner'], 1, 'no merchant m_x'],
  [['link', '--email', 'a@b.example', '--merchant', merchant_id, '--role', 'chief'], 2, '--role must be'],
  [['disable', 'nobody@example.com'], 1, 'nobody with the address'],
  [['unlock', 'x'], 2, 'takes an e-mail address'],
] as const)('%j', async (args, status, words) => {
  const ended = await run(...args)
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
})
