// How spans get to the collector, or do not: no request waits for it, none fails with it, and what is kept has a limit.

import { fileURLToPath } from 'node:url'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { afterEach, expect, test } from 'vitest'
import { openTracing } from '../../src/outgoing/tracing/open-tracing.ts'
import { openSpanQueue, spans_max } from '../../src/outgoing/tracing/span-queue.ts'
import { manualClock } from '../support/clock.ts'
import { type Collector, openCollector } from '../support/collector.ts'
import { freshDatabase } from '../support/database.ts'
import { serve } from '../support/programs.ts'
import { drivenClock, type LogLine, logInto, startService, until } from '../support/service.ts'

const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

const warnings = (lines: LogLine[]) =>
  lines.filter(({ message }) => message === 'traces lost').map(({ fields }) => fields)

/** A service that traces everything, to a collector that answers as given. */
async function traced(answer: Parameters<typeof openCollector>[0], clock = manualClock()) {
  const collector = await openCollector(answer)
  const lines: LogLine[] = []
  const traces = { endpoint: collector.endpoint, headers: null, share: 1 }
  const tracing = (await openTracing({ traces }, { clock, log: logInto(lines) }))!
  const service = await startService({ tracing })
  closings.push(collector.close, service.close)
  return { ...service, collector, tracing, lines }
}

test('a collector that refuses what it gets is told of in the log, and to nobody who asks', async () => {
  const { client, tracing, lines, collector } = await traced((response) => {
    response.writeHead(400).end('card 4242424242424242')
  })
  expect((await client.create()).status).toBe(201)
  await tracing.close()
  expect(collector.spans.length).toBeGreaterThan(1)
  expect(warnings(lines)).toEqual([{ spans: collector.spans.length, reason: expect.anything() }])
  expect(JSON.stringify(lines)).not.toContain('4242')
  expect((await client.create()).status).toBe(201)
})

test('a collector that never answers holds up neither requests nor the end', async () => {
  const clock = drivenClock()
  const { client, tracing, lines, collector } = await traced(() => {}, clock)
  expect((await client.create()).status).toBe(201)
  const asleep = clock.nextSleep(5_000)
  const closed = tracing.close()
  await asleep
  await until(
    async () => collector.bodies.length,
    (count) => count > 0,
  )
  await clock.advance(5_000)
  await closed
  expect(warnings(lines)).toEqual([{ spans: collector.spans.length, reason: 'not_answered' }])
})

test('no more spans are kept than some thousand, and the log counts the others once a minute', async () => {
  const clock = manualClock()
  const lines: LogLine[] = []
  const taken: number[] = []
  const never: SpanExporter = {
    export: (spans) => void taken.push(spans.length),
    shutdown: async () => {},
  }
  const { processor, close } = openSpanQueue(never, { clock, log: logInto(lines) })
  const end = (spans: number) => {
    for (let each = 0; each < spans; each++) processor.onEnd(span)
  }
  end(spans_max)
  expect(warnings(lines)).toEqual([])
  end(1_000)
  expect(taken).toEqual([512])
  expect(warnings(lines)).toEqual([{ spans: 1, reason: 'queue_full' }])
  await clock.advance(60_000)
  end(1)
  expect(warnings(lines).slice(1)).toEqual([{ spans: 1_000, reason: 'queue_full' }])
  const closed = close(5_000)
  await clock.advance(5_000)
  await closed
  expect(warnings(lines).slice(2)).toEqual([{ spans: spans_max, reason: 'not_answered' }])
})

const span = {
  spanContext: () => ({ traceId: '', spanId: '', traceFlags: 1 }),
  resource: {},
} as ReadableSpan

/** Says in which modules of OpenTelemetry's a process looks, but for the names that the library of metrics brings. */
const watcher = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ resolve(name, from, next) {
  if (/^@opentelemetry\\/(?!api$)/.test(name)) writeSync(2, 'loaded ' + name + '\\n')
  return next(name, from)
} })`)}`

async function served(env: Record<string, string>) {
  const database = await freshDatabase()
  closings.push(database.drop)
  const running = await serve({
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      RIPPER_PORT: '0',
      NODE_OPTIONS: `--import "${watcher}"`,
      ...env,
    },
  })
  expect((await fetch(`${running.said.base_url}/openapi.json`)).status).toBe(200)
  const { status, stderr } = await running.stop()
  expect(status).toBe(0)
  return stderr
}

test('without a collector the library is not even loaded', async () => {
  expect(await served({})).toBe('')
}, 30_000)

test('with one, a process sends what it has when it is stopped', async () => {
  const collector: Collector = await openCollector()
  closings.push(collector.close)
  const { endpoint } = collector
  const said = await served({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
    OTEL_SERVICE_NAME: 'tea',
  })
  expect(said).toContain('loaded @opentelemetry/sdk-trace')
  expect(collector.spans).toContainEqual(
    expect.objectContaining({
      name: 'GET /openapi.json',
      resource: expect.objectContaining({ 'service.name': 'tea' }),
    }),
  )
}, 30_000)
