// Sessions: they lock and end by the clock, get a new token by each proof, and end everywhere at once.

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { codeAt, linkFor, newMember, newPerson, type Person, refusalIn } from '../support/person.ts'
import { drivenClock, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const master_key = randomBytes(32)
const service = await useService({ clock, master_key })
const { merchant_id } = service.account
const minute_ms = 60_000
const idle = { headers: { 'rip-active': null } }

test('nobody there for a quarter of an hour: locked, and a passkey opens it again', async () => {
  const member = await newMember(service)
  await clock.advance(14 * minute_ms)
  expect((await member.get('/me', idle)).status).toBe(200)
  await clock.advance(minute_ms)
  const locked = await member.get('/me', idle)
  expect(refusalIn(locked)).toBe('401 session_locked')
  expect(locked.body.accepted).toEqual(['passkey'])
  expect(refusalIn(await member.get('/me'))).toBe('401 session_locked')
  expect((await member.prove()).status).toBe(200)
  expect((await member.get('/me', idle)).status).toBe(200)
})

test('the sign-in says whether it is needed, which a browser would write into its console as a refusal', async () => {
  const isSignedIn = async (person: Pick<Person, 'get'>) => (await person.get('/sign-in/ways', idle)).body.is_signed_in
  expect(await isSignedIn(newPerson(service))).toBe(false)
  const member = await newMember(service)
  expect(await isSignedIn(member)).toBe(true)
  await clock.advance(15 * minute_ms)
  expect(refusalIn(await member.get('/me', idle))).toBe('401 session_locked')
  expect(await isSignedIn(member)).toBe(true)
  await member.prove()
  await member.post('/sign-out', {})
  expect(await isSignedIn(member)).toBe(false)
})

test('what a person does keeps it open, to the minute', async () => {
  const member = await newMember(service)
  for (let at = 0; at < 4; at++) {
    await clock.advance(10 * minute_ms)
    const { body } = await member.get('/me')
    expect(body.session.locks_at.slice(0, 19)).toBe(
      new Date(clock.now().getTime() + 15 * minute_ms).toISOString().slice(0, 19),
    )
  }
  const seen = () => service.sql`select seen_at from user_sessions where user_id = ${member.user_id}`
  const before = await seen()
  await clock.advance(minute_ms - 1)
  await member.get('/me')
  expect(await seen()).toEqual(before)
  await clock.advance(1)
  await member.get('/me')
  expect(await seen()).not.toEqual(before)
})

test('twelve hours end it, whatever is done', async () => {
  const member = await newMember(service)
  for (let at = 0; at < 71; at++) {
    await clock.advance(10 * minute_ms)
    expect((await member.get('/me')).status).toBe(200)
  }
  expect((await member.prove()).status).toBe(200)
  await clock.advance(10 * minute_ms)
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
})

describe('somebody with a password and codes', () => {
  test('unlocks by both, and proves by the code alone', async () => {
    const person = newPerson(service)
    const [email, password] = ['codes@example.com', 'cobalt harbour 41']
    await person.redeem(await linkFor(service, { email, merchant_id, role: 'owner' }), {
      email,
      password,
    })
    const { secret } = (await person.post('/me/one-time-codes')).body
    await person.post('/me/one-time-codes/confirm', { code: codeAt(secret, clock.now()) })
    await clock.advance(6 * minute_ms)
    const refused = await person.post('/me/recovery-codes')
    expect([refusalIn(refused), refused.body.accepted]).toEqual(['403 proof_required', ['one_time_code']])
    const one_time_code = () => codeAt(secret, clock.now())
    expect((await person.post('/proof', { one_time_code: one_time_code() })).status).toBe(200)
    expect((await person.post('/me/recovery-codes')).status).toBe(200)
    await clock.advance(15 * minute_ms)
    const code_alone = await person.post('/proof', { one_time_code: one_time_code() })
    expect(refusalIn(code_alone)).toBe('400 invalid_request')
    const wrong = await person.post('/proof', { one_time_code: one_time_code(), password: 'x' })
    expect(refusalIn(wrong)).toBe('401 sign_in_failed')
    const both = { one_time_code: one_time_code(), password }
    expect((await person.post('/proof', both)).status).toBe(200)
    expect((await person.get('/me')).status).toBe(200)
  })

  test('and nothing else proves by the password', async () => {
    const person = newPerson(service)
    const [email, password] = ['plain@example.com', 'cobalt harbour 41']
    await person.redeem(await linkFor(service, { email, merchant_id, role: 'owner' }), {
      email,
      password,
    })
    await clock.advance(15 * minute_ms)
    expect((await person.get('/me')).body.accepted).toEqual(['password'])
    expect((await person.post('/proof', { password })).status).toBe(200)
    const member = await newMember(service)
    expect(refusalIn(await member.post('/proof', { password }))).toBe('400 invalid_request')
  })
})

describe('a proof', () => {
  const grave = (member: Awaited<ReturnType<typeof newMember>>) =>
    member.post(`/${merchant_id}/team/invitations`, { email: 'new@example.com', role: 'viewer' })

  test('is asked for after five minutes, by whatever is grave', async () => {
    const member = await newMember(service)
    await clock.advance(5 * minute_ms)
    expect((await grave(member)).status).toBe(200)
    await clock.advance(1)
    const refused = await grave(member)
    expect([refusalIn(refused), refused.body.accepted]).toEqual(['403 proof_required', ['passkey']])
    await member.prove()
    expect((await grave(member)).status).toBe(200)
  })

  test('is asked for before an integration changes, once the merchant is live', async () => {
    const account = await service.newAccount()
    const { merchant_id, integration } = account
    const member = await newMember(service, { merchant_id, role: 'developer' })
    const change = () =>
      member.post(`/${merchant_id}/integrations/${integration!.integration_id}`, {
        at_deadline: 'capture',
      })
    const make = () => member.post(`/${merchant_id}/integrations`, { name: crypto.randomUUID() })
    await clock.advance(6 * minute_ms)
    expect([(await change()).status, (await make()).status]).toEqual([200, 201])
    await service.sql`update merchants set live = true where merchant_id = ${merchant_id}`
    expect(refusalIn(await change())).toBe('403 proof_required')
    expect(refusalIn(await make())).toBe('403 proof_required')
    const path = `/${merchant_id}/integrations`
    expect(refusalIn(await member.remove(`${path}/${integration!.integration_id}`))).toBe('403 proof_required')
    expect((await member.get(path)).status).toBe(200)
    await member.prove()
    expect((await change()).status).toBe(200)
  })

  test('gives a new token; the one before reads for seconds, and changes nothing', async () => {
    const member = await newMember(service)
    const earlier = newPerson(service)
    for (const [name, value] of member.cookies) earlier.cookies.set(name, value)
    await clock.advance(1)
    await member.prove()
    expect(member.cookies.get('__Host-ripper')).not.toBe(earlier.cookies.get('__Host-ripper'))
    expect((await earlier.get('/me')).status).toBe(200)
    expect(refusalIn(await earlier.post('/me/sessions/end-others'))).toBe('401 sign_in_required')
    await clock.advance(10_000)
    expect(refusalIn(await earlier.get('/me'))).toBe('401 sign_in_required')
    expect((await member.get('/me')).status).toBe(200)
  })

  test('is of one session and one person', async () => {
    const [member, other] = [await newMember(service), await newMember(service)]
    await clock.advance(1)
    const { body } = await member.post('/proof/passkey-options')
    const passkey = other.authenticator.use(body.options)
    expect(refusalIn(await member.post('/proof', { passkey }))).toBe('401 sign_in_failed')
    const own = member.authenticator.use(body.options)
    expect(refusalIn(await other.post('/proof', { passkey: own }))).toBe('401 sign_in_failed')
    expect(refusalIn(await member.post('/sign-in/passkey', { passkey: own }))).toBe('401 sign_in_failed')
    expect((await member.post('/proof', { passkey: own })).status).toBe(200)
  })
})

test('each sign-in has a token of its own, and ends the browser’s earlier session', async () => {
  const member = await newMember(service)
  const before = member.cookies.get('__Host-ripper')!
  await clock.advance(1)
  await member.signIn()
  expect(member.cookies.get('__Host-ripper')).not.toBe(before)
  const fixed = newPerson(service)
  fixed.cookies.set('__Host-ripper', before)
  expect(refusalIn(await fixed.get('/me'))).toBe('401 sign_in_required')
})

test('a session that ends has ended in every process', async () => {
  const twin = await startService({ clock, master_key, database: service.database })
  const [member, elsewhere] = [await newMember(service), newPerson(twin)]
  for (const [name, value] of member.cookies) elsewhere.cookies.set(name, value)
  expect((await elsewhere.get('/me')).status).toBe(200)
  await member.post('/sign-out')
  expect(refusalIn(await elsewhere.get('/me'))).toBe('401 sign_in_required')
  await twin.close()
})

test('my account lists sessions, and ends one or all others', async () => {
  const member = await newMember(service)
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  await clock.advance(1)
  const others = [1, 2].map(() => ({
    ...newPerson(service, { agent }),
    authenticator: member.authenticator,
  }))
  for (const other of others) {
    await clock.advance(1)
    const { body } = await other.post('/sign-in/passkey-options')
    await other.post('/sign-in/passkey', { passkey: member.authenticator.use(body.options) })
  }
  const { sessions } = (await member.get('/me/account')).body
  expect(sessions).toMatchObject([
    { browser: 'Firefox on Linux', address: '127.0.0.1', is_this: false },
    { browser: 'Firefox on Linux', is_this: false },
    { browser: 'test', is_this: true },
  ])
  expect((await member.remove(`/me/sessions/${sessions[0].session_id}`)).status).toBe(204)
  expect(refusalIn(await others[1]!.get('/me'))).toBe('401 sign_in_required')
  expect((await member.post('/me/sessions/end-others')).body).toEqual({ ended: 1 })
  expect(refusalIn(await others[0]!.get('/me'))).toBe('401 sign_in_required')
  const stranger = await newMember(service)
  const theirs = (await stranger.get('/me')).body.session.session_id
  expect(refusalIn(await member.remove(`/me/sessions/${theirs}`))).toBe('404 resource_not_found')
})

test('a live merchant is closed to who has shown a password alone', async () => {
  const { sql } = service
  const live = await service.newAccount()
  await sql`update merchants set live = true where merchant_id = ${live.merchant_id}`
  const person = newPerson(service)
  const [email, password] = ['live@example.com', 'cobalt harbour 41']
  const secret = await linkFor(service, { email, merchant_id: live.merchant_id, role: 'owner' })
  await person.redeem(secret, { email, password })
  const team = () => person.get(`/${live.merchant_id}/team`)
  expect(refusalIn(await team())).toBe('403 second_factor_required')
  const totp = (await person.post('/me/one-time-codes')).body.secret
  await person.post('/me/one-time-codes/confirm', { code: codeAt(totp, clock.now()) })
  expect((await team()).status).toBe(200)
  await sql`update merchants set live = false where merchant_id = ${live.merchant_id}`
})
