// The slowest of the whole checkouts at low rates: which of their steps were slow, and what the service's event loop did meanwhile.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, closedLoad, openClients, openLoad } from './load.ts'
import { type Watched, watch_variable } from './loop-watch.ts'
import { median, percentile, type Table } from './report.ts'
import { withDataFolder, withService } from './service.ts'
import { openTill } from './work.ts'

const rates = [50, 100, 200, 300]
const targets: Record<number, string> = { 50: '≤ 20', 100: '≤ 25', 300: '≤ 50' }
const clients_warm = 32
const clients_max = 256
const slowest = 100
const steps = ['create', 'card reference', 'authenticate', 'confirm']

/** A checkout, with how long each of its requests took. */
type Paid = { total_ms: number; steps_ms: number[] }

export async function tail({ quick }: { quick: boolean }): Promise<Table[]> {
  const seconds = quick ? 3 : 20
  return withDataFolder((data_dir) => {
    const file = join(data_dir, 'loop.jsonl')
    const watching = fileURLToPath(new URL('loop-watch.ts', import.meta.url))
    const settings = { NODE_OPTIONS: `--import ${watching}`, [watch_variable]: file }
    return withService(
      data_dir,
      async (service) => {
        const till = openTill(service)
        const warm = await openClients(service.base_url, clients_warm)
        await closedLoad(warm, { seconds: seconds / 4 }, till.pay)
        for (const client of warm) client.close()
        const rows: string[][] = []
        const slow: string[][] = []
        for (const per_second of quick ? [50, 100] : rates) {
          const paid: Paid[] = []
          const from_ms = Date.now()
          const load = await openLoad(service.base_url, { per_second, seconds, clients_max }, async (client, index) => {
            const timed = timing(client)
            const is_paid = await till.pay(timed.client, index)
            paid.push(timed.paid())
            return is_paid
          })
          if (load.failed > 0) throw new Error(`${load.failed} checkouts failed`)
          const watched = readWatched(file).filter(({ at_ms }) => at_ms > from_ms)
          rows.push(rowOf(per_second, load.latencies_ms, { watched, seconds }))
          slow.push(...stepsOf(per_second, paid))
        }
        return [
          { name: 'tail', headings, rows, notes: [noteOf(seconds)] },
          { name: 'tail-steps', headings: step_headings, rows: slow },
        ]
      },
      settings,
    )
  })
}

const headings = [
  ...['whole checkouts', 'p50 ms', 'p95 ms', 'p99 ms', 'p99, target ms', 'longest ms'],
  ...['loop late by, p99 ms', 'longest ms', 'major collections a second'],
]
const step_headings = ['median ms', ...steps, 'whole']

function noteOf(seconds: number): string {
  return `Each row ${seconds} s. The time counts from when a checkout should have begun. How late the event loop was is the worst of all half seconds, for p99 as well.`
}

function timing(client: Client): { client: Client; paid(): Paid } {
  const steps_ms: number[] = []
  const begun = performance.now()
  return {
    client: {
      ...client,
      async send(request) {
        const sent = performance.now()
        const answer = await client.send(request)
        steps_ms.push(performance.now() - sent)
        return answer
      },
    },
    paid: () => ({ total_ms: performance.now() - begun, steps_ms }),
  }
}

function readWatched(file: string): Watched[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Watched)
}

function rowOf(
  per_second: number,
  latencies_ms: number[],
  { watched, seconds }: { watched: Watched[]; seconds: number },
): string[] {
  const times = [0.5, 0.95, 0.99].map((share) => percentile(latencies_ms, share).toFixed(1))
  const worst = (of: 'p99' | 'longest') => Math.max(...watched.map((each) => each.delays_ms[of]))
  const majors = watched.reduce((sum, { major_collections }) => sum + major_collections, 0)
  return [
    `${per_second} arrive a second`,
    ...times,
    targets[per_second] ?? '',
    percentile(latencies_ms, 1).toFixed(1),
    worst('p99').toFixed(1),
    worst('longest').toFixed(1),
    (majors / seconds).toFixed(2),
  ]
}

/** The steps of all, and of the slowest. */
function stepsOf(per_second: number, paid: Paid[]): string[][] {
  const ordered = paid.toSorted((one, other) => other.total_ms - one.total_ms)
  const row = (name: string, of: Paid[]) => [
    `${per_second} a second, ${name}`,
    ...steps.map((_, at) => median(of.map(({ steps_ms }) => steps_ms[at]!)).toFixed(1)),
    median(of.map(({ total_ms }) => total_ms)).toFixed(1),
  ]
  return [row('all', ordered), row(`the slowest ${slowest}`, ordered.slice(0, slowest))]
}
