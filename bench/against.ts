// This tree against another: the service of each, on a database of its own, under the same load turn by turn.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Client, closedLoad, openClients, type Work } from './load.ts'
import { cpuSeconds, familyCpuSeconds } from './proc.ts'
import { median, type Table, whole } from './report.ts'
import { databasePid, type Started, startService, withDataFolder } from './service.ts'
import { creating, makeSessions, openTill, reading } from './work.ts'

const kinds = ['session create', 'session read', 'whole checkout'] as const
type Kind = (typeof kinds)[number]
const clients_at_once = { 'session create': 64, 'session read': 64, 'whole checkout': 32 }

type Side = {
  clients: Client[]
  works: Record<Kind, Work>
  /** What service and database have had together so far. */
  cpuSeconds(): number
}
/** How much a second, and how much CPU time each took: that depends less on what else the machine does. */
type Measured = { per_second: number; cpu_us: number }
type Turn = { here: Measured; there: Measured }

/** `folder` is a checkout of this repository that has been set up. Throws where it is not. */
export async function against(folder: string, { quick }: { quick: boolean }): Promise<Table[]> {
  const there_root = resolve(folder)
  if (!existsSync(join(there_root, 'node_modules'))) {
    throw new Error(`${there_root} is no checkout in which npm install has run`)
  }
  const length = quick ? { turns: 5, seconds: 1 } : { turns: 21, seconds: 2 }
  return withSide(undefined, (here) =>
    withSide(there_root, async (there) => [tableOf(await takeTurns(here, there, length), length)]),
  )
}

async function withSide<T>(root: string | undefined, work: (side: Side) => Promise<T>): Promise<T> {
  return withDataFolder(async (data_dir) => {
    const service = await startService(data_dir, { root })
    try {
      const side = await openSide(data_dir, service)
      const result = await work(side)
      for (const client of side.clients) client.close()
      return result
    } finally {
      await service.stop()
    }
  })
}

async function openSide(data_dir: string, service: Started): Promise<Side> {
  const serving = await databasePid(data_dir)
  const clients = await openClients(service.base_url, Math.max(...Object.values(clients_at_once)))
  const session_ids = await makeSessions(clients, service)
  return {
    clients,
    works: {
      'session create': creating(service),
      'session read': reading(service, session_ids),
      'whole checkout': openTill(service).pay,
    },
    cpuSeconds: () => cpuSeconds(service.pid) + familyCpuSeconds(serving),
  }
}

type Length = { turns: number; seconds: number }

/** Who begins a turn changes, so that a machine that slows down slows both. The first turns warm both sides up. */
async function takeTurns(here: Side, there: Side, { turns, seconds }: Length) {
  const all: Record<Kind, Turn[]> = {
    'session create': [],
    'session read': [],
    'whole checkout': [],
  }
  for (let turn = -2; turn < turns; turn += 1) {
    for (const kind of kinds) {
      const first = await measure(turn % 2 === 0 ? here : there, kind, seconds)
      const second = await measure(turn % 2 === 0 ? there : here, kind, seconds)
      if (turn < 0) continue
      all[kind].push(turn % 2 === 0 ? { here: first, there: second } : { here: second, there: first })
    }
  }
  return all
}

async function measure(side: Side, kind: Kind, seconds: number): Promise<Measured> {
  const own = side.clients.slice(0, clients_at_once[kind])
  const before = side.cpuSeconds()
  const load = await closedLoad(own, { seconds }, side.works[kind])
  const cpu_seconds = side.cpuSeconds() - before
  if (load.failed > 0) throw new Error(`${load.failed} of ${kind} failed`)
  return { per_second: load.done / load.seconds, cpu_us: (cpu_seconds * 1e6) / load.done }
}

function tableOf(all: Record<Kind, Turn[]>, { turns, seconds }: Length): Table {
  const rows = kinds.flatMap((kind) => [
    rowOf(`${kind}, /s`, all[kind], ({ per_second }) => per_second),
    rowOf(`${kind}, CPU µs each`, all[kind], ({ cpu_us }) => cpu_us),
  ])
  const at_once = `${clients_at_once['session create']} creates or reads, or ${clients_at_once['whole checkout']} checkouts, at once`
  const notes = [
    `Medians of ${turns} turns of ${seconds} s on each side; ${at_once}. CPU time is that of service and database.`,
  ]
  return { name: 'against', headings, rows, notes }
}

const headings = ['', 'here', 'there', 'ratio', 'lowest', 'highest']

function rowOf(name: string, turns: Turn[], of: (measured: Measured) => number): string[] {
  const ratios = turns.map(({ here, there }) => of(here) / of(there))
  return [
    name,
    whole(median(turns.map(({ here }) => of(here)))),
    whole(median(turns.map(({ there }) => of(there)))),
    ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)),
  ]
}
