// Alarms and dashboard, held against what the service measures: a metric or label that is renamed, or that nobody watches, is found
// here. Whether Prometheus understands the rules, and when they fire, is checked by `npm run rules`.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openMetrics } from '../../src/http/metrics.ts'
import { routes, streams } from '../../src/routes.ts'
import { startService } from '../support/service.ts'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')
const rules = read('deploy/prometheus/ripper.rules.yml')
const dashboard = JSON.parse(read('deploy/grafana/ripper.json'))
const watched = read('docs/operations/alarms.md')

type Panel = { id: number; type: string; title: string; targets?: { expr: string }[] } & {
  gridPos: { x: number; y: number; w: number; h: number }
}

const panels: Panel[] = dashboard.panels
const alarms = [...rules.matchAll(/^ {6}- alert: (\w+)\n {8}expr: (>-\n(?: {10}.*\n)+|.*\n)/gm)].map(
  ([, name, text]) => ({ name: name!, expression: text!.replace(/^>-\n/, '').trim() }),
)
const drawn = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ name: title, expression: expr })),
)

/** Every label of every metric, with each value that it can have; those of requests are added below. */
const measured = await measureEverything()

async function measureEverything(): Promise<Map<string, Map<string, Set<string>>>> {
  const metrics = openMetrics()
  for (const mode of ['test', 'live']) {
    for (const status of ['captured', 'held', 'declined', 'failed', 'pending']) {
      metrics.paymentConfirmed(status, mode)
    }
    metrics.sessionsPurged(mode, 1)
  }
  metrics.paymentBlocked('payer')
  metrics.paymentBlocked('merchant')
  metrics.requestEnded('POST', '/v1/checkout/sessions', 201, 0.1)
  metrics.streamsOpen(streams[0]!.path, 1)
  for (const status of ['succeeded', 'failed', 'dead_lettered']) {
    metrics.webhookAttempted(status, 1)
  }
  metrics.watchWebhookBreakers(() => ({ closed: 1, open: 1, half_open: 1 }))
  metrics.webhookBacklog('first', { depth: 1, oldest_due_seconds: 1 })
  metrics.webhookBacklog('retry', { depth: 1, oldest_due_seconds: 1 })
  metrics.settlementsWaiting({
    operations: { searching: 1, waiting_for_person: 1 },
    holds: { pending_review: 1, escalated: 1, overdue: 1 },
    orphans: { due: 1, unreversed: 1, held_back: 1 },
    brakes_pulled: 1,
    findings: 1,
  })
  metrics.noticeGivenUp('capture')
  for (const result of ['sent', 'given_up', 'unknown']) metrics.receiptEnded(result)
  metrics.watchClockSkew(() => 0)
  return samplesIn(await metrics.text())
}

function samplesIn(text: string): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>()
  for (const [, name, inside = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const labels = found.get(name!) ?? new Map<string, Set<string>>()
    found.set(name!, labels)
    for (const [, label, value] of inside.matchAll(/(\w+)="([^"]*)"/g)) {
      labels.set(label!, (labels.get(label!) ?? new Set()).add(value!))
    }
  }
  return found
}

/** What Prometheus adds to each sample, and what it measures itself. */
const of_prometheus = ['job', 'instance']
const open_labels = ['route', 'status', 'method']

type Selector = { metric: string; conditions: { label: string; sign: string; value: string }[] }

function selectorsIn(expression: string): Selector[] {
  const named = expression.matchAll(/\b((?:ripper|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)
  return [...named].map(([, metric, inside = '']) => ({
    metric: metric!,
    conditions: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label, sign, value]) => ({
      label: label!,
      sign: sign!,
      value: value!,
    })),
  }))
}

/** The labels by which an expression groups or joins. */
function groupsIn(expression: string): string[] {
  return [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names]) =>
    names!.split(', ').filter((name) => name !== ''),
  )
}

function faultsOf(expression: string): string[] {
  const selectors = selectorsIn(expression)
  const made = [...expression.matchAll(/label_replace\([^,]*(?:\{[^}]*\})?[^"]*"(\w+)"/g)]
  const labels = new Set([
    ...[...of_prometheus, ...made.map(([, label]) => label!)],
    ...selectors.flatMap(({ metric }) => [...(measured.get(metric)?.keys() ?? [])]),
  ])
  return [
    ...selectors.flatMap(({ metric, conditions }) =>
      metric === 'up' || measured.has(metric)
        ? conditions.flatMap((condition) => faultOf(metric, condition) ?? [])
        : [`no metric ${metric}`],
    ),
    ...groupsIn(expression).flatMap((name) => (labels.has(name) ? [] : [`no label ${name}`])),
  ]
}

function faultOf(metric: string, { label, value }: Selector['conditions'][number]): string | null {
  if (of_prometheus.includes(label)) return null
  const values = measured.get(metric)?.get(label)
  if (!values) return `${metric} has no ${label}`
  if (value.startsWith('$')) return null
  if (label === 'route') return isRoute(value) ? null : `no route ${value}`
  if (metric.startsWith('ripper_http_') && open_labels.includes(label)) return null
  const unknown = value.split('|').filter((one) => !values.has(one))
  return unknown.length === 0 ? null : `${metric} has no ${label} ${unknown}`
}

function isRoute(path: string): boolean {
  return path === '/readyz' || [...routes, ...streams].some((route) => route.path === path)
}

test('every alarm and every panel asks for what is measured', () => {
  expect(alarms.length).toBe(rules.match(/- alert:/g)!.length)
  expect(drawn.length).toBeGreaterThan(30)
  const faults = [...alarms, ...drawn].flatMap(({ name, expression }) =>
    faultsOf(expression).map((fault) => `${name}: ${fault}`),
  )
  expect(faults).toEqual([])
  for (const { name, expression } of [...alarms, ...drawn]) {
    expect([name, selectorsIn(expression).length > 0]).toEqual([name, true])
  }
})

test.each([
  ['sum(ripper_payment_total)', 'no metric ripper_payment_total'],
  ['max(ripper_waiting_holds{states="overdue"})', 'ripper_waiting_holds has no states'],
  ['max(ripper_waiting_holds{state="late"})', 'ripper_waiting_holds has no state late'],
  ['sum by (shop) (ripper_ready)', 'no label shop'],
  ['rate(ripper_http_request_duration_seconds_count{route="/v2"}[5m])', 'no route /v2'],
])('%s is found out', (expression, fault) => {
  expect(faultsOf(expression)).toEqual([fault])
})

describe('what the guide says to watch', () => {
  const names = [...new Set(watched.match(/\b(?:ripper|process|nodejs)_\w+(?=`)/g))]
  const asksFor = (asked: typeof alarms, metric: string) =>
    asked.some(({ expression }) =>
      selectorsIn(expression).some((each) => each.metric.replace(/_(bucket|count|sum)$/, '') === metric),
    )

  test.each(names)('%s has an alarm and is drawn', (name) => {
    expect([asksFor(alarms, name), asksFor(drawn, name)]).toEqual([true, true])
  })

  test('and it says what the service measures', () => {
    const own = read('src/http/metrics.ts').match(/(?<=name: ')ripper_\w+/g)!
    expect(names.filter((name) => name.startsWith('ripper_')).toSorted()).toEqual(own.toSorted())
  })
})

test('each alarm has a section that says what to do, and each section an alarm', () => {
  const sections = [...watched.matchAll(/^### (\w+)$/gm)].map(([, name]) => name!)
  expect(sections.toSorted()).toEqual(alarms.map(({ name }) => name).toSorted())
})

test('each alarm has a test in which it is up, and one in which it is not', () => {
  const tests = read('deploy/prometheus/ripper.rules.test.yml')
  const up = new Set([...tests.matchAll(/alertname: (\w+)\n/g)].map(([, name]) => name))
  const quiet = new Set([...tests.matchAll(/alertname: (\w+), exp_alerts: \[\]/g)].map(([, name]) => name))
  const names = alarms.map(({ name }) => name)
  expect([...up].toSorted()).toEqual(names.toSorted())
  expect(names.filter((name) => !quiet.has(name))).toEqual([])
})

describe('the dashboard', () => {
  test('is one that Grafana takes: ids once, panels side by side and not upon each other', () => {
    expect(dashboard).toMatchObject({ uid: 'ripper-checkout', schemaVersion: expect.any(Number) })
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
    expect(new Set(panels.map(({ type }) => type))).toEqual(new Set(['row', 'stat', 'timeseries']))
  })

  test('asks the data source that is chosen, by variables that it has', () => {
    const text = JSON.stringify(dashboard)
    const own = dashboard.templating.list.map(({ name }: { name: string }) => name)
    const named = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!))
    const others = [...named].filter((name) => !own.includes(name))
    // Grafana's own; a group of a regular expression.
    expect(others.toSorted()).toEqual(['1', '__all', '__rate_interval'])
    const sources = [...text.matchAll(/"uid":"(\$[^"]*)"/g)].map(([, uid]) => uid)
    expect(new Set(sources)).toEqual(new Set(['${' + 'datasource}']))
  })
})

describe('a service', () => {
  const started = startService()
  afterAll(async () => (await started).close())

  test('shows each of these metrics from its start, though some without a value', async () => {
    const { base_url } = await started
    const text = await (await fetch(`${base_url}/metrics`)).text()
    const asked = [...alarms, ...drawn].flatMap(({ expression }) => selectorsIn(expression))
    const names = new Set(asked.map(({ metric }) => metric.replace(/_(bucket|count|sum)$/, '')))
    names.delete('up')
    expect([...names].filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  // Otherwise Prometheus would not see the first one as a growth.
  test('counts from 0 what nearly never happens', async () => {
    const { base_url } = await started
    const text = await (await fetch(`${base_url}/metrics`)).text()
    for (const limit of ['payer', 'merchant']) {
      expect(text).toContain(`ripper_payments_blocked_total{limit="${limit}"} 0`)
    }
    expect(text).toContain('ripper_notices_given_up_total{about="capture"} 0')
    expect(text).toContain('ripper_webhook_dead_letters_total 0')
  })
})
