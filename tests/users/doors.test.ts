// The doors of the dashboard: every route × every role × another merchant, from the records; and what no page of others may.

import { describe, expect, test } from 'vitest'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { may, roles } from '../../src/users/roles.ts'
import type { Door, DoorRule } from '../../src/users/signed-in.ts'
import { linkFor, newMember, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const other = await service.newAccount()

const doors = dashboardRoutes.map((route) => {
  const { door } = route.access as unknown as DoorRule<unknown>
  const path = route.path.replace('/dashboard/api', '')
  return { name: `${route.method} ${path}`, method: route.method as string, path, door }
})
const ofMerchants = doors.filter(({ door }) => door.who === 'member')
const anybodys = ['visitor', 'half', 'locked']

/** Nothing has these ids, so that what is let through changes nothing. */
function filled(path: string, merchant_id: string): string {
  return path.replace('{merchant_id}', merchant_id).replace(/\{(\w+)\}/g, (_, name) => `${name}_${'0'.repeat(24)}`)
}

const members = await Promise.all(roles.map((role) => newMember(service, { role })))

test('every record says who passes', () => {
  expect(doors.filter(({ door }) => !door).map(({ name }) => name)).toEqual([])
  const paths = ofMerchants.map(({ path }) => path)
  expect(paths.filter((path) => !path.startsWith('/{merchant_id}/'))).toEqual([])
  expect(paths.length).toBeGreaterThan(5)
})

describe.each(roles.map((role, at) => ({ role, member: members[at]! })))('$role', ({ role, member }) => {
  const body = (method: string) => (method === 'GET' ? undefined : {})

  /** In the mode that the door finds for a request that names none, and else in the strictest. */
  async function isLet({ permission, mode }: Door): Promise<boolean> {
    const { merchant_id } = service.account
    const find = typeof mode === 'function' ? mode : async () => (mode === 'any' ? 'test' : null)
    const found = await find(service.context, { merchant_id }, () => ({}))
    return may(role, permission!, found ?? 'live')
  }

  test.each(ofMerchants)('$name', async ({ method, path, door }) => {
    const { status, body: said } = await member.send(method, filled(path, service.account.merchant_id), body(method))
    if (await isLet(door)) expect([401, 403]).not.toContain(status)
    else expect([status, said.error]).toEqual([403, 'permission_denied'])
  })

  test.each(ofMerchants)("$name of another merchant is as if it weren't there", async (record) => {
    const { method, path } = record
    const ask = (merchant_id: string) => member.send(method, filled(path, merchant_id), body(method))
    const theirs = await ask(other.merchant_id)
    const nobodys = await ask(`m_${'0'.repeat(24)}`)
    expect(refusalIn(theirs)).toBe('404 resource_not_found')
    expect(theirs.body.message).toBe(nobodys.body.message)
  })
})

describe('who has not signed in', () => {
  test.each(doors.filter(({ door }) => !anybodys.includes(door.who)))('$name', async (record) => {
    const { method, path } = record
    const at = filled(path, service.account.merchant_id)
    const answer = await newPerson(service).send(method, at, method === 'GET' ? undefined : {})
    expect(refusalIn(answer)).toBe('401 sign_in_required')
  })

  test.each(doors.filter(({ door }) => door.who === 'half' || door.who === 'locked'))(
    '$name',
    async ({ method, path }) => {
      expect(refusalIn(await newPerson(service).send(method, path, {}))).toBe('401 sign_in_required')
    },
  )
})

test('an id that no database takes is one that nothing has', async () => {
  const stranger = newPerson(service)
  stranger.cookies.set('ripper', 'x')
  expect(refusalIn(await stranger.get('/%00/team'))).toBe('401 sign_in_required')
  expect(refusalIn(await members[0]!.get('/%00/team'))).toBe('404 resource_not_found')
})

describe('half a session', async () => {
  const member = members[0]!
  test.each(doors.filter(({ door }) => !anybodys.includes(door.who)))('$name', async (record) => {
    await service.sql`update user_sessions set is_half = true where user_id = ${member.user_id}`
    const at = filled(record.path, member.merchant_id)
    const answer = await member.send(record.method, at, record.method === 'GET' ? undefined : {})
    await service.sql`update user_sessions set is_half = false where user_id = ${member.user_id}`
    expect(refusalIn(answer)).toBe('401 sign_in_required')
  })
})

describe('what changes something comes from our own page, as JSON', () => {
  const changing = doors.filter(({ method }) => method !== 'GET')
  const own = newPerson(service).page.origin

  test.each([
    { of: 'another site', headers: { 'sec-fetch-site': 'cross-site' } },
    { of: 'a neighbour', headers: { 'sec-fetch-site': 'same-site', origin: own } },
    { of: 'an address bar', headers: { 'sec-fetch-site': 'none' } },
    {
      of: 'an old browser elsewhere',
      headers: { 'sec-fetch-site': null, origin: 'https://a.example' },
    },
    { of: 'nobody', headers: { 'sec-fetch-site': null } },
    { of: 'a frame without an origin', headers: { 'sec-fetch-site': null, origin: 'null' } },
  ])('not from $of', async ({ headers: sent }) => {
    const headers = { ...sent } as Record<string, string | null>
    for (const { method, path } of changing) {
      const at = filled(path, service.account.merchant_id)
      const answer = await members[0]!.send(method, at, {}, { headers })
      expect([path, refusalIn(answer)]).toEqual([path, '403 cross_site_request'])
    }
  })

  test('an old browser says by its origin that it is our page', async () => {
    const headers = { 'sec-fetch-site': null, origin: own }
    const answer = await members[0]!.post('/me/sessions/end-others', {}, { headers })
    expect(answer.status).toBe(200)
  })

  test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'not as %s',
    async (type) => {
      for (const { method, path } of changing) {
        const at = filled(path, service.account.merchant_id)
        const headers = { 'content-type': type }
        const answer = await members[0]!.send(method, at, undefined, { headers, raw: '{}' })
        expect([path, refusalIn(answer)]).toEqual([path, '415 invalid_request'])
      }
    },
  )

  test('not without a type', async () => {
    const answer = await members[0]!.send('POST', '/sign-out', undefined)
    expect(refusalIn(answer)).toBe('415 invalid_request')
  })
})

describe('where one may sign in', () => {
  test('over plain http from another machine nobody may', async () => {
    const outside = await startService({ dashboard_url: 'http://staff.shop.example' })
    const person = newPerson(outside, { host: 'staff.shop.example' })
    expect(refusalIn(await person.get('/me'))).toBe('403 insecure_origin')
    expect(refusalIn(await person.signInByPassword('a@b.example', 'x'))).toBe('403 insecure_origin')
    await outside.close()
  })

  test('not even where the service takes itself to be on loopback', async () => {
    const { port } = new URL(service.base_url)
    const headers = { host: `192.168.1.5:${port}` }
    expect(refusalIn(await members[0]!.get('/me', { headers }))).toBe('403 insecure_origin')
  })
})

describe('cookies', () => {
  test('on loopback are both, strict and hidden from scripts', async () => {
    const person = newPerson(service)
    const email = 'cookies@example.com'
    const answer = await person.redeem(await linkFor(service, { email }), { email })
    const cookies = answer.set_cookies
    expect(cookies.map((each) => each.replace(/=[\w-]{43};/, '=…;'))).toEqual([
      '__Host-ripper=…; Secure; HttpOnly; SameSite=Strict; Path=/',
      'ripper=…; HttpOnly; SameSite=Strict; Path=/',
    ])
    const me = await person.get('/me')
    expect(me.set_cookies).toEqual(['ripper=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/'])
    expect([...person.cookies.keys()]).toEqual(['__Host-ripper'])
  })

  test('a browser that keeps no secure cookie from plain http signs in by the other', async () => {
    const member = await newMember(service)
    const token = member.cookies.get('__Host-ripper')
    member.cookies.clear()
    member.cookies.set('ripper', token!)
    expect((await member.get('/me')).status).toBe(200)
  })

  test('behind https only the strict one is set, and only it is read', async () => {
    const secure = await startService({ dashboard_url: 'https://staff.shop.example' })
    const person = newPerson(secure, { host: 'staff.shop.example' })
    const email = 'jo@example.com'
    const { set_cookies } = await person.redeem(await linkFor(secure, { email }), { email })
    expect(set_cookies.map((each) => each.split('=')[0])).toEqual(['__Host-ripper'])
    expect((await person.get('/me')).status).toBe(200)
    const token = person.cookies.get('__Host-ripper')!
    person.cookies.clear()
    person.cookies.set('ripper', token)
    expect(refusalIn(await person.get('/me'))).toBe('401 sign_in_required')
    await secure.close()
  })
})
