// Whose wrong tries lock what: a stranger's never lock out who is in, who has shown something, or whose browser is known. And each way
// has a bound of guesses.

import { describe, expect, test } from 'vitest'
import { disableUser, unlockUser } from '../../src/users/manage-users.ts'
import { hashes_at_once } from '../../src/users/passwords.ts'
import { type Counter, countTryApart, countTryOfName, forgetEveryTry, lockOf } from '../../src/users/tries.ts'
import { codeAt, linkFor, newPerson, type Person, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { sql, context } = service
const { merchant_id } = service.account
const [password, wrong] = ['cobalt harbour 41', 'wrong horse battery 1']
const minute_ms = 60_000
const operator = { sql, ids: context.ids, clock, actor: 'operator' as const }
const failed = '401 sign_in_failed'

let made = 0

/** Somebody who is signed in by a password and a one-time code; `code` is what their authenticator shows next. */
async function newOwner() {
  const email = `owner-${++made}@example.com`
  const person = newPerson(service)
  const secret = await linkFor(service, { email, merchant_id, role: 'owner' })
  await person.redeem(secret, { email, password })
  const { secret: totp } = (await person.post('/me/one-time-codes')).body
  const code = async () => {
    await clock.advance(minute_ms)
    return { code: codeAt(totp, clock.now()) }
  }
  await person.post('/me/one-time-codes/confirm', { code: codeAt(totp, clock.now()) })
  const prove = async () => {
    const { code: one_time_code } = await code()
    return person.post('/proof', { one_time_code })
  }
  const signIn = async (browser: Pick<Person, 'signInByPassword' | 'post'> = person) => {
    const first = await browser.signInByPassword(email, password)
    return first.status === 200 ? browser.post('/sign-in/one-time-code', await code()) : first
  }
  return { person, email, code, prove, signIn }
}

async function tenTimes(attempt: () => Promise<{ status: number }>): Promise<void> {
  for (let tries = 0; tries < 10; tries++) expect((await attempt()).status).toBe(401)
}

/** A stranger knows the address alone. */
const strangersTry = (email: string) => tenTimes(() => newPerson(service).signInByPassword(email, wrong))

describe('ten wrong passwords of a stranger', () => {
  test('take no proof from an open session, and so no act that wants one', async () => {
    const { prove, person, email } = await newOwner()
    const body = { name: 'leaked', permissions: ['read_transactions'], mode: 'any' }
    const headers = { 'rip-idempotency-key': crypto.randomUUID() }
    const key = await person.post(`/${merchant_id}/keys`, body, { headers })
    expect(key.status, key.text).toBe(201)
    await clock.advance(6 * minute_ms)
    await strangersTry(email)
    expect((await prove()).status).toBe(200)
    const revoked = await person.post(`/${merchant_id}/keys/${key.body.key_id}/revoke`)
    expect(revoked.status, revoked.text).toBe(204)
  })

  test('take every place in which their passwords are hashed, and none of those who are in', async () => {
    const { person, signIn } = await newOwner()
    await signIn()
    const hold = Promise.withResolvers<void>()
    const { hashing } = service.context.doorkeeper
    const taken = Array.from({ length: hashes_at_once }, () => hashing.of_strangers.run(() => hold.promise))
    expect(refusalIn(await signIn(newPerson(service)))).toBe('429 too_many_attempts')
    expect((await signIn(person)).status).toBe(200)
    const changed = await person.post('/me/password', { password: 'granite lantern 52' })
    expect(changed.status, changed.text).toBe(204)
    hold.resolve()
    await Promise.all(taken)
  })

  test('take no second factor from half a session', async () => {
    const { email, code } = await newOwner()
    const elsewhere = newPerson(service)
    await elsewhere.signInByPassword(email, password)
    await strangersTry(email)
    expect((await elsewhere.post('/sign-in/one-time-code', await code())).status).toBe(200)
  })

  test('lock a browser that is not known, and none that is', async () => {
    const { person, email, signIn } = await newOwner()
    expect((await signIn()).status).toBe(200)
    await strangersTry(email)
    expect(refusalIn(await signIn(newPerson(service)))).toBe(failed)
    expect((await signIn(person)).status).toBe(200)
    // Nor does the sign-in there give a stranger more tries.
    expect(refusalIn(await signIn(newPerson(service)))).toBe(failed)
    await clock.advance(30 * minute_ms)
    expect((await signIn(newPerson(service))).status).toBe(200)
  })
})

describe('the browser of somebody who reacts', () => {
  test.each<[string, (owner: Awaited<ReturnType<typeof newOwner>>) => Promise<string>]>([
    [
      'by another password',
      async ({ person }) => {
        await person.post('/me/password', { password: 'granite lantern 52' })
        return 'granite lantern 52'
      },
    ],
    [
      'by ending all other sessions',
      async ({ person }) => {
        await person.post('/me/sessions/end-others')
        return password
      },
    ],
    [
      'by a link that opens the account anew',
      async ({ person, email }) => {
        const { user_id } = (await person.get('/me')).body.user
        const secret = await linkFor(service, { purpose: 'reset', email, user_id })
        await person.redeem(secret, { email, password: 'granite lantern 52' })
        return 'granite lantern 52'
      },
    ],
  ])('%s is still known', async (_how, react) => {
    const owner = await newOwner()
    await owner.signIn()
    await clock.advance(1)
    const own = await react(owner)
    await strangersTry(owner.email)
    expect((await owner.person.signInByPassword(owner.email, own)).status).toBe(200)
    expect(refusalIn(await newPerson(service).signInByPassword(owner.email, own))).toBe(failed)
  })
})

describe('a browser that was known', () => {
  test.each<[string, (owner: Awaited<ReturnType<typeof newOwner>>) => Promise<unknown>]>([
    [
      'before the password was changed',
      async ({ person }) => {
        const set = (next: string) => person.post('/me/password', { password: next })
        expect((await set('granite lantern 52')).status).toBe(204)
        await sql`update users set old_hashes = '{}'`
        expect((await set(password)).status).toBe(204)
      },
    ],
    ['before all other sessions were ended', ({ person }) => person.post('/me/sessions/end-others')],
    [
      'before its person was disabled',
      async ({ email }) => {
        await disableUser(operator, email)
        await unlockUser(operator, email)
      },
    ],
  ])('%s is none any more', async (_when, change) => {
    const owner = await newOwner()
    await owner.signIn()
    const browser = newPerson(service)
    for (const [name, value] of owner.person.cookies) browser.cookies.set(name, value)
    await clock.advance(1)
    await change(owner)
    await strangersTry(owner.email)
    expect(refusalIn(await owner.signIn(browser))).toBe(failed)
  })

  test('to somebody else, or by a cookie that nobody signed, is none', async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    await owner.signIn()
    await other.signIn()
    const name = '__Host-ripper-known'
    const value = owner.person.cookies.get(name)!
    await strangersTry(owner.email)
    // Not its last character, of which base64 ignores some bits.
    const forged = value.replace(/\.(?=[^.]*$)./, (start) => (start === '.A' ? '.B' : '.A'))
    for (const cookie of [other.person.cookies.get(name)!, forged, 'x.y.z', 'x']) {
      const browser = newPerson(service)
      browser.cookies.set(name, cookie)
      expect(refusalIn(await owner.signIn(browser))).toBe(failed)
    }
    const browser = newPerson(service)
    browser.cookies.set(name, value)
    expect((await owner.signIn(browser)).status).toBe(200)
    await clock.advance(91 * 24 * 60 * minute_ms)
    await unlockUser(operator, owner.email)
    await strangersTry(owner.email)
    expect(refusalIn(await owner.signIn(browser))).toBe(failed)
  })

  test('is locked by its own ten, which lock nobody else', async () => {
    const { person, email, signIn } = await newOwner()
    await signIn()
    await tenTimes(() => person.signInByPassword(email, wrong))
    expect(refusalIn(await signIn(person))).toBe(failed)
    expect((await signIn(newPerson(service))).status).toBe(200)
  })
})

describe('ten wrong codes in an open session', () => {
  test('lock proofs there for half an hour, and nothing else', async () => {
    const { person, prove, signIn } = await newOwner()
    await tenTimes(() => person.post('/proof', { one_time_code: '000000' }))
    expect(refusalIn(await prove())).toBe(failed)
    expect((await signIn(newPerson(service))).status).toBe(200)
    // Somebody is there, so the session does not lock meanwhile.
    for (const minutes of [0, 10, 10]) {
      await clock.advance(minutes * minute_ms)
      expect((await person.get('/me')).status).toBe(200)
    }
    expect(refusalIn(await prove())).toBe(failed)
    await clock.advance(6 * minute_ms)
    expect((await prove()).status).toBe(200)
  })

  test('an operator unlocks', async () => {
    const { person, prove, email } = await newOwner()
    await tenTimes(() => person.post('/proof', { one_time_code: '000000' }))
    await unlockUser(operator, email)
    expect((await prove()).status).toBe(200)
  })
})

describe('a day has no more than 480 guesses', async () => {
  const { person, email } = await newOwner()
  const { user_id } = (await person.get('/me')).body.user
  const apart = (counter: Counter) => () => countTryApart(sql, { user_id, counter }, lockOf(context))

  test.each<[string, () => Promise<unknown>]>([
    ['of a password', () => countTryOfName(sql, { email, bucket: 1 }, lockOf(context))],
    ['of a password in browsers that are known', apart('known_browser')],
    ['of what follows a password', apart('second_factor')],
    ['of a password that follows a passkey', apart('second_password')],
    ['in one session', apart('session usess_1')],
  ])('%s', async (_way, attempt) => {
    await sql.begin((tx) => forgetEveryTry(tx, user_id))
    let judged = 0
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
      for (let tries = 0; tries < 11; tries++) if (await attempt()) judged++
      await clock.advance(5 * minute_ms)
    }
    expect(judged).toBe(480)
  })
})
