// Whether creates, reads, lists, claims and confirms stay as fast while the database grows.

import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { startChild } from './deliver-child.ts'
import type { Ports, ReceiverOrder, ReceiverSetting } from './deliver-receiver.ts'
import { fill, type Ground, makeRoom, merchants, spanUntil } from './growth-fill.ts'
import { livePatterns } from './growth-lives.ts'
import type { Step } from './growth-load.ts'
import { steps } from './growth-steps.ts'
import { openClients } from './load.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { requestBytes } from './requests.ts'
import { barePool, type Started, withDataFolder, withService } from './service.ts'

const long = { sizes: [10_000, 1_000_000, 5_000_000], rounds: 5, seconds: 4 }
const short = { sizes: [1_000, 20_000, 50_000], rounds: 1, seconds: 0.5 }
const most_times = 1.3

/** What was found at a size. */
type SizeResult = { size: number; gigabytes: number; fill_seconds: number; times: Map<Step, Times> }
/** Medians of the rounds, in milliseconds, and the rounds' lowest and highest p99. */
type Times = { p50: number; p99: number; lowest: number; highest: number }

type Length = typeof long

export async function growth({ quick }: { quick: boolean }): Promise<Table[]> {
  const settings = { RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const length = quick ? short : long
  return withDataFolder((data_dir) =>
    withService(
      data_dir,
      (service) => withReceiver(data_dir, service, () => grow(data_dir, service, length)),
      settings,
    ),
  )
}

async function grow(data_dir: string, service: Started, length: Length): Promise<Table[]> {
  const sql = await barePool(data_dir, 2)
  const patterns = await livePatterns(sql, service)
  const span = spanUntil(Date.now())
  await makeRoom(sql, span)
  const found: SizeResult[] = []
  let from = 0
  for (const size of length.sizes) {
    const started = performance.now()
    await fill(data_dir, patterns, { from, to: size, span })
    await settle(sql)
    const fill_seconds = (performance.now() - started) / 1000
    console.error(`${whole(size)} sessions after ${whole(fill_seconds)} s …`)
    const ground = { data_dir, sql, service, span, size, seconds: length.seconds }
    found.push({ size, fill_seconds, ...(await measure(ground, length.rounds)) })
    from = size
  }
  await sql.end()
  return [tableOf(found, length)]
}

/** With an endpoint that takes every delivery at once. */
async function withReceiver<T>(data_dir: string, service: Started, work: () => Promise<T>): Promise<T> {
  const setting: ReceiverSetting = { answering: 1, hanging: 0, hang_ms: 0 }
  const log = `${data_dir}/receiver.log`
  const receiver = await startChild<ReceiverOrder>('deliver-receiver.ts', setting, log)
  try {
    const { answering } = await receiver.ask<Ports>({ order: 'ports' })
    const [client] = await openClients(service.base_url, 1)
    const { status } = await client!.send(
      requestBytes({
        method: 'POST',
        path: '/v1/webhooks/endpoints',
        headers: { 'x-service-api-key': service.secret_key },
        body: { url: `http://127.0.0.1:${answering[0]}/hooks` },
      }),
    )
    client!.close()
    if (status !== 201) throw new Error(`the endpoint was answered with ${status}`)
    return await work()
  } finally {
    await receiver.stop()
  }
}

/** Nothing of a fill is left to do: its rows are vacuumed and written to disk, and the jobs have passed over them. */
async function settle(sql: postgres.Sql): Promise<void> {
  await sql`vacuum (analyze)`
  await sql`checkpoint`
  for (let waited_ms = 0; waited_ms < 300_000; waited_ms += 250) {
    const [row] = await sql<{ is_at_rest: boolean }[]>`
      select not exists (select 1 from pg_stat_activity where backend_type = 'autovacuum worker')
        and not exists (select 1 from webhook_queue)
        and (select count(*) = ${merchants} * count(distinct age_seconds) from audit_looks) as is_at_rest`
    if (row!.is_at_rest) return
    await pause(250)
  }
  throw new Error('the jobs do not come to rest')
}

/** Enough for each of the service's connections to plan each statement anew, since a fill changes the statistics. */
const warm_seconds = 1

/**
 * The steps take turns, so that a machine that slows down slows them all. A short first round warms up and does not
 * count.
 */
async function measure(ground: Ground, rounds: number): Promise<Omit<SizeResult, 'size' | 'fill_seconds'>> {
  const all = new Map<Step, { p50: number; p99: number }[]>(steps.map((step) => [step, []]))
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = round === 0 ? Math.min(ground.seconds, warm_seconds) : ground.seconds
    for (const step of steps) {
      const unsorted = await step.round({ ...ground, seconds }).catch((error: Error) => {
        throw new Error(`${step.name}: ${error.message}`, { cause: error })
      })
      const times = unsorted.sort((a, b) => a - b)
      const found = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
      if (round > 0) all.get(step)!.push(found)
    }
  }
  const times = new Map<Step, Times>()
  for (const [step, found] of all) {
    const p99s = found.map(({ p99 }) => p99)
    times.set(step, {
      p50: median(found.map(({ p50 }) => p50)),
      p99: median(p99s),
      lowest: Math.min(...p99s),
      highest: Math.max(...p99s),
    })
  }
  const [row] = await ground.sql<{ bytes: number }[]>`
    select pg_database_size(current_database())::float8 as bytes`
  return { gigabytes: row!.bytes / 1e9, times }
}

function tableOf(found: SizeResult[], { rounds, seconds }: Length): Table {
  const smallest = found[0]!
  const rows = steps.flatMap((step) =>
    found.map(({ size, times }) => {
      const { p50, p99, lowest, highest } = times.get(step)!
      const first = smallest.times.get(step)!
      const compared = (now: number, then: number) => (size === smallest.size ? '' : (now / then).toFixed(2))
      return [
        step.name,
        whole(size),
        ...[p50, p99, lowest, highest].map((time) => time.toFixed(2)),
        compared(p50, first.p50),
        compared(p99, first.p99),
        size === smallest.size || step.isControl ? '' : `≤ ${most_times}`,
      ]
    }),
  )
  const notes = [
    `Medians of ${rounds} rounds of ${seconds} s a step, with the lowest and highest p99 of a round; whole checkouts for three times as long.`,
    `The database has ${found.map(({ size, gigabytes }) => `${gigabytes.toFixed(1)} GB at ${whole(size)}`).join(', ')} sessions; to fill it took ${found.map(({ fill_seconds }) => whole(fill_seconds)).join(', ')} s.`,
  ]
  return { name: 'growth', headings, rows, notes }
}

const headings = ['', 'sessions', 'p50 ms', 'p99 ms', 'lowest', 'highest', 'p50, times', 'p99, times', 'target']
