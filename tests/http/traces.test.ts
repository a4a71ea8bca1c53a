// Traces of the whole service, as a collector receives them: what belongs to a request, and what must never be in it.

import { afterEach, describe, expect, test } from 'vitest'
import { openTracing } from '../../src/outgoing/tracing/open-tracing.ts'
import { type CollectedSpan, type Collector, openCollector } from '../support/collector.ts'
import { freshDatabase } from '../support/database.ts'
import { openReceiver } from '../support/receiver.ts'
import { type LogLine, logInto, type Service, type ServiceOptions, startService, until } from '../support/service.ts'
import { realClock } from '../support/world.ts'

const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

type Stage = Service & { collector: Collector; sent(): Promise<CollectedSpan[]>; lines: LogLine[] }

async function start(options: ServiceOptions & { share?: number } = {}): Promise<Stage> {
  const collector = await openCollector()
  const lines: LogLine[] = []
  const world = { clock: realClock, log: logInto(lines) }
  const { endpoint } = collector
  const traces = { endpoint, headers: { 'x-collector': 'key' }, share: options.share ?? 1 }
  const tracing = (await openTracing({ traces }, world))!
  const service = await startService({ ...options, tracing })
  closings.push(collector.close, service.close)
  /** Ends tracing: what was begun until then is sent. */
  const sent = async () => {
    await tracing.close()
    return collector.spans
  }
  return { ...service, collector, sent, lines }
}

const number = '4242424242424242'

describe('a payment', () => {
  test('has a span for each request, and below it its statements, 3-D Secure and the acquirer', async () => {
    const stage = await start()
    const { client, collector, sent } = stage
    const session = await client.open()
    await client.present(session, number)
    const confirmed = await client.confirm(session)
    expect(confirmed.body.status).toBe('captured')
    const request_id = confirmed.headers.get('rip-request-id')
    const spans = await sent()

    const confirm = spans.find(({ name }) => name.endsWith('/confirm'))!
    expect(confirm).toMatchObject({
      name: 'POST /v1/checkout/sessions/:session_id/confirm',
      parent_id: null,
      has_failed: false,
      facts: {
        'http.response.status_code': 200,
        'ripper.request_id': request_id,
        'ripper.merchant_id': stage.account.merchant_id,
      },
      resource: { 'service.name': 'ripper', 'service.version': '0.1.0' },
    })
    const below = collector.below(confirm)
    expect(below).toContainEqual(
      expect.objectContaining({
        name: 'acquirer authorise',
        facts: {
          'ripper.acquirer': 'simulator',
          'ripper.mode': 'test',
          'ripper.result': 'approved',
          'ripper.request_id': request_id,
        },
      }),
    )
    const written = below.filter(({ name }) => name.includes('insert events'))
    expect(written).toHaveLength(1)
    expect(written[0]!.name).toMatch(
      /^update acquirer_operations, update attempts, update sessions, insert payments, insert events\b/,
    )
    // The simulated acquirer keeps its books in the database, too.
    const [call] = below.filter(({ name }) => name === 'acquirer authorise')
    expect(collector.below(call!).map(({ name }) => name)).toContain('insert simulator.ledger')

    const authenticate = spans.find(({ name }) => name.endsWith('/authenticate'))!
    const asked = collector.below(authenticate).map(({ name }) => name)
    expect(asked).toEqual(expect.arrayContaining(['three_ds enrolment', 'three_ds authenticate']))
    const create = spans.find(({ name }) => name === 'POST /v1/checkout/sessions')!
    expect(collector.below(create).map(({ name }) => name)).toContain('write session')
    expect(collector.headers[0]).toMatchObject({ 'x-collector': 'key' })
  })

  test('leaves every span under the id of its request, and only names, ids, states and codes', async () => {
    const { client, sent, collector, account, log } = await start()
    const session = await client.open()
    await client.present(session, number)
    await client.confirm(session)
    const spans = await sent()
    const ids = log.map(({ fields }) => (fields as { request_id?: string }).request_id)
    const roots = new Map(spans.flatMap((each) => (each.parent_id ? [] : [[each.trace_id, each]])))
    expect(spans.length).toBeGreaterThan(15)
    for (const { trace_id, facts } of spans) {
      const { facts: first } = roots.get(trace_id)!
      expect(facts['ripper.request_id']).toBe(first['ripper.request_id'])
      expect(ids).toContain(facts['ripper.request_id'])
    }
    const secrets = [number, session.client_secret, account.secret_key, 'jo@example.com']
    const all = spans.map(({ name, facts }) => JSON.stringify([name, facts])).join('\n')
    for (const secret of secrets) {
      expect(collector.bodies.join()).not.toContain(secret)
    }
    const known =
      /^(http\.(request\.method|route|response\.status_code)|db\.(system\.name|query\.summary)|error\.type|ripper\.(request_id|merchant_id|code|acquirer|mode|result|three_ds_provider))$/
    const named = new Set(spans.flatMap(({ facts }) => Object.keys(facts)))
    expect([...named].filter((name) => !known.test(name))).toEqual([])
    expect(all).not.toContain(session.id)
  })
})

describe('what a caller sends', () => {
  test('neither hides a request nor joins it to a trace, from a trusted proxy neither', async () => {
    const { base_url, sent } = await start({ trusted_proxies: ['127.0.0.1'] })
    const trace_id = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${trace_id}-b7ad6b7169203331-00`, tracestate: 'x=1' }
    await fetch(`${base_url}/nowhere/4242424242424242`, { headers })
    const spans = await sent()
    expect(spans).toMatchObject([{ name: 'GET unknown', parent_id: null }])
    expect(spans[0]!.trace_id).not.toBe(trace_id)
    expect(JSON.stringify(spans)).not.toContain('4242')
  })

  test('leaves no span where the gateway limit refuses it, nor do health checks and streams', async () => {
    const stage = await start({ gateway_limit: 3 })
    const { base_url, sent, account } = stage
    for (let asked = 0; asked < 10; asked++) await fetch(`${base_url}/nowhere`)
    for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(base_url + path)
    const gone = new AbortController()
    const { signal } = gone
    const stream = await fetch(`${base_url}/v1/events/stream`, {
      headers: { 'x-service-api-key': account.secret_key },
      signal,
    })
    expect(stream.status).toBe(200)
    gone.abort()
    const spans = await sent()
    expect(spans.filter(({ parent_id }) => parent_id === null).map(({ name }) => name)).toEqual(
      Array.from({ length: 3 }, () => 'GET unknown'),
    )
  })

  test('marks a failure of ours by its code, without its words', async () => {
    const { client, sql, sent, log } = await start()
    const session = await client.open()
    await sql`alter table sessions rename to moved`
    await client.readSession(session.id).catch(() => {})
    await sql`alter table moved rename to sessions`
    const spans = await sent()
    const failed = spans.filter(({ has_failed }) => has_failed)
    expect(failed.map(({ facts }) => facts['error.type'])).toEqual(['42P01', '500'])
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(1)
  })
})

test('a part of the traces is recorded where a share is asked for, each whole or not at all', async () => {
  const { client, sent, collector } = await start({ share: 0.3 })
  const sessions = []
  for (let asked = 0; asked < 60; asked++) sessions.push(await client.open())
  const spans = await sent()
  const creates = spans.filter(({ name }) => name === 'POST /v1/checkout/sessions')
  expect(creates.length).toBeGreaterThan(2)
  expect(creates.length).toBeLessThan(45)
  for (const create of creates) {
    expect(collector.below(create).map(({ name }) => name)).toContain('write session')
  }
})

test('a webhook attempt is a trace of its own, and its receiver hears nothing of it', async () => {
  const receiver = await openReceiver(({ socket }) => socket.end('HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n'))
  closings.push(receiver.close)
  const { client, sent, collector, log } = await start({ deliver: {} })
  await client.createEndpoint({ url: `${receiver.url}/hooks?secret=s3cr3t` })
  const session = await client.open()
  await client.present(session, number)
  await client.confirm(session)
  const { head } = await receiver.received(1)
  expect(head).not.toMatch(/traceparent|tracestate|baggage/i)
  await until(
    async () => log,
    (lines) => lines.some(({ message }) => message === 'webhook attempt'),
  )
  const spans = await sent()
  const attempts = spans.filter(({ name }) => name === 'webhook attempt')
  expect(attempts).toMatchObject([
    {
      parent_id: null,
      facts: {
        'server.address': '127.0.0.1',
        'ripper.event_id': expect.stringMatching(/^evt:pay_/),
        'ripper.attempt_number': 1,
        'http.response.status_code': 500,
      },
    },
  ])
  expect(collector.bodies.join()).not.toContain('s3cr3t')
})

test('requests that are answered at the same time keep their steps apart', async () => {
  const { client, sent, collector } = await start()
  const session = await client.open()
  await client.present(session, number)
  await client.confirm(session)
  await client.readSession(session.id)
  await Promise.all(Array.from({ length: 30 }, () => client.readSession(session.id)))
  const spans = await sent()
  const reads = spans.filter(({ name }) => name === 'GET /v1/checkout/sessions/:session_id')
  expect(reads).toHaveLength(31)
  // The key is read again by whichever comes first after the settings were heard to have changed.
  const stepsOf = (read: CollectedSpan) =>
    collector.below(read).flatMap(({ name }) => (name === 'select api_keys' ? [] : [name]))
  const [alone, ...others] = reads.map(stepsOf)
  expect(alone!.length).toBeGreaterThan(0)
  for (const steps of others) expect(steps).toEqual(alone)
})

test('a transaction has a span for each statement, and none after the end of its trace', async () => {
  const collector = await openCollector()
  closings.push(collector.close)
  const traces = { endpoint: collector.endpoint, headers: null, share: 1 }
  const tracing = (await openTracing({ traces }, { clock: realClock, log: logInto([]) }))!
  const database = await freshDatabase()
  const { sql, close } = await database.open({ tracing })
  closings.push(database.drop, close)
  const span = tracing.begin('work', 'server', {}, { 'ripper.request_id': 'req_1' })
  await span.within(async () => {
    await sql.begin(async (tx) => {
      await tx`select 1 from payments`
      await tx`update sessions set items = null where session_id = 'cs_x'`
    })
    const failed = sql.begin((tx) => tx`select ${'4242'}::int / 0 from holds`)
    await failed.catch(() => {})
    span.end()
    await sql`select 1 from events`
  })
  await sql`select 1 from events`
  await tracing.close()
  const { spans } = collector
  expect(spans.map(({ name, facts }) => [name, facts['error.type']])).toEqual([
    ['select payments', undefined],
    ['update sessions', undefined],
    ['select holds', expect.stringMatching(/^[0-9A-Z]{5}$/)],
    ['work', undefined],
  ])
  expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1)
  expect(spans.map(({ facts }) => facts['ripper.request_id'])).toEqual(spans.map(() => 'req_1'))
})
