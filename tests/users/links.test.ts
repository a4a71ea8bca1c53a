// Links: each works once, for one person, for a while; and none opens an account that is somebody else's.

import { describe, expect, test } from 'vitest'
import { inviteFirstOwner } from '../../src/service/first-owner.ts'
import { linkFor, newMember, newPerson, refusalIn, secretOf } from '../support/person.ts'
import { drivenClock, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { merchant_id } = service.account
const hour_ms = 3_600_000
const password = 'cobalt harbour 41'

describe('a link', () => {
  test('that nobody made', async () => {
    const secret = 'x'.repeat(43)
    for (const path of ['read', 'passkey-options', 'redeem']) {
      const more = path === 'read' ? {} : { email: 'a@b.example', name: 'A' }
      const answer = await newPerson(service).post(`/links/${path}`, { secret, ...more })
      expect(refusalIn(answer)).toBe('404 link_unknown')
    }
  })

  test.each([
    ['welcome', 24],
    ['invite', 72],
  ] as const)('of the kind %s lasts %i hours', async (purpose, hours) => {
    const email = `late-${purpose}@example.com`
    const given = purpose === 'invite' ? { merchant_id, role: 'viewer' as const } : {}
    const secret = await linkFor(service, { purpose, email, ...given })
    await clock.advance(hours * hour_ms - 1)
    expect((await newPerson(service).post('/links/read', { secret })).status).toBe(200)
    await clock.advance(1)
    expect(refusalIn(await newPerson(service).post('/links/read', { secret }))).toBe('410 link_expired')
    expect(refusalIn(await newPerson(service).redeem(secret, { email, password }))).toBe('410 link_expired')
  })

  test('in two tabs at once makes one account', async () => {
    const secret = await linkFor(service, { email: 'tabs@example.com' })
    const tabs = [newPerson(service), newPerson(service), newPerson(service)]
    const answers = await Promise.all(tabs.map((tab) => tab.redeem(secret, { password })))
    expect(answers.map(refusalIn).toSorted()).toEqual([...['200 undefined', '410 link_used', '410 link_used']])
    const users = await service.sql`select 1 from users where email = 'tabs@example.com'`
    expect(users).toHaveLength(1)
  })

  test('that was used is worth nothing to whoever finds it', async () => {
    const email = 'stolen@example.com'
    const secret = await linkFor(service, { email })
    const owner = newPerson(service)
    await owner.redeem(secret, { email })
    const thief = newPerson(service)
    const { body } = await owner.post('/sign-in/passkey-options')
    const passkey = thief.authenticator.make({ ...body.options, user: { id: 'x' } })
    const sent = { secret, email, name: 'Thief' }
    expect(refusalIn(await thief.post('/links/passkey-options', sent))).toBe('410 link_used')
    expect(refusalIn(await thief.post('/links/redeem', { ...sent, passkey }))).toBe('410 link_used')
    expect((await owner.get('/me')).body.methods.passkeys).toBe(1)
  })

  test('takes either a passkey or a password, not both, nor none', async () => {
    const secret = await linkFor(service, { email: 'both@example.com' })
    const person = newPerson(service)
    const sent = { secret, email: '', name: 'Both' }
    const { body } = await person.post('/links/passkey-options', sent)
    const passkey = person.authenticator.make(body.options)
    for (const more of [{}, { passkey, password }]) {
      const answer = await person.post('/links/redeem', { ...sent, ...more })
      expect(refusalIn(answer)).toBe('400 invalid_request')
    }
    expect((await person.post('/links/redeem', { ...sent, passkey })).status).toBe(200)
  })

  test("keeps to its own address, whatever is typed, and to its own passkey's challenge", async () => {
    const [mine, theirs] = [
      await linkFor(service, { email: 'mine@example.com' }),
      await linkFor(service, { email: 'theirs@example.com' }),
    ]
    const person = newPerson(service)
    const sent = { email: 'else@example.com', name: 'Me' }
    const { body } = await person.post('/links/passkey-options', { secret: theirs, ...sent })
    const passkey = person.authenticator.make(body.options)
    const crossed = await person.post('/links/redeem', { secret: mine, ...sent, passkey })
    expect(refusalIn(crossed)).toBe('400 invalid_request')
    expect((await person.redeem(mine, sent)).status).toBe(200)
    expect((await person.get('/me')).body.user.email).toBe('mine@example.com')
  })
})

describe('an invitation to somebody who has an account', () => {
  test('is taken up by signing in, and opens nothing to whoever else has it', async () => {
    const elsewhere = await service.newAccount()
    const victim = await newMember(service)
    const invited = { purpose: 'invite' as const, email: victim.email, role: 'viewer' as const }
    const secret = await linkFor(service, { ...invited, merchant_id: elsewhere.merchant_id })
    const attacker = newPerson(service)
    const said = await attacker.post('/links/read', { secret })
    expect(said.body).toMatchObject({ email: victim.email, account_exists: true })
    const taken = await attacker.redeem(secret, { email: victim.email })
    expect(refusalIn(taken)).toBe('401 sign_in_required')
    const other = await newMember(service)
    const sent = { secret, email: victim.email, name: 'X' }
    expect(refusalIn(await other.post('/links/redeem', sent))).toBe('401 sign_in_required')
    const joined = await victim.post('/links/redeem', sent)
    expect(joined.body).toEqual({ recovery_codes: [], merchant_id: elsewhere.merchant_id })
    const { memberships } = (await victim.get('/me')).body
    expect(memberships).toContainEqual(expect.objectContaining({ merchant_id: elsewhere.merchant_id, role: 'viewer' }))
    expect(refusalIn(await victim.post('/links/redeem', sent))).toBe('410 link_used')
  })
})

test('neither half a session nor a locked one takes up an invitation', async () => {
  const member = await newMember(service)
  const { merchant_id } = await service.newAccount()
  const invited = { purpose: 'invite' as const, email: member.email, role: 'owner' as const }
  const secret = await linkFor(service, { ...invited, merchant_id, is_operator: true })
  const sent = { secret, email: '', name: '' }
  const { sql } = service
  await sql`update user_sessions set is_half = true where user_id = ${member.user_id}`
  expect(refusalIn(await member.post('/links/redeem', sent))).toBe('401 sign_in_required')
  await sql`update user_sessions set is_half = false where user_id = ${member.user_id}`
  await clock.advance(hour_ms / 4)
  expect(refusalIn(await member.post('/links/redeem', sent))).toBe('401 sign_in_required')
  await member.prove()
  expect((await member.post('/links/redeem', sent)).status).toBe(200)
})

describe('a reset', () => {
  test('opens the account anew: earlier ways in and sessions are gone', async () => {
    const member = await newMember(service)
    const asked = { purpose: 'reset' as const, email: member.email, user_id: member.user_id }
    const secret = await linkFor(service, asked)
    const again = newPerson(service)
    expect((await again.post('/links/read', { secret })).body).toMatchObject({
      purpose: 'reset',
      email: member.email,
      name: 'Jo Doe',
    })
    const { status, body } = await again.redeem(secret, { password })
    expect([status, body.recovery_codes.length]).toEqual([200, 10])
    expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
    expect(refusalIn(await member.signIn())).toBe('401 sign_in_failed')
    expect((await again.get('/me')).body).toMatchObject({
      user: { user_id: member.user_id },
      methods: { passkeys: 0, has_password: true, recovery_codes_left: 10 },
      memberships: [{ merchant_id, role: 'owner' }],
    })
  })

  test('brings back no password of before, nor takes one made of the address', async () => {
    const member = await newMember(service, { password })
    const email = 'harbourmaster@example.com'
    await service.sql`update users set email = ${email} where user_id = ${member.user_id}`
    const asked = { purpose: 'reset' as const, email, user_id: member.user_id }
    const secret = await linkFor(service, asked)
    const again = newPerson(service)
    for (const weak of [password, 'harbourmaster7']) {
      const answer = await again.redeem(secret, { password: weak })
      expect(refusalIn(answer)).toBe('400 invalid_request')
      expect(answer.body.message).toMatch(/^password /)
    }
    expect((await again.redeem(secret, { password: `${password}!` })).status).toBe(200)
  })

  test('lasts an hour, and a newer one takes its place', async () => {
    const member = await newMember(service)
    const asked = { purpose: 'reset' as const, email: member.email, user_id: member.user_id }
    const first = await linkFor(service, asked)
    const second = await linkFor(service, asked)
    expect(refusalIn(await newPerson(service).redeem(first, { password }))).toBe('410 link_withdrawn')
    await clock.advance(hour_ms)
    expect(refusalIn(await newPerson(service).redeem(second, { password }))).toBe('410 link_expired')
  })
})

test('a name that turns text round is none', async () => {
  const secret = await linkFor(service, { email: 'round@example.com' })
  const sent = { secret, email: 'round@example.com', password: 'cobalt harbour 41' }
  for (const name of ['Ada\u202eecila', 'Ada\u2066', 'Ada\u200f']) {
    const answer = await newPerson(service).post('/links/redeem', { ...sent, name })
    expect(refusalIn(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toMatch(/^name must have 1 to 100 characters, and none/)
  }
  const right = await newPerson(service).post('/links/redeem', { ...sent, name: 'Adà Łowe' })
  expect(right.status).toBe(200)
})

describe('the first owner', async () => {
  const fresh = await startService({ clock })
  const invite = async () => inviteFirstOwner(fresh.context, fresh.account.merchant_id)

  test('comes in by the link of the last start, and then there is none', async () => {
    const [first, second] = [await invite(), await invite()]
    const { base_url } = fresh
    expect(second).toMatch(new RegExp(`^http://localhost:${new URL(base_url).port}/dashboard#welcome=[\\w-]{43}$`))
    const person = newPerson(fresh)
    expect(refusalIn(await person.redeem(secretOf(first!)))).toBe('410 link_withdrawn')
    expect((await person.redeem(secretOf(second!), { email: 'first@example.com' })).status).toBe(200)
    expect((await person.get('/me')).body).toMatchObject({
      user: { is_operator: true },
      memberships: [{ merchant_id: fresh.account.merchant_id, role: 'owner' }],
    })
    expect(await invite()).toBeNull()
  })

  test('has one link, however many processes start at once', async () => {
    const twice = await startService({ clock })
    const { merchant_id } = twice.account
    const starts = Array.from({ length: 6 }, () => inviteFirstOwner(twice.context, merchant_id))
    await Promise.all(starts)
    const open = await twice.sql`
      select 1 from sign_in_links where used_at is null and withdrawn_at is null`
    expect(open).toHaveLength(1)
    await twice.close()
  })

  test('nobody else becomes one by a link that was printed before', async () => {
    const late = await startService({ clock })
    const printed = await inviteFirstOwner(late.context, late.account.merchant_id)
    const email = 'jo@example.com'
    await newPerson(late).redeem(await linkFor(late, { email, is_operator: true }), { email })
    const thief = await newPerson(late).redeem(secretOf(printed!), { email: 'thief@example.com' })
    expect(refusalIn(thief)).toBe('410 link_withdrawn')
    // Nor by one that was printed while the first one came in, which nobody has withdrawn.
    await late.sql`update sign_in_links set withdrawn_at = null where email is null`
    const later = await newPerson(late).redeem(secretOf(printed!), { email: 'thief@example.com' })
    expect(refusalIn(later)).toBe('410 link_used')
    await late.close()
    await fresh.close()
  })
})
