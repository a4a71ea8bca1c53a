// The page's document: its policy, the host that it is on, and what else is there.

import { describe, expect, test } from 'vitest'
import { exchange, newMember } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const html = { accept: 'text/html' }

describe.each(['/dashboard', '/dashboard/m_x/test/payments', '/dashboard/m_x/live/team?a=1'])('%s', (path) => {
  test('keeps out what is not ours, frames and caches', async () => {
    const { headers } = await exchange(service.base_url + path, { headers: html })
    const policy = headers['content-security-policy'] as string
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
  })
})

test('below the api there is no document', async () => {
  const { status, body } = await exchange(`${service.base_url}/dashboard/api/nothing`, {
    headers: html,
  })
  expect([status, body.error]).toEqual([404, 'resource_not_found'])
})

describe('on a host of its own', async () => {
  const apart = await startService({ dashboard_url: 'http://localhost:4000' })
  const at = async (path: string, host: string) =>
    (await exchange(apart.base_url + path, { headers: { ...html, host } })).status

  test.each([
    ['/dashboard', 404, 200],
    ['/dashboard/m_x/test/payments', 404, 200],
    ['/dashboard/api/me', 404, 401],
    ['/dashboard/api/nothing', 404, 404],
    ['/docs', 200, 404],
    ['/', 302, 404],
    ['/checkout.js', 200, 404],
    ['/v1/payments/pay_x', 401, 404],
    ['/pay/demo', 404, 404],
    ['/metrics', 200, 404],
  ])('%s', async (path, elsewhere, own) => {
    const found = [await at(path, 'shop.example'), await at(path, 'LOCALHOST:4000')]
    // A build without the dashboard says so.
    expect(found.map((status) => (status === 503 ? 200 : status))).toEqual([elsewhere, own])
  })

  test.each([
    'x@localhost:4000',
    '@localhost:4000',
    'localhost:4000#x',
    'localhost:4000?x',
    'localhost%3a4000',
    '%6cocalhost:4000',
    'localhost:4000/x',
  ])('not by %s', async (host) => {
    for (const path of ['/dashboard', '/dashboard/api/me', '/docs']) {
      expect(await at(path, host)).toBe(400)
    }
  })

  test('nor by a name that means the same elsewhere', async () => {
    for (const host of ['localhost.:4000', 'localhost', '127.0.0.1:4000', '127.1:4000', '2130706433:4000']) {
      expect([host, await at('/dashboard', host)]).toEqual([host, 404])
    }
  })

  test('one signs in there', async () => {
    const there = { ...apart, base_url: apart.base_url }
    const member = await newMember(there, { host: 'localhost:4000' })
    expect((await member.get('/me')).status).toBe(200)
    expect((await member.get('/me', { headers: { host: '127.0.0.1' } })).status).toBe(404)
    await apart.close()
  })
})
