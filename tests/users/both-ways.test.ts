// RIPPER_SIGN_IN=passkey_and_password: neither a passkey nor a password alone leads to a merchant.

import { describe, expect, test } from 'vitest'
import { codeAt, linkFor, newMember, newPerson, type Person, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, sign_in: 'passkey_and_password' })
const { merchant_id } = service.account
const password = 'cobalt harbour 41'
const minute_ms = 60_000
const payments = `/${merchant_id}/payments`
const missing = '403 both_ways_required'

/** Somebody with a passkey and a password, signed out. */
async function withBoth() {
  const person = await newMember(service)
  expect(refusalIn(await person.get(payments))).toBe(missing)
  expect((await person.post('/me/password', { password })).status).toBe(204)
  expect((await person.get(payments)).status).toBe(200)
  await person.post('/sign-out')
  await clock.advance(minute_ms)
  return person
}

/** Sets one-time codes up; what it returns is what the authenticator shows. */
async function addCodes(person: Pick<Person, 'post'>): Promise<() => string> {
  const { secret } = (await person.post('/me/one-time-codes')).body
  const shown = () => codeAt(secret, clock.now())
  expect((await person.post('/me/one-time-codes/confirm', { code: shown() })).status).toBe(204)
  return shown
}

describe('signing in', () => {
  test('by the passkey first', async () => {
    const person = await withBoth()
    expect((await person.signIn()).body).toEqual({ next: 'password' })
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
    const wrong = await person.post('/sign-in/second-password', { password: 'cobalt harbour 42' })
    expect(refusalIn(wrong)).toBe('401 sign_in_failed')
    const answer = await person.post('/sign-in/second-password', { password })
    expect(answer.body).toEqual({ next: 'signed_in' })
    expect((await person.get(payments)).status).toBe(200)
  })

  test('by the password first', async () => {
    const person = await withBoth()
    const first = await person.signInByPassword(person.email, password)
    expect(first.body).toEqual({ next: 'passkey' })
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
    const again = await person.post('/sign-in/second-password', { password })
    expect(refusalIn(again)).toBe('401 sign_in_failed')
    expect((await person.signIn()).body).toEqual({ next: 'signed_in' })
    expect((await person.get(payments)).status).toBe(200)
  })

  test('the passkey of somebody else completes nothing', async () => {
    const person = await withBoth()
    const other = await withBoth()
    await person.signInByPassword(person.email, password)
    const { body } = await person.post('/sign-in/passkey-options')
    const passkey = other.authenticator.use(body.options)
    expect((await person.post('/sign-in/passkey', { passkey })).body).toEqual({ next: 'password' })
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
  })

  test('a recovery code stands in for a lost passkey', async () => {
    const person = await withBoth()
    await person.signInByPassword(person.email, password)
    const code = person.recovery_codes[0]
    expect((await person.post('/sign-in/recovery-code', { code })).status).toBe(200)
    expect((await person.get(payments)).status).toBe(200)
  })

  test('a passkey twice is not both', async () => {
    const person = await withBoth()
    await person.signIn()
    await clock.advance(1000)
    expect((await person.signIn()).body).toEqual({ next: 'password' })
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
  })
})

test('a password with one-time codes leads to My account alone, until there is a passkey', async () => {
  const email = 'typist@example.com'
  const person = newPerson(service)
  const secret = await linkFor(service, { email, merchant_id, role: 'owner' })
  await person.redeem(secret, { email, name: 'Robin Doe', password })
  const codeNow = await addCodes(person)
  await person.post('/sign-out')
  await clock.advance(minute_ms)
  const first = await person.signInByPassword(email, password)
  expect(first.body).toEqual({ next: 'one_time_code' })
  await person.post('/sign-in/one-time-code', { code: codeNow() })
  expect(refusalIn(await person.get(payments))).toBe(missing)
  const { options } = (await person.post('/me/passkeys/options')).body
  const passkey = person.authenticator.make(options)
  expect((await person.post('/me/passkeys', { name: 'Laptop', passkey })).status).toBe(204)
  expect((await person.get(payments)).status).toBe(200)
})

describe('whoever has both puts nothing in place of the one that they have not shown', () => {
  test('by the passkey and a recovery code', async () => {
    const person = await withBoth()
    await person.signIn()
    const code = person.recovery_codes[0]
    expect((await person.post('/sign-in/recovery-code', { code })).status).toBe(200)
    const answer = await person.post('/me/password', { password: 'granite meadow 52' })
    expect(refusalIn(answer)).toBe(missing)
  })

  test('by the password and a one-time code', async () => {
    const person = await newMember(service)
    await person.post('/me/password', { password })
    const codeNow = await addCodes(person)
    await person.post('/sign-out')
    await clock.advance(minute_ms)
    await person.signInByPassword(person.email, password)
    expect((await person.post('/sign-in/one-time-code', { code: codeNow() })).status).toBe(200)
    expect(refusalIn(await person.post('/me/passkeys/options'))).toBe(missing)
  })
})

test('wrong passwords of a stranger take nothing from who has shown a passkey', async () => {
  const person = await withBoth()
  const strangers = () => newPerson(service).signInByPassword(person.email, 'wrong horse battery 1')
  for (let tries = 0; tries < 10; tries++) expect((await strangers()).status).toBe(401)
  await person.signIn()
  const second = () => person.post('/sign-in/second-password', { password })
  expect((await second()).body).toEqual({ next: 'signed_in' })
  await clock.advance(16 * minute_ms)
  const { options } = (await person.post('/proof/passkey-options')).body
  const passkey = person.authenticator.use(options)
  expect((await person.post('/proof', { passkey, password })).status).toBe(200)
  await person.post('/sign-out')
  await clock.advance(minute_ms)
  await person.signIn()
  for (let tries = 0; tries < 10; tries++) {
    const answer = await person.post('/sign-in/second-password', { password: 'cobalt harbour 42' })
    expect(refusalIn(answer)).toBe('401 sign_in_failed')
  }
  expect(refusalIn(await second())).toBe('401 sign_in_failed')
})

test('a locked session opens by both, and by no passkey alone', async () => {
  const person = await withBoth()
  await person.signIn()
  await person.post('/sign-in/second-password', { password })
  await clock.advance(16 * minute_ms)
  const locked = await person.get(payments)
  expect(refusalIn(locked)).toBe('401 session_locked')
  expect(locked.body.accepted).toEqual(['passkey_and_password'])
  expect(refusalIn(await person.prove())).toBe('400 invalid_request')
  const proof = async (words: string) => {
    await clock.advance(1000)
    const { options } = (await person.post('/proof/passkey-options')).body
    return person.post('/proof', { passkey: person.authenticator.use(options), password: words })
  }
  expect(refusalIn(await proof('cobalt harbour 42'))).toBe('401 sign_in_failed')
  expect((await person.get(payments)).status).toBe(401)
  expect((await proof(password)).status).toBe(200)
  expect((await person.get(payments)).status).toBe(200)
  await clock.advance(6 * minute_ms)
  expect((await person.prove()).status).toBe(200)
})

test('a one-time code opens no locked session in place of the passkey', async () => {
  const person = await newMember(service)
  await person.post('/me/password', { password })
  const codeNow = await addCodes(person)
  await clock.advance(16 * minute_ms)
  expect((await person.get(payments)).body.accepted).toEqual(['passkey_and_password'])
  const answer = await person.post('/proof', { one_time_code: codeNow(), password })
  expect(refusalIn(answer)).toBe('400 invalid_request')
})

test('operators are asked for both, too', async () => {
  const person = await newMember(service, { role: 'viewer', is_operator: true })
  expect(refusalIn(await person.get('/system'))).toBe(missing)
})
