// What the gateway limit counts: everything but the service's own calls.

import { afterEach, describe, expect, test } from 'vitest'
import { testNumber } from '../../src/cards/test-cards.ts'
import { pages, routes, streams } from '../../src/routes.ts'
import { cardOf, runChallenge } from '../support/client.ts'
import { drivenClock, type Service, startService } from '../support/service.ts'

let service: Service | null = null
afterEach(() => service?.close())

async function statusesOf(limited: Service, { count, method, path }: { count: number; method: string; path: string }) {
  const statuses: number[] = []
  for (let asked = 0; asked < count; asked++) {
    const answer = await fetch(limited.base_url + path, { method, redirect: 'manual' })
    await answer.arrayBuffer()
    statuses.push(answer.status)
  }
  return statuses
}

const named = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')
const together = [
  ...['/', '/openapi.json', '/docs', '/llms.txt', '/docs/webhooks.md', '/docs/openapi.json'],
  ...['/checkout.js', '/assets/0123456789abcdef/checkout.js', '/card-fields/x', '/pay/x', '/demo'],
  ...['/simulator/three-ds/acs/method', '/simulator/three-ds/ds', '/simulator/nowhere', '/nowhere'],
  ...pages.filter(({ counted_apart }) => !counted_apart).map(({ path }) => named(path)),
  ...routes.filter(({ dialect }) => !dialect.startsWith('webhook')).map(({ path }) => named(path)),
  '/v1/payments/%ff',
]

describe('all of it together', () => {
  test('one request for each place, and the next is one too many wherever it goes', async () => {
    service = await startService({ gateway_limit: together.length })
    for (const path of together) {
      const [status] = await statusesOf(service, { count: 1, method: 'GET', path })
      expect([path, status]).not.toEqual([path, 429])
    }
    for (const path of together) {
      expect([path, await statusesOf(service, { count: 1, method: 'GET', path })]).toEqual([path, [429]])
    }
    expect(await statusesOf(service, { count: 1, method: 'PUT', path: '/v1/payments/x' })).toEqual([429])
  })

  test('what is refused for its path or host counts, too', async () => {
    service = await startService({ gateway_limit: 3 })
    const odd = { method: 'GET', path: '/%64ocs' }
    expect(await statusesOf(service, { ...odd, count: 4 })).toEqual([400, 400, 400, 429])
  })
})

describe('apart from all else, ten times as much', () => {
  test.each([
    ['health', 'GET', '/healthz', 200],
    ['health', 'GET', '/readyz', 200],
    ['health', 'GET', '/metrics', 200],
    ['results', 'POST', '/3ds/results', 200],
    ['preflights', 'OPTIONS', '/v1/checkout/sessions/x/confirm', 204],
    ['webhook routes', 'GET', '/v1/webhooks/endpoints', 401],
    ['streams', 'GET', streams[0]!.path, 401],
  ])('%s: %s %s', async (_, method, path, status) => {
    service = await startService({ gateway_limit: 1 })
    const expected = [...Array<number>(10).fill(status), 429]
    expect(await statusesOf(service, { count: 11, method, path })).toEqual(expected)
    expect(await statusesOf(service, { count: 2, method: 'GET', path: '/docs' })).toEqual([200, 429])
  })
})

test('the calls of test mode to itself are not counted', async () => {
  // The client reads the description once, by which it judges answers. Then: create, card reference, authenticate, our challenge
  // page, the bank's two, the way back, confirm. So there is room for no more.
  service = await startService({ gateway_limit: 9 })
  const { client } = service
  const session = await client.open()
  const { body: card } = await client.referenceCard(session, cardOf(testNumber('visa', { yz: '72' })))
  const { body } = await client.authenticate(session, card.card_reference)
  expect(body).toHaveProperty('three_ds.challenge.url')
  await runChallenge(body.three_ds.challenge.url)
  const paid = await client.confirm(session)
  expect([paid.status, paid.body.status]).toEqual([200, 'captured'])
})

test('no other sender passes for the service', async () => {
  service = await startService({ gateway_limit: 2 })
  const url = `${service.base_url}/simulator/three-ds/ds`
  const marks = ['', 'x'.repeat(64), '0'.repeat(64)]
  const statuses = []
  for (const mark of marks) {
    const answer = await fetch(url, { method: 'POST', headers: { 'rip-own-call': mark } })
    statuses.push(answer.status)
  }
  expect(statuses).toEqual([401, 401, 429])
})

test('what is counted apart has one limit together for each second, which ends with it', async () => {
  const clock = drivenClock()
  service = await startService({ gateway_limit: 600, clock })
  const options = { method: 'OPTIONS', path: '/v1/checkout/sessions/x/confirm' }
  const health = { method: 'GET', path: '/healthz' }
  const notice = { method: 'POST', path: '/acquirers/x/notices' }
  const all = [
    ...(await statusesOf(service, { ...options, count: 80 })),
    ...(await statusesOf(service, { ...health, count: 80 })),
    ...(await statusesOf(service, { ...notice, count: 41 })),
  ]
  expect([all.slice(0, 200).includes(429), all.at(-1)]).toEqual([false, 429])
  await clock.advance(1_000)
  expect(await statusesOf(service, { ...notice, count: 1 })).toEqual([401])
})
