// Session creates and reads over HTTP against the bare driver running the same statement, turn by turn.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Count, Order, Setting } from './bare-driver.ts'
import { closedLoad, type Load, openClients } from './load.ts'
import { median, percentile, type Table, whole } from './report.ts'
import { withDataFolder, withService } from './service.ts'
import { creating, makeSessions, reading } from './work.ts'

const concurrency = 64
/** The service's own default. */
const connections = 8

type Turn = { service: Load; bare: Count }

export async function createAndRead({ quick }: { quick: boolean }): Promise<Table[]> {
  const turns = quick ? 3 : 7
  const seconds = quick ? 1 : 5
  return withDataFolder((data_dir) =>
    withService(data_dir, async (service) => {
      const clients = await openClients(service.base_url, concurrency)
      const session_ids = await makeSessions(clients, service)
      const bare = await startBare({
        data_dir,
        merchant_id: service.merchant_id,
        session_ids,
        connections,
        concurrency,
      })
      try {
        const work = { create: creating(service), read: reading(service, session_ids) }
        const rows: string[][] = []
        for (const run of ['create', 'read'] as const) {
          const turn = async (): Promise<Turn> => ({
            service: await closedLoad(clients, { seconds }, work[run]),
            bare: await bare.run({ run, seconds }),
          })
          // The first turn warms both sides up.
          await turn()
          const measured: Turn[] = []
          while (measured.length < turns) measured.push(await turn())
          rows.push(rowOf(run, measured))
        }
        return [{ name: 'create-and-read', headings, rows, notes: [note(turns, seconds)] }]
      } finally {
        await bare.stop()
        for (const client of clients) client.close()
      }
    }),
  )
}

const headings = ['', 'service /s', 'bare driver /s', 'ratio', 'lowest', 'highest', 'target', 'p50 ms', 'p99 ms']
const targets = { create: 0.6, read: 0.5 }

function rowOf(run: 'create' | 'read', turns: Turn[]): string[] {
  const rate = ({ done, seconds }: Count | Load) => done / seconds
  const ratios = turns.map(({ service, bare }) => rate(service) / rate(bare))
  const failed = turns.reduce((sum, { service }) => sum + service.failed, 0)
  if (failed > 0) throw new Error(`${failed} requests to ${run} failed`)
  const latency = (share: number) =>
    median(turns.map(({ service }) => percentile(service.latencies_ms, share))).toFixed(1)
  return [
    run === 'create' ? 'session create' : 'session read',
    whole(median(turns.map(({ service }) => rate(service)))),
    whole(median(turns.map(({ bare }) => rate(bare)))),
    median(ratios).toFixed(2),
    Math.min(...ratios).toFixed(2),
    Math.max(...ratios).toFixed(2),
    `≥ ${targets[run].toFixed(1)}`,
    latency(0.5),
    latency(0.99),
  ]
}

function note(turns: number, seconds: number): string {
  return `Medians of ${turns} turns of ${seconds} s on each side; ${concurrency} requests or statements at once, ${connections} connections to the database.`
}

async function startBare(setting: Setting) {
  const program = fileURLToPath(new URL('bare-driver.ts', import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(setting)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await answerOf(child)
  return {
    async run(order: Order): Promise<Count> {
      child.send(order)
      return (await answerOf(child)) as Count
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController()
  const { signal } = over
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('the bare driver ended')
  })
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended])
    return answer
  } finally {
    over.abort()
    ended.catch(() => {})
  }
}
