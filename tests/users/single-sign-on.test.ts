// Single sign-on against a real provider, `oidc-provider`, on loopback.

import { afterAll, describe, expect, test } from 'vitest'
import { singleSignOnOf } from '../../src/config/single-sign-on.ts'
import { callback_path } from '../../src/users/single-sign-on.ts'
import { openIdentityProvider } from '../support/oidc.ts'
import { exchange, linkFor, newMember, newPerson, refusalIn, type TeamMember } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const provider = await openIdentityProvider()
afterAll(() => provider.close())
const { issuer, client_id, client_secret } = provider
const service = await useService({
  single_sign_on: {
    issuer,
    client_id,
    client_secret,
    domains: ['shop.example'],
    is_required: true,
    is_trusted_for_factors: false,
  },
})
const { merchant_id } = service.account
const { origin } = new URL(service.context.addresses.dashboard_url())
provider.redirectTo(origin + callback_path)

type Browser = Pick<ReturnType<typeof newPerson>, 'cookies'>

/** Goes on as a browser does, with the cookies of each host, until `stop`. */
async function follow(browser: Browser, start: string, stop: (url: string) => boolean) {
  const jars = new Map([[new URL(issuer).port, new Map<string, string>()]])
  let url = start
  for (let hops = 0; hops < 10 && !stop(url); hops++) {
    const at = new URL(url)
    const jar = jars.get(at.port) ?? browser.cookies
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const from_own = hops === 0
    const headers = {
      ...(cookie && { cookie }),
      'sec-fetch-site': from_own ? 'same-origin' : 'cross-site',
      accept: 'text/html',
    }
    const answer = await exchange(url.replace('//localhost:', '//127.0.0.1:'), { headers })
    for (const each of answer.set_cookies) {
      const [pair, ...attributes] = each.split('; ')
      const name = pair!.slice(0, pair!.indexOf('='))
      if (/^max-age=0$/i.test(attributes.join(' ').split(' ')[0]!)) jar.delete(name)
      else jar.set(name, pair!.slice(name.length + 1))
    }
    url = new URL(answer.headers.location ?? 'about:blank', url).href
  }
  return url
}

const begin = `${origin}/dashboard/sign-in/oidc`
const is_over = (url: string) => url.startsWith(`${origin}/dashboard`) && !url.includes('/sign-in/')
const refused = `${origin}/dashboard#single-sign-on=refused`

const jo = { sub: 'jo-1', email: 'jo@shop.example', email_verified: true, name: 'Jo Doe' }

const invite = (email: string) => linkFor(service, { purpose: 'invite', email, merchant_id, role: 'viewer' })

test('the page learns the name of the provider', async () => {
  const { body } = await newPerson(service).get('/sign-in/ways')
  expect(body.single_sign_on).toEqual({
    name: '127.0.0.1',
    path: '/dashboard/sign-in/oidc',
    prove_path: '/dashboard/sign-in/oidc/prove',
  })
})

describe('somebody who was invited', () => {
  test('makes an account by it, and comes back by the account there', async () => {
    await invite(jo.email)
    provider.expect(jo)
    const person = newPerson(service)
    expect(await follow(person, begin, is_over)).toBe(`${origin}/dashboard`)
    const { user, memberships } = (await person.get('/me')).body
    expect(user).toMatchObject({ email: jo.email, name: 'Jo Doe' })
    expect(memberships).toMatchObject([{ merchant_id, role: 'viewer' }])
    provider.expect({ ...jo, email: 'renamed@else.example' })
    const again = newPerson(service)
    expect(await follow(again, begin, is_over)).toBe(`${origin}/dashboard`)
    expect((await again.get('/me')).body.user.user_id).toBe(user.user_id)
  })

  test('is somebody, so that no link to become the first owner counts any more', async () => {
    const printed = await linkFor(service, { is_operator: true })
    await invite('first@shop.example')
    provider.expect({ ...jo, sub: 'first', email: 'first@shop.example' })
    await follow(newPerson(service), begin, is_over)
    const thief = await newPerson(service).post('/links/read', { secret: printed })
    expect(refusalIn(thief)).toBe('410 link_withdrawn')
  })

  test.each([
    ['nobody invited', { ...jo, sub: 'a', email: 'a@shop.example' }, false],
    ['whose address is not verified', { ...jo, sub: 'b', email: 'b@shop.example', email_verified: false }, true],
    ['of another domain', { ...jo, sub: 'c', email: 'c@else.example' }, true],
  ])('%s stays outside', async (_who, account, is_invited) => {
    if (is_invited) await invite(account.email)
    provider.expect(account)
    const person = newPerson(service)
    expect(await follow(person, begin, is_over)).toBe(refused)
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
  })
})

describe('an account that exists', () => {
  const emailed = async (email: string): Promise<TeamMember> => {
    const member = await newMember(service)
    await service.sql`update users set email = ${email} where user_id = ${member.user_id}`
    return { ...member, email }
  }

  test('is not opened by its address', async () => {
    const member = await emailed('owner@shop.example')
    await invite(member.email)
    provider.expect({ ...jo, sub: 'thief', email: member.email })
    expect(await follow(newPerson(service), begin, is_over)).toBe(refused)
  })

  test('is linked by whoever is signed in, and then opened', async () => {
    const member = await emailed('link@shop.example')
    provider.expect({ ...jo, sub: 'linked', email: 'private@else.example', amr: ['pwd', 'mfa'] })
    expect(await follow(member, begin, is_over)).toBe(`${origin}/dashboard`)
    const again = newPerson(service)
    await follow(again, begin, is_over)
    expect((await again.get('/me')).body.user.user_id).toBe(member.user_id)
    const [row] = await service.sql`
      select factors from user_sessions where user_id = ${member.user_id} order by created_at desc limit 1`
    expect(row!.factors).toEqual(['oidc'])
  })

  test('with a passkey is not proved by the account there', async () => {
    const member = await emailed('keyed@shop.example')
    const linked = { ...jo, sub: 'keyed', email: 'keyed@else.example' }
    provider.expect(linked)
    expect(await follow(member, begin, is_over)).toBe(`${origin}/dashboard`)
    provider.expect(linked)
    expect(await follow(member, `${begin}/prove`, is_over)).toBe(refused)
  })

  test('is opened no more by an account that was linked before a reset', async () => {
    const member = await emailed('reset@shop.example')
    provider.expect({ ...jo, sub: 'before', email: 'before@else.example' })
    expect(await follow(member, begin, is_over)).toBe(`${origin}/dashboard`)
    const { email, user_id } = member
    const secret = await linkFor(service, { purpose: 'reset', email, user_id })
    expect((await newPerson(service).redeem(secret)).status).toBe(200)
    expect(await follow(newPerson(service), begin, is_over)).toBe(refused)
  })
})

describe('somebody who has nothing but the account there', async () => {
  const proved = `${origin}/dashboard#single-sign-on=proved`
  const prove = `${begin}/prove`
  const sole = { ...jo, sub: 'sole', email: 'sole@shop.example' }
  const person = newPerson(service)
  const grave = () => person.post(`/${merchant_id}/team/invitations`, { email: 'x@shop.example', role: 'viewer' })
  const join = async (browser: Browser) => {
    provider.expect(sole)
    return follow(browser, begin, is_over)
  }
  await linkFor(service, { purpose: 'invite', email: sole.email, merchant_id, role: 'admin' })
  await join(person)

  test('proves it by signing in there anew, which by itself is no proof', async () => {
    const refusal = await grave()
    expect([refusalIn(refusal), refusal.body.accepted]).toEqual(['403 proof_required', ['single_sign_on']])
    expect(refusalIn(await person.post('/me/passkeys/options'))).toBe('403 proof_required')
    const before = new Map(person.cookies)
    provider.expect(sole)
    expect(await follow(person, prove, is_over)).toBe(proved)
    expect(person.cookies.get('ripper')).not.toBe(before.get('ripper'))
    const made = await grave()
    expect(made.status, made.text).toBe(200)
    const { sessions } = (await person.get('/me/account')).body
    expect(sessions).toHaveLength(1)
    const [line] = await service.sql`
      select detail from journal where change = 'sign_in.proved' order by entry_id desc limit 1`
    expect(line!.detail).toMatchObject({ factors: ['oidc_alone'] })
  })

  const minutes_ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  test.each([
    ['a sign-in there of before', { ...sole, authenticated_at: minutes_ago(5) }],
    ['the account of a colleague', { ...jo }],
    ['an account that nobody here has', { ...sole, sub: 'nobody-here' }],
  ])('is not proved by %s', async (_what, account) => {
    const browser = newPerson(service)
    await join(browser)
    provider.expect(account)
    expect(await follow(browser, prove, is_over)).toBe(refused)
    const path = `/${merchant_id}/team/invitations`
    const answer = await browser.post(path, { email: 'y@shop.example', role: 'viewer' })
    expect(refusalIn(answer)).toBe('403 proof_required')
  })

  test('unlocks a session by it; one that has ended stays so', async () => {
    const browser = newPerson(service)
    await join(browser)
    const { session } = (await browser.get('/me')).body
    await service.sql`
      update user_sessions set seen_at = ${minutes_ago(16)} where session_id = ${session.session_id}`
    const locked = await browser.get('/me')
    expect([refusalIn(locked), locked.body.accepted]).toEqual(['401 session_locked', ['single_sign_on']])
    provider.expect(sole)
    expect(await follow(browser, prove, is_over)).toBe(proved)
    expect((await browser.get('/me')).body.session.session_id).toBe(session.session_id)
    const half_way = await follow(browser, prove, (url) => url.includes('/oidc/callback'))
    await service.sql`
      update user_sessions set ended_at = ${new Date()} where session_id = ${session.session_id}`
    expect(await follow(browser, half_way, is_over)).toBe(refused)
  })

  test('cannot begin where nobody is signed in', async () => {
    expect(await follow(newPerson(service), prove, is_over)).toBe(refused)
  })
})

describe('what comes back', () => {
  async function halfWay(person: Browser) {
    provider.expect(jo)
    return follow(person, begin, (url) => url.includes('/oidc/callback'))
  }

  test.each([
    ['without the cookie', (person: Browser) => person.cookies.clear()],
    ['with a cookie of somebody else', (person: Browser) => person.cookies.set('ripper-oidc', 'AAAA')],
  ])('%s is worth nothing', async (_how, spoil) => {
    const person = newPerson(service)
    const url = await halfWay(person)
    spoil(person)
    expect(await follow(person, url, is_over)).toBe(refused)
  })

  test('in another browser is worth nothing', async () => {
    const [victim, attacker] = [newPerson(service), newPerson(service)]
    const url = await halfWay(attacker)
    await halfWay(victim)
    expect(await follow(victim, url, is_over)).toBe(refused)
  })

  test('works once', async () => {
    const person = newPerson(service)
    const url = await halfWay(person)
    const kept = new Map(person.cookies)
    expect(await follow(person, url, is_over)).toBe(`${origin}/dashboard`)
    person.cookies.clear()
    for (const [name, value] of kept) person.cookies.set(name, value)
    expect(await follow(person, url, is_over)).toBe(refused)
  })
})

test('passwords of the domain are shut, but for operators', async () => {
  const password = 'cobalt harbour 41'
  const signIn = async (email: string, is_operator: boolean) => {
    const secret = await linkFor(service, { email, is_operator })
    await newPerson(service).redeem(secret, { email, password })
    return (await newPerson(service).signInByPassword(email, password)).status
  }
  expect(await signIn('shut@shop.example', false)).toBe(401)
  expect(await signIn('open@else.example', false)).toBe(200)
  expect(await signIn('chief@shop.example', true)).toBe(200)
})

test.each([
  [{ client_id: null }, 'RIPPER_OIDC_CLIENT_ID must be set where RIPPER_OIDC_ISSUER is.'],
  [{ client_secret: null }, 'RIPPER_OIDC_CLIENT_SECRET must be set'],
  [{ required: 'on' as const }, 'RIPPER_OIDC_DOMAINS must name the domains'],
])('%j', (change, words) => {
  const off = { required: 'off' as const, second_factor: 'off' as const, domains: [] }
  const whole = { issuer, client_id, client_secret, ...off }
  expect(() => singleSignOnOf({ ...whole, ...change })).toThrow(words)
  expect(singleSignOnOf({ ...whole, issuer: null })).toBeNull()
})
