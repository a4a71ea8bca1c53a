// From commit to receiver at fixed rates: latency, the backlog that is left, and the statements that the engine needs.

import type { Child } from './deliver-child.ts'
import type { EngineOrder, Offered, Statements } from './deliver-engine.ts'
import { makePayments, newSeries, type Series, targetOf } from './deliver-events.ts'
import { arrivals, drained, merchantsOf, queueDepth, type Stage, startEngine } from './deliver-stage.ts'
import { percentile, type Table, whole } from './report.ts'

/** How long events are offered: first what does not count, then what does. */
export type Length = { lead_seconds: number; seconds: number }

/** What was found of the endpoints that answer, in the time that counts. */
export type RateResult = {
  per_second: number
  /** From when the commit had returned to when the receiver had the whole body; ascending. */
  latencies_ms: number[]
  /** From when the event should have been committed, which no stall of the engine can hide; ascending. */
  since_due_ms: number[]
  deliveries: number
  statements: Statements
  /** Not settled when the last commit had returned, and how long until all were. */
  left: number
  drained_ms: number
}

const rates = [
  { per_second: 500, target: 'p50 < 10, p99 < 50' },
  { per_second: 1000, target: '' },
  { per_second: 1500, target: 'p99 < 250, no backlog' },
]
const polled_per_second = 500

export async function deliverRates(stage: Stage, length: Length): Promise<Table[]> {
  const { engine, answering } = stage
  const measure = (per_second: number, by: Child<EngineOrder>) =>
    offer(stage, newSeries(answering), { per_second, by, ...length })
  await engine.ask({ order: 'start' })
  // The first time warms all sides up.
  await measure(rates[0]!.per_second, engine)
  const found: RateResult[] = []
  for (const { per_second } of rates) found.push(await measure(per_second, engine))
  const other = await startEngine(stage)
  try {
    const polled = await measure(polled_per_second, other)
    return [latencies(found, polled, length), statementCounts(found)]
  } finally {
    await other.stop()
    await engine.ask({ order: 'stop' })
  }
}

/** Has a process commit a series at an even rate. Of its endpoints, those that hang are not looked at. */
export async function offer(
  stage: Stage,
  series: Series,
  how: Length & { per_second: number; by: Child<EngineOrder> },
): Promise<RateResult> {
  const { receiver, sql, answering } = stage
  const { per_second } = how
  const first = Math.round(per_second * how.lead_seconds)
  const count = first + Math.round(per_second * how.seconds)
  const merchants = merchantsOf(answering)
  const isLookedAt = (index: number) => merchants.includes(targetOf(series, index).merchant_id)
  await makePayments(sql, series, count)
  await receiver.ask({ order: 'note', count })
  const sent = await how.by.ask<Offered>({ order: 'offer', series, per_second, first, count })
  const ended_at = performance.now()
  const left = await queueDepth(sql, merchants)
  await drained(stage)
  const drained_ms = performance.now() - ended_at
  const at_ms = await arrivals(stage, isLookedAt)
  const indexes = [...at_ms.keys()].filter((index) => index >= first && isLookedAt(index))
  const since = (from_ms: Float64Array) => indexes.map((index) => at_ms[index]! - from_ms[index]!).sort((a, b) => a - b)
  return {
    per_second,
    latencies_ms: since(sent.committed_ms),
    since_due_ms: since(sent.due_ms),
    deliveries: count - first,
    statements: sent.statements,
    left,
    drained_ms,
  }
}

export const timeHeadings = ['p50 ms', 'p95 ms', 'p99 ms', 'longest ms']

export function timesOf(ascending: number[]): string[] {
  return [0.5, 0.95, 0.99, 1].map((share) => percentile(ascending, share).toFixed(1))
}

function latencies(found: RateResult[], polled: RateResult, { lead_seconds, seconds }: Length): Table {
  const row = (name: string, each: RateResult, target: string) => [
    name,
    ...timesOf(each.latencies_ms),
    target,
    percentile(each.since_due_ms, 0.99).toFixed(1),
    whole(each.left),
    whole(each.drained_ms),
  ]
  return {
    name: 'deliver-rates',
    headings: ['events a second', ...timeHeadings, 'target ms', 'p99 since due', 'left at the end', 'gone after ms'],
    rows: [
      ...found.map((each, at) => row(whole(each.per_second), each, rates[at]!.target)),
      row(`${whole(polled.per_second)}, from another process`, polled, ''),
    ],
    notes: [`Each row ${seconds} s, after ${lead_seconds} s that do not count.`],
  }
}

function statementCounts(found: RateResult[]): Table {
  const kinds = ['claims', 'settles', 'others'] as const
  return {
    name: 'deliver-statements',
    headings: ['statements per delivery', 'in all', ...kinds, 'target'],
    rows: found.map(({ per_second, deliveries, statements }) => {
      const counts = kinds.map((kind) => statements[kind])
      const all = counts.reduce((sum, count) => sum + count, 0)
      return [
        `at ${whole(per_second)} a second`,
        ...[all, ...counts].map((count) => (count / deliveries).toFixed(3)),
        per_second === 1000 ? '< 0.5' : '',
      ]
    }),
  }
}
