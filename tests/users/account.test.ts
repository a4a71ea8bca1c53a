// My account: passkeys, and what an authenticator's answer may not be.

import { describe, expect, test } from 'vitest'
import { newMember, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })

describe('a further passkey', () => {
  test('signs in, ends the other sessions, and can be removed', async () => {
    const member = await newMember(service)
    const elsewhere = { ...newPerson(service), authenticator: member.authenticator }
    await clock.advance(1)
    const asked = (await elsewhere.post('/sign-in/passkey-options')).body
    await elsewhere.post('/sign-in/passkey', { passkey: member.authenticator.use(asked.options) })
    const { options } = (await member.post('/me/passkeys/options')).body
    expect(options.excludeCredentials).toMatchObject([{ id: member.authenticator.ids()[0] }])
    const passkey = member.authenticator.make(options)
    expect((await member.post('/me/passkeys', { name: ' Phone ', passkey })).status).toBe(204)
    expect(refusalIn(await elsewhere.get('/me'))).toBe('401 sign_in_required')
    const { passkeys } = (await member.get('/me/account')).body
    expect(passkeys).toMatchObject([{ name: 'First passkey' }, { name: 'Phone', used_at: null }])
    expect(refusalIn(await member.post('/me/passkeys', { name: 'Again', passkey }))).toBe('400 invalid_request')
    const [first] = member.authenticator.ids()
    expect((await member.remove(`/me/passkeys/${first}`)).status).toBe(204)
    await clock.advance(1)
    expect((await member.signIn()).status).toBe(200)
  })

  test('the only way in cannot be removed, nor somebody else’s', async () => {
    const [member, other] = [await newMember(service), await newMember(service)]
    const [own, theirs] = [member, other].map(({ authenticator }) => authenticator.ids()[0])
    expect(refusalIn(await member.remove(`/me/passkeys/${own}`))).toBe('400 invalid_request')
    expect(refusalIn(await member.remove(`/me/passkeys/${theirs}`))).toBe('404 resource_not_found')
    expect((await other.get('/me')).body.methods.passkeys).toBe(1)
  })
})

test('by a password alone nobody who has a passkey changes how they sign in', async () => {
  const member = await newMember(service)
  const password = 'cobalt harbour 41'
  expect((await member.post('/me/password', { password })).status).toBe(204)
  await member.post('/sign-out')
  expect((await member.signInByPassword(member.email, password)).body.next).toBe('signed_in')
  expect(refusalIn(await member.post('/me/passkeys/options'))).toBe('403 proof_required')
  expect(refusalIn(await member.post('/me/one-time-codes'))).toBe('403 proof_required')
  expect((await member.prove()).status).toBe(200)
  expect((await member.post('/me/passkeys/options')).status).toBe(200)
})

test('who has a password alone shows it again before they change how they sign in', async () => {
  const member = await newMember(service)
  const password = 'cobalt harbour 41'
  await member.post('/me/password', { password })
  await service.sql`delete from passkeys where user_id = ${member.user_id}`
  await member.post('/sign-out')
  await member.signInByPassword(member.email, password)
  expect((await member.post('/me/passkeys/options')).status).toBe(200)
  await clock.advance(5 * 60_000 + 1)
  const changes = ['/me/passkeys/options', '/me/one-time-codes', '/me/recovery-codes']
  for (const path of changes) {
    expect(refusalIn(await member.post(path))).toBe('403 proof_required')
  }
  const next = 'zebra lamp 44 quilt'
  expect(refusalIn(await member.post('/me/password', { password: next }))).toBe('403 proof_required')
  expect((await member.post('/proof', { password })).status).toBe(200)
  expect((await member.post('/me/password', { password: next })).status).toBe(204)
})

describe('an answer of an authenticator', () => {
  test.each([
    ['for another page', { origin: 'https://evil.example' }],
    ['for a page at a number', { origin: service.base_url }],
    ['that asked for no finger and no code', { is_verified: false }],
    ['to a challenge that nobody set', { challenge: Buffer.alloc(38).toString('base64url') }],
  ])('%s signs nobody in', async (_what, tricks) => {
    const member = await newMember(service)
    await clock.advance(1)
    const { body } = await member.post('/sign-in/passkey-options')
    const wrong = member.authenticator.use(body.options, tricks)
    const refused = await newPerson(service).post('/sign-in/passkey', { passkey: wrong })
    expect(refusalIn(refused)).toBe('401 sign_in_failed')
    const right = member.authenticator.use(body.options)
    expect((await newPerson(service).post('/sign-in/passkey', { passkey: right })).status).toBe(200)
  })

  test('comes within five minutes', async () => {
    const member = await newMember(service)
    await clock.advance(1)
    const { body } = await member.post('/sign-in/passkey-options')
    await clock.advance(5 * 60_000 + 1)
    const passkey = member.authenticator.use(body.options)
    const late = await newPerson(service).post('/sign-in/passkey', { passkey })
    expect(refusalIn(late)).toBe('401 sign_in_failed')
  })

  test('of a copy that counts less than the original is refused', async () => {
    const member = await newMember(service)
    await service.sql`update passkeys set counter = 9 where user_id = ${member.user_id}`
    await clock.advance(1)
    expect(refusalIn(await member.signIn())).toBe('401 sign_in_failed')
  })

  test('with any bit of its signature turned signs nobody in', async () => {
    const member = await newMember(service)
    await clock.advance(1)
    const { body } = await member.post('/sign-in/passkey-options')
    const passkey = member.authenticator.use(body.options)
    const bytes = Buffer.from(passkey.response.signature, 'base64url')
    for (let at = 0; at < bytes.length; at += 7) {
      const turned = Buffer.from(bytes)
      turned[at]! ^= 1 << (at % 8)
      const response = { ...passkey.response, signature: turned.toString('base64url') }
      const answer = await newPerson(service).post('/sign-in/passkey', {
        passkey: { ...passkey, response },
      })
      expect(refusalIn(answer)).toBe('401 sign_in_failed')
    }
  })
})

test('a disabled person is out at once, by every way', async () => {
  const member = await newMember(service)
  await service.sql`update users set disabled_at = ${clock.now()} where user_id = ${member.user_id}`
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
  await clock.advance(1)
  expect(refusalIn(await member.signIn())).toBe('401 sign_in_failed')
  const code = { code: member.recovery_codes[0] }
  expect(refusalIn(await member.post('/sign-in/recovery-code', code))).toBe('401 sign_in_failed')
})
