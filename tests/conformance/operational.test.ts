// What operators and tools read, and the gateway's limit.

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { type Json, openClient } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { resolve } from '../support/schema.ts'
import { drivenClock, startService } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service

test('health, readiness and metrics', async () => {
  await client.pay()
  const read = async (path: string) => {
    const answer = await fetch(service.base_url + path)
    return `${answer.status} ${await answer.text()}`
  }
  expect(await read('/healthz')).toBe('200 ok\n')
  expect(await read('/readyz')).toBe('200 ready\n')
  const metrics = await read('/metrics')
  expect(metrics).toContain('ripper_payments_total{status="captured",mode="test"} 1')
  expect(metrics).toMatch(/ripper_http_request_duration_seconds_count\{.*confirm.*status="200".*\} 1/)
  expect(metrics).not.toMatch(/cs_[0-9a-f]{24}|pay_[0-9a-f]{24}/)
})

test('metrics are made once a second, however often they are read', async () => {
  const clock = manualClock()
  const metered = await startService({ clock })
  const { metrics } = metered.context
  const made = vi.spyOn(metrics, 'text')
  const read = async () => (await fetch(`${metered.base_url}/metrics`)).text()
  const [first, second] = await Promise.all([read(), read()])
  metrics.sessionsPurged('live', 7)
  expect(first).not.toContain('ripper_sessions_purged_total{')
  expect([second, await read()]).toEqual([first, first])
  expect(made).toHaveBeenCalledTimes(1)
  await clock.advance(1_000)
  expect(await read()).toContain('ripper_sessions_purged_total{mode="live"} 7')
  await metered.close()
})

test('metrics say whether the service is ready, also where nobody else asks', async () => {
  const clock = drivenClock()
  const { base_url, context, close } = await startService({ clock })
  const read = async () => (await fetch(`${base_url}/metrics`)).text()
  expect(await read()).toMatch(/^ripper_ready 1$/m)
  const { sql } = context
  const silence = Promise.withResolvers<unknown[]>()
  Object.assign(context, { sql: () => silence.promise })
  await clock.advance(1_000)
  const asleep = clock.nextSleep(1_000)
  const silent = read()
  await asleep
  await clock.advance(1_000)
  expect(await silent).toMatch(/^ripper_ready 0$/m)
  Object.assign(context, { sql })
  silence.resolve([])
  await clock.advance(1_000)
  expect(await read()).toMatch(/^ripper_ready 1$/m)
  await close()
})

test('the description says where its paths begin, so that a generated client reaches the service', async () => {
  const answer = await fetch(`${service.base_url}/openapi.json`)
  const { servers, paths } = (await answer.json()) as Json
  expect(servers).toHaveLength(1)
  const [{ url, variables }] = servers
  const filled = (base_url: string) => url.replace('{base_url}', base_url)
  expect(Object.keys(variables)).toEqual(['base_url'])
  expect(new URL(filled(variables.base_url.default)).origin).toBe(variables.base_url.default)
  const path = '/v1/payments'
  expect(paths).toHaveProperty([path, 'get'])
  expect((await fetch(filled(service.base_url) + path)).status).toBe(401)
})

test('the description names every route, and the page shows them', async () => {
  const document = await (await fetch(`${service.base_url}/openapi.json`)).json()
  expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes, events, streams))))
  const page = await (await fetch(`${service.base_url}/docs`)).text()
  for (const { method, path, summary, alias_of } of routes) {
    expect(document).toHaveProperty(['paths', alias_of ?? path, method.toLowerCase()])
    expect(page).toContain(path)
    expect(page).toContain(summary)
  }
  for (const { path, summary } of streams) {
    const { responses } = (document as Json).paths[path].get
    const { schema } = responses[200].content['text/event-stream']
    expect(resolve(schema.$ref, document as object)).toHaveProperty('anyOf')
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429']))
    expect(page).toContain(summary)
  }
})

test.each([
  ['customer.email', 'one @, and a dot in its domain; empty is none; at most 254 characters'],
  ['customer.name', 'at most 200 characters'],
  ['items[].sku', 'a line needs a sku or a name; at most 200 characters'],
  ['items[].name', 'required where the line has a unit_amount; at most 200 characters'],
  ['items[].quantity', '1 to 1,000,000'],
  ['items[].unit_amount', 'tax inclusive; times quantity at most 99999999999; 0 to 99,999,999,999'],
  ['items[].tax_rate', 'in basis points; 0 to 100,000'],
  ['items[].type', 'at most 32 characters'],
])('the page names the limits of %s', async (field, rule) => {
  const page = await (await fetch(`${service.base_url}/docs`)).text()
  const [, parents, name] = /^(.*\.)(.*)$/.exec(field)!
  const rows = page.split(`<code><span>${parents}</span>${name}</code>`).slice(1)
  const told = rows.map((row) => row.slice(0, row.indexOf('</div>')).toLowerCase())
  expect(told.some((row) => row.includes(rule.toLowerCase()))).toBe(true)
})

test('the description names what answers carry', async () => {
  const { paths, components } = openApiDocument(routes, events, streams) as Json
  for (const { responses } of Object.values<Json>(paths).flatMap((path) => Object.values<Json>(path))) {
    for (const [status, { headers }] of Object.entries<Json>(responses)) {
      const waits = status === '429' || status === '503'
      expect(headers).toHaveProperty('Rip-Request-Id')
      expect(Object.hasOwn(headers, 'Retry-After')).toBe(waits)
    }
  }
  expect(Object.keys(components.headers)).toEqual(['Rip-Request-Id', 'Retry-After', 'Rip-Error-Field'])
  const config = paths['/v1/checkout/config/{public_key}'].get.responses
  for (const status of [200, 304]) expect(config[status].headers).toHaveProperty('ETag')
  const confirm = paths['/v1/checkout/sessions/{session_id}/confirm'].post.responses
  const [expired, incomplete] = confirm[409].content['application/json'].schema.anyOf
  expect(expired.allOf[1].properties.error.enum).toEqual(['session_expired'])
  const [, { properties }, members] = incomplete.allOf
  expect(properties.error.enum).toEqual(['authentication_incomplete'])
  expect(members.required).toEqual(['attempt', 'three_ds'])
  expect(members.properties.three_ds).toEqual({ $ref: '#/components/schemas/ThreeDs' })
  const { state } = components.schemas.ThreeDs.properties
  expect(state.enum).toContain('awaiting_challenge')
})

test('answers of the API are never cached, framed or guessed at', async () => {
  const { headers } = await client.create()
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

test('the gateway limit', async () => {
  const limited = await startService({ gateway_limit: 5 })
  const { base_url, account } = limited
  const read = (path: string) => fetch(base_url + path, { headers: account.client.withKey })
  // All that comes from one address counts together, wherever it goes.
  const lost = ['/v1/payments/x', '/v1/checkout/sessions/x', '/nowhere']
  const undecodable = ['/v1/checkout/sessions/%ff', '/v1/payment_intents/%ff']
  for (const path of [...lost, ...undecodable]) {
    expect((await read(path)).status).toBe(404)
  }
  const answer = await read('/v1/payments/x')
  expect(answer.status).toBe(429)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  const seconds = Number(answer.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(answer.headers.get('rip-request-id')).toMatch(/^req_[0-9a-f]{24}$/)
  for (const path of undecodable) {
    const { status, headers } = await read(path)
    expect([status, headers.has('rip-request-id')]).toEqual([429, true])
  }
  expect((await read('/healthz')).status).toBe(200)
  await limited.close()
})

test('what the gateway limit refuses is summed up in the log', async () => {
  const limited = await startService({ gateway_limit: 5 })
  const lines = (level: string, message: string) =>
    limited.log.filter((line) => line.level === level && line.message === message)
  for (let asked = 0; asked < 50; asked++) await fetch(`${limited.base_url}/nowhere`)
  await fetch(`${limited.base_url}/v1/payment_intents/x`)
  await limited.close()
  const told = lines('warn', 'requests refused by the gateway limit')
  expect(told.map(({ fields }) => fields)).toEqual([{ requests: 1 }, { requests: 45 }])
  const requests = lines('info', 'request').map(({ fields }) => fields)
  expect(requests).toHaveLength(5)
  expect(requests).not.toContainEqual(expect.objectContaining({ status: 429 }))
  // Each is there for who asks for that much.
  expect(lines('debug', 'request')).toHaveLength(46)
})

test('what is no HTTP is summed up in the log, too', async () => {
  const told = await startService()
  const port = Number(new URL(told.base_url).port)
  for (let asked = 0; asked < 20; asked++) {
    const socket = connect(port, '127.0.0.1')
    socket.write('XX\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /)
  }
  await told.close()
  expect(told.log.filter(({ level }) => level === 'info')).toEqual(
    [1, 19].map((requests) => ({
      level: 'info',
      fields: { requests },
      message: 'requests refused that are no valid HTTP',
    })),
  )
})

test('the gateway limit counts an address once, whatever port a proxy writes behind it', async () => {
  const limited = await startService({ gateway_limit: 2, trusted_proxies: ['127.0.0.1'] })
  const { base_url } = limited
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await fetch(`${base_url}/nowhere`, { headers })).status
  }
  const one = ['203.0.113.7:1', '203.0.113.7:2', '203.0.113.7', '203.0.113.7:3, 127.0.0.1:4']
  for (const status of [404, 404, 429, 429]) expect(await from(one.shift()!)).toBe(status)
  expect(await from('[2001:db8::1]:1')).toBe(404)
  expect(await from('2001:db8::2')).toBe(404)
  expect(await from('[2001:db8::3]:2')).toBe(429)
  expect(await from('203.0.113.8')).toBe(404)
  await limited.close()
})

test('a failure of the service says nothing of its inside', async () => {
  const { id } = await client.open()
  await service.sql`update sessions set items = '7' where session_id = ${id}`
  const { base_url, secret_key } = client
  const answer = await openClient({ base_url, secret_key }).readSession(id)
  expect([answer.status, answer.body]).toEqual([
    500,
    { error: 'internal_error', message: null, request_id: expect.any(String) },
  ])
  const told = service.log.find(({ level }) => level === 'error')
  expect(told).toMatchObject({
    fields: { request_id: answer.body.request_id, stack: expect.any(String) },
    message: 'request failed',
  })
})
