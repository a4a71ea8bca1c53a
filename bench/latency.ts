// Latency against load: creates, reads and whole checkouts that arrive at rising rates, up to more than can be served.
// A full run draws each as a picture, for README.md.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { closedLoad, openClients, openLoad, type Work } from './load.ts'
import { type Plot, type Point, plotLatency } from './plot.ts'
import { machine, percentile, type Table, whole } from './report.ts'
import { type Started, withDataFolder, withService } from './service.ts'
import { creating, makeSessions, openTill, reading } from './work.ts'

type Series = { name: string; title: string; load: string; rates: number[]; clients_warm: number }

const series = [
  {
    name: 'create',
    title: 'Session create',
    load: 'creates offered a second',
    rates: [250, 500, 1000, 2000, 3000, 4000, 5000, 6000],
    clients_warm: 64,
  },
  {
    name: 'read',
    title: 'Session read',
    load: 'reads offered a second',
    rates: [250, 500, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000],
    clients_warm: 64,
  },
  {
    name: 'checkout',
    title: 'Whole checkout',
    load: 'checkouts offered a second',
    rates: [10, 25, 50, 75, 100, 125, 150, 175, 200, 225, 250],
    clients_warm: 32,
  },
] as const satisfies Series[]

const clients_max = 256
/** Below this share of what is offered, or above this p99, a series has left what can be served, and ends. */
const served_share_min = 0.95
const p99_ms_max = 1000
/** A p99 of fewer would be the longest alone. */
const pieces_min = 250

export async function latency({ quick }: { quick: boolean }): Promise<Table[]> {
  const seconds = quick ? 2 : 8
  const found = await withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const works = await openWorks(service)
      const all: { title: string; points: Point[] }[] = []
      for (const { name, title, load, rates, clients_warm } of series) {
        const warm = await openClients(service.base_url, clients_warm)
        await closedLoad(warm, { seconds: seconds / 2 }, works[name])
        for (const client of warm) client.close()
        const short = rates.filter((_, at) => at === 1 || at === 3)
        const points = await climb(service, works[name], { rates: quick ? short : rates, seconds })
        if (!quick) draw(name, { title: `${title}: latency by load`, load, points })
        all.push({ title, points })
      }
      return all
    }),
  )
  const rows = found.flatMap(({ title, points }) =>
    points.map((point) => [
      title.toLowerCase(),
      whole(point.offered),
      whole(point.served),
      ...[point.p50_ms, point.p95_ms, point.p99_ms].map((time) => time.toFixed(1)),
    ]),
  )
  const headings = ['', 'offered /s', 'served /s', 'p50 ms', 'p95 ms', 'p99 ms']
  const notes = [
    `Each row ${seconds} s, or as long as ${pieces_min} need to arrive. The time counts from when a request, or a checkout, should have begun. A series ends where less than ${served_share_min * 100} % of what is offered is served, or where p99 is over a second.`,
  ]
  return [{ name: 'latency', headings, rows, notes }]
}

async function openWorks(service: Started): Promise<Record<(typeof series)[number]['name'], Work>> {
  const clients = await openClients(service.base_url, 1)
  const session_ids = await makeSessions(clients, service)
  for (const client of clients) client.close()
  return {
    create: creating(service),
    read: reading(service, session_ids),
    checkout: openTill(service).pay,
  }
}

/** One step after another, until one is too high. Throws where a request failed. */
async function climb(
  { base_url }: Started,
  work: Work,
  { rates, seconds }: { rates: readonly number[]; seconds: number },
): Promise<Point[]> {
  const points: Point[] = []
  for (const offered of rates) {
    const length = Math.max(seconds, pieces_min / offered)
    const load = await openLoad(base_url, { per_second: offered, seconds: length, clients_max }, work)
    if (load.failed > 0) throw new Error(`${load.failed} failed at ${offered} a second`)
    const served = load.done / Math.max(load.seconds, length)
    const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => percentile(load.latencies_ms, share)) as [
      number,
      number,
      number,
    ]
    const is_over = served < offered * served_share_min || p99_ms > p99_ms_max
    points.push({ offered, served, p50_ms, p95_ms, p99_ms, is_over })
    if (is_over) break
  }
  return points
}

function draw(name: string, plot: Omit<Plot, 'caption'>): void {
  const picture = plotLatency({ ...plot, caption: machine() })
  writeFileSync(fileURLToPath(new URL(`latency-${name}.svg`, import.meta.url)), picture)
}
