// Passwords, one-time codes and recovery codes: what signs in, what locks, and what never works twice.

import { describe, expect, test } from 'vitest'
import { faultOfPassword } from '../../src/users/password-rules.ts'
import { hashes_at_once } from '../../src/users/passwords.ts'
import { codeAt, linkFor, newPerson, type Reply, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { merchant_id } = service.account
const password = 'cobalt harbour 41'
const minute_ms = 60_000

let made = 0

/** Somebody with a password and, unless it is said otherwise, one-time codes. */
async function withPassword({ codes = true } = {}) {
  const email = `typist-${++made}@example.com`
  const person = newPerson(service)
  const secret = await linkFor(service, { email, merchant_id, role: 'owner' })
  const { body } = await person.redeem(secret, { email, name: 'Robin Doe', password })
  const recovery_codes = body.recovery_codes as string[]
  if (!codes) return { person, email, recovery_codes, totp: '' }
  const { secret: totp } = (await person.post('/me/one-time-codes')).body
  const confirmed = await person.post('/me/one-time-codes/confirm', {
    code: codeAt(totp, clock.now()),
  })
  expect(confirmed.status).toBe(204)
  await person.post('/sign-out')
  await clock.advance(minute_ms)
  return { person, email, recovery_codes, totp }
}

const half = async (person: ReturnType<typeof newPerson>, email: string) => {
  expect((await person.signInByPassword(email, password)).body).toEqual({ next: 'one_time_code' })
}

describe('a password', () => {
  test('signs in by itself where there are no one-time codes', async () => {
    const { person, email } = await withPassword({ codes: false })
    await person.post('/sign-out')
    const answer = await person.signInByPassword(` ${email.toUpperCase()}`, password)
    expect(answer.body).toEqual({ next: 'signed_in' })
    expect((await person.get('/me')).status).toBe(200)
  })

  test('is half a sign-in with one-time codes, and each code counts once', async () => {
    const { person, email, totp } = await withPassword()
    await half(person, email)
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
    const code = codeAt(totp, clock.now())
    const answer = await person.post('/sign-in/one-time-code', {
      code: `${code.slice(0, 3)} ${code.slice(3)}`,
    })
    expect(answer.body).toEqual({ next: 'signed_in' })
    expect((await person.get('/me')).status).toBe(200)
    const thief = newPerson(service)
    await half(thief, email)
    expect(refusalIn(await thief.post('/sign-in/one-time-code', { code }))).toBe('401 sign_in_failed')
    await clock.advance(30_000)
    const next = { code: codeAt(totp, clock.now()) }
    expect((await thief.post('/sign-in/one-time-code', next)).status).toBe(200)
  })

  test('a code of the step before the last one used counts no more', async () => {
    const { person, email, totp } = await withPassword()
    await half(person, email)
    const before = codeAt(totp, new Date(clock.now().getTime() - 30_000))
    await person.post('/sign-in/one-time-code', { code: codeAt(totp, clock.now()) })
    const thief = newPerson(service)
    await half(thief, email)
    expect(refusalIn(await thief.post('/sign-in/one-time-code', { code: before }))).toBe('401 sign_in_failed')
  })

  test('half a session ends after ten minutes', async () => {
    const { person, email, totp } = await withPassword()
    await half(person, email)
    await clock.advance(10 * minute_ms)
    const code = { code: codeAt(totp, clock.now()) }
    expect(refusalIn(await person.post('/sign-in/one-time-code', code))).toBe('401 sign_in_required')
  })

  test('a new token after the second factor: the one before it is worth nothing', async () => {
    const { person, email, totp } = await withPassword()
    await half(person, email)
    const before = new Map(person.cookies)
    await person.post('/sign-in/one-time-code', { code: codeAt(totp, clock.now()) })
    const fixed = newPerson(service)
    for (const [name, value] of before) fixed.cookies.set(name, value)
    expect(refusalIn(await fixed.get('/me'))).toBe('401 sign_in_required')
  })
})

describe('ten failures', () => {
  const told = ({ status, text, headers }: Reply) => ({
    status,
    text: text.replace(/req_[0-9a-f]{24}/, 'id'),
    length: headers['content-length'],
  })

  test('lock for half an hour, and look as an unknown name does', async () => {
    const { person, email } = await withPassword()
    const wrong = await person.signInByPassword(email, 'wrong horse battery 1')
    const unknown = await person.signInByPassword('nobody@example.com', 'wrong horse battery 1')
    expect(told(wrong)).toEqual(told(unknown))
    for (let tries = 2; tries <= 10; tries++) {
      expect(told(await person.signInByPassword(email, 'wrong horse battery 1'))).toEqual(told(wrong))
    }
    expect(told(await person.signInByPassword(email, password))).toEqual(told(wrong))
    await clock.advance(30 * minute_ms - 1)
    expect(told(await person.signInByPassword(email, password))).toEqual(told(wrong))
    await clock.advance(1)
    await half(person, email)
  })

  test('of codes lock what follows a password, in every half session, and nothing else', async () => {
    const { person, email, totp } = await withPassword()
    await half(person, email)
    for (let tries = 1; tries <= 10; tries++) {
      const answer = await person.post('/sign-in/one-time-code', { code: '000000' })
      expect(refusalIn(answer)).toBe('401 sign_in_failed')
    }
    const right = { code: codeAt(totp, clock.now()) }
    expect(refusalIn(await person.post('/sign-in/one-time-code', right))).toBe('401 sign_in_failed')
    const again = newPerson(service)
    await half(again, email)
    expect(refusalIn(await again.post('/sign-in/one-time-code', right))).toBe('401 sign_in_failed')
    await clock.advance(30 * minute_ms)
    await half(again, email)
    const next = { code: codeAt(totp, clock.now()) }
    expect((await again.post('/sign-in/one-time-code', next)).body).toEqual({ next: 'signed_in' })
  })

  test('a right password between the guesses of codes makes them no more', async () => {
    const { person, email, totp } = await withPassword()
    for (let tries = 1; tries <= 10; tries++) {
      await half(person, email)
      await person.post('/sign-in/one-time-code', { code: '000000' })
    }
    await half(person, email)
    const right = { code: codeAt(totp, clock.now()) }
    expect(refusalIn(await person.post('/sign-in/one-time-code', right))).toBe('401 sign_in_failed')
  })

  test('at the same moment are not eleven', async () => {
    const { email } = await withPassword({ codes: false })
    const { sql } = service
    await sql`update users set tries = 8 where email = ${email}`
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => newPerson(service).signInByPassword(email, 'wrong horse 1')),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    const [row] = await sql`select tries, locked_until from users where email = ${email}`
    expect(row).toMatchObject({ tries: 10, locked_until: expect.any(Date) })
  })

  test('leave passkeys open', async () => {
    const { person, email } = await withPassword({ codes: false })
    const { body } = await person.post('/me/passkeys/options')
    await person.post('/me/passkeys', {
      name: 'Key',
      passkey: person.authenticator.make(body.options),
    })
    await service.sql`update users set tries = 10, locked_until = ${new Date(clock.now().getTime() + minute_ms)} where email = ${email}`
    await person.post('/sign-out')
    await clock.advance(1)
    expect((await person.signIn()).status).toBe(200)
  })
})

describe('hashes', () => {
  test('are so many at once, and no more', async () => {
    const tries = Array.from({ length: hashes_at_once * 3 }, () =>
      newPerson(service).signInByPassword('nobody@example.com', 'x'),
    )
    const answers = (await Promise.all(tries)).map(refusalIn)
    expect(new Set(answers)).toEqual(new Set(['401 sign_in_failed', '429 too_many_attempts']))
  })

  test('a turned away request says when to come again, and counts as no try', async () => {
    const { email } = await withPassword({ codes: false })
    const hold = Promise.withResolvers<void>()
    const { hashing } = service.context.doorkeeper
    const taken = Array.from({ length: hashes_at_once }, () => hashing.of_strangers.run(() => hold.promise))
    const answer = await newPerson(service).signInByPassword(email, password)
    expect([refusalIn(answer), answer.headers['retry-after']]).toEqual(['429 too_many_attempts', '2'])
    hold.resolve()
    await Promise.all(taken)
    const [row] = await service.sql`select tries from users where email = ${email}`
    expect(row!.tries).toBe(0)
  })
})

describe('recovery codes', () => {
  test('stand in for a one-time code, once each', async () => {
    const { person, email, recovery_codes } = await withPassword()
    const code = recovery_codes[3]!.toUpperCase()
    await half(person, email)
    expect((await person.post('/sign-in/recovery-code', { code })).body).toEqual({
      next: 'signed_in',
    })
    expect((await person.get('/me')).body.methods.recovery_codes_left).toBe(9)
    const again = newPerson(service)
    await half(again, email)
    expect(refusalIn(await again.post('/sign-in/recovery-code', { code }))).toBe('401 sign_in_failed')
    const [line] = await service.sql`
      select change from journal where merchant_id = ${merchant_id} and change = 'recovery_code.used'`
    expect(line).toBeDefined()
  })

  test('of somebody with a password want that first', async () => {
    const { recovery_codes } = await withPassword()
    const code = { code: recovery_codes[0] }
    expect(refusalIn(await newPerson(service).post('/sign-in/recovery-code', code))).toBe('401 sign_in_failed')
  })

  test('let in somebody who lost their only passkey', async () => {
    const email = 'lost@example.com'
    const { body } = await newPerson(service).redeem(await linkFor(service, { email }), { email })
    const person = newPerson(service)
    const code = { code: body.recovery_codes[0] }
    expect((await person.post('/sign-in/recovery-code', code)).body).toEqual({ next: 'signed_in' })
    expect((await person.get('/me')).body.user.email).toBe(email)
  })

  test('new ones end all earlier ones', async () => {
    const { person, email, recovery_codes, totp } = await withPassword()
    await half(person, email)
    await person.post('/sign-in/one-time-code', { code: codeAt(totp, clock.now()) })
    const { body } = await person.post('/me/recovery-codes')
    expect(body.recovery_codes).toHaveLength(10)
    await half(person, email)
    const show = (code: string) => person.post('/sign-in/recovery-code', { code })
    expect(refusalIn(await show(recovery_codes[0]!))).toBe('401 sign_in_failed')
    expect((await show(body.recovery_codes[0])).status).toBe(200)
  })
})

describe('a new password', () => {
  test('is none of the last four, and ends the other sessions', async () => {
    const { person, email } = await withPassword({ codes: false })
    const elsewhere = newPerson(service)
    await elsewhere.signInByPassword(email, password)
    const set = (next: string) => person.post('/me/password', { password: next })
    expect(refusalIn(await set(password))).toBe('400 invalid_request')
    for (const at of [1, 2, 3, 4]) expect((await set(`granite lantern ${at}${at}`)).status).toBe(204)
    expect(refusalIn(await elsewhere.get('/me'))).toBe('401 sign_in_required')
    expect(refusalIn(await set(password))).toBe('400 invalid_request')
    expect((await set('granite lantern 55')).status).toBe(204)
    expect((await set(password)).status).toBe(204)
  })

  const own = ['robin.doe@example.com', 'Robin Doe', 'Tea & Sons']
  test.each([
    ['short 1', 'must have 12 characters or more'],
    ['nothing but letters', 'must have letters and digits'],
    ['1234567890123', 'must have letters and digits'],
    [`a1${'x'.repeat(127)}`, 'must have 128 characters at most'],
    ['Password1234', 'is one of those that are tried first'],
    ['p4ssw0rd2026!', 'is one of those that are tried first'],
    ['1q2w3e4r5t6y', 'is one of those that are tried first'],
    ['qwerty123456', 'is one of those that are tried first'],
    ['1qaz2wsx3edc', 'is one of those that are tried first'],
    ['aaaaaaaaaaa1', 'is one of those that are tried first'],
    ['abc123abc123', 'is one of those that are tried first'],
    ['RobinDoe2026!!', 'must not be made of your name or address'],
    ['cobalt harbour 41', null],
    ['ünterwegs nach 7 Bäumen', null],
  ])('%s', (typed, fault) => {
    expect(faultOfPassword(typed, own)?.words ?? null).toBe(fault)
  })
})
