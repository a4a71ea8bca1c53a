// What each step of a checkout costs. It is counted, not timed, so that a busy machine counts the same as an idle one.
// `node bench/costs.ts` keeps the counts in costs.json, which a test compares with the tree; `--print URL` prints them
// instead, counted in that empty database.

import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLink } from '../proofs/wire/link.ts'
import { countStatements } from '../src/database/count.ts'
import { joinEmbedded } from '../src/database/embedded/embedded.ts'
import { socketOf, throughPort } from '../tests/support/database-proxy.ts'
import { quiet, realClock } from '../tests/support/world.ts'
import { type InProcess, openInProcess, type Place } from './in-process.ts'
import { type Client, openClients } from './load.ts'
import { median, type Table, whole } from './report.ts'
import { withDataFolder } from './service.ts'
import { type Step, steps, type Visit } from './walk.ts'

export type Cost = {
  statements: number
  /** Bytes to PostgreSQL. */
  sent: number
  /** Bytes from PostgreSQL. */
  received: number
  /** Bytes of PostgreSQL's write-ahead log, without images of whole pages: the first write to a page after a checkpoint adds one. */
  log: number
  /** Bytes that the service takes from its heap, to within some hundredths. */
  heap: number
}

export type Costs = Record<string, Cost>

/** Walks before anything is counted, so that what is kept in memory is there, and code is compiled. */
const warm_walks = 30
const counted_walks = 7
const sampled_walks = 60
const sampled_every_bytes = 4_096

/** `url`: an empty database, behind a Unix socket. `data_dir` is empty, too. */
export async function countCosts(place: Place): Promise<Costs> {
  const traffic = await countTraffic(place)
  const heap = await sampleHeap(place)
  return Object.fromEntries(
    steps
      .filter(({ is_shown }) => is_shown)
      .map(({ name }) => [name, { ...traffic.get(name)!, heap: heap.get(name)! }]),
  )
}

type Traffic = Omit<Cost, 'heap'>

async function countTraffic({ url, data_dir }: Place): Promise<Map<string, Traffic>> {
  let [sent, received] = [0, 0]
  const link = await openLink({ path: socketOf(url) }, (direction, { length }) => {
    if (direction === 'there') sent += length
    else received += length
    return true
  })
  const count = countStatements()
  const through = { url: throughPort(url, link.port), data_dir }
  const service = await openInProcess(through, count.onStatement)
  const walks: Map<string, Traffic>[] = []
  try {
    await withClient(service, async (client) => {
      // The second time everything that is kept in memory is there.
      for (let walk = -1; walk < counted_walks; walk++) {
        const counts = new Map<string, Traffic>()
        const visit: Visit = {}
        for (const step of steps) {
          const before = await logBytes(service)
          count.reset()
          ;[sent, received] = [0, 0]
          await take(client, service, step, visit)
          const counted = { statements: count.texts().length, sent, received }
          counts.set(step.name, { ...counted, log: (await logBytes(service)) - before })
        }
        if (walk >= 0) walks.push(counts)
      }
    })
  } finally {
    await service.close()
    await link.close()
  }
  const all = (name: string, what: keyof Traffic) => walks.map((counts) => counts.get(name)![what])
  const middle = (name: string, what: keyof Traffic) => median(all(name, what))
  return new Map(
    steps.map(({ name }) => [
      name,
      {
        statements: middle(name, 'statements'),
        sent: middle(name, 'sent'),
        received: middle(name, 'received'),
        // Other databases of the server may make a checkpoint in most of the walks. Images only add, so the least has none.
        log: Math.min(...all(name, 'log')),
      },
    ]),
  )
}

/** What the service's only connection has written to the log so far. */
async function logBytes({ sql }: InProcess): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ bytes: number }]>`
    select wal_bytes::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`
  return row.bytes
}

/** Each step is taken by all visits before the next. */
async function sampleHeap(place: Place): Promise<Map<string, number>> {
  const service = await openInProcess(place)
  const inspector = new Session()
  inspector.connect()
  const heap = new Map<string, number>()
  const walk = async (client: Client, count: number) => {
    const visits = Array.from({ length: count }, (): Visit => ({}))
    for (const step of steps) {
      await inspector.post('HeapProfiler.startSampling', {
        samplingInterval: sampled_every_bytes,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      })
      for (const visit of visits) await take(client, service, step, visit)
      const { profile } = await inspector.post('HeapProfiler.stopSampling')
      heap.set(step.name, sizeOf(profile.head) / count)
    }
  }
  try {
    await withClient(service, async (client) => {
      await walk(client, warm_walks)
      await walk(client, sampled_walks)
    })
  } finally {
    inspector.disconnect()
    await service.close()
  }
  return heap
}

type Node = { selfSize: number; children: Node[] }

function sizeOf({ selfSize, children }: Node): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize)
}

async function withClient({ demo }: InProcess, work: (client: Client) => Promise<void>): Promise<void> {
  const [client] = await openClients(demo.base_url, 1)
  try {
    await work(client!)
  } finally {
    client!.close()
  }
}

async function take(client: Client, { demo }: InProcess, step: Step, visit: Visit): Promise<void> {
  const { status, body } = await client.send(step.request(visit, demo))
  if (status >= 300) throw new Error(`${step.name} answered ${status}: ${body}`)
  const answer = JSON.parse(body.toString()) as Record<string, string>
  for (const [name, member] of Object.entries(step.learns)) visit[name] = answer[member]!
}

const file = fileURLToPath(new URL('costs.json', import.meta.url))

/** How many statements a step may cost, where a target was set. */
const targets: Record<string, string> = {
  create: '1',
  'compatible create': '1',
  'compatible read': '1',
  'session read': '1 or 2',
  'card reference': '3 at most',
}

export async function costs(): Promise<Table[]> {
  const counted = await countInOwnDatabase()
  const rows = Object.entries(counted).map(([name, { statements, ...bytes }]) => [
    ...[name, String(statements), targets[name] ?? ''],
    ...[bytes.sent, bytes.received, bytes.log, bytes.heap].map(whole),
  ])
  const headings = ['step', 'statements', 'target', 'to PostgreSQL', 'from it', 'its log', 'heap']
  const notes = [
    `Bytes. Medians of ${counted_walks} walks; of the log the least, and of the heap a mean of ${sampled_walks}.`,
  ]
  return [{ name: 'costs', headings, rows, notes }]
}

function countInOwnDatabase(): Promise<Costs> {
  return withDataFolder(async (data_dir) => {
    const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
    try {
      const folder = encodeURIComponent(server.socket_folder)
      const url = `postgres://ripper@localhost/postgres?host=${folder}`
      return await countCosts({ url, data_dir: join(data_dir, 'service') })
    } finally {
      await server.leave()
    }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [way, url] = process.argv.slice(2)
  if (way === '--print') {
    const counted = await withDataFolder((data_dir) => countCosts({ url: url!, data_dir }))
    console.log(JSON.stringify(counted))
  } else writeFileSync(file, `${JSON.stringify(rounded(await countInOwnDatabase()), null, 2)}\n`)
}

function rounded(counted: Costs): Costs {
  const round = ([what, value]: [string, number]) => [what, Math.round(value)]
  return Object.fromEntries(
    Object.entries(counted).map(([name, cost]) => [name, Object.fromEntries(Object.entries(cost).map(round)) as Cost]),
  )
}
