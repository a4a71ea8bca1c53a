// How many statements each request of a checkout has, and how many of them wait for the disk: counted on the service's only
// connection, while nothing else is done.

import { join } from 'node:path'
import { countStatements } from '../src/database/count.ts'
import { joinEmbedded } from '../src/database/embedded/embedded.ts'
import { quiet, realClock } from '../tests/support/world.ts'
import { type InProcess, openInProcess } from './in-process.ts'
import { openClients } from './load.ts'
import { median } from './report.ts'
import { type StepName, step_names } from './scale-figures.ts'
import { withDataFolder } from './service.ts'
import { steps, type Visit } from './walk.ts'

const walks = 5

type Counts = Record<StepName, { statements: number; flushes: number }>

export async function countFlushes(): Promise<Counts> {
  return withDataFolder(async (data_dir) => {
    const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
    const count = countStatements()
    try {
      const folder = encodeURIComponent(server.socket_folder)
      const url = `postgres://ripper@localhost/postgres?host=${folder}`
      const place = { url, data_dir: join(data_dir, 'service') }
      const service = await openInProcess(place, count.onStatement)
      try {
        return await walkAll(service, count)
      } finally {
        await service.close()
      }
    } finally {
      await server.leave()
    }
  })
}

async function walkAll(service: InProcess, count: ReturnType<typeof countStatements>): Promise<Counts> {
  const [client] = await openClients(service.demo.base_url, 1)
  const found = new Map(step_names.map((name) => [name as string, { statements: 0, flushes: [0] }]))
  for (let walk = -1; walk < walks; walk += 1) {
    const visit: Visit = {}
    for (const step of steps) {
      const before = await flushesOf(service)
      count.reset()
      const { body } = await client!.send(step.request(visit, service.demo))
      const statements = count.texts().length
      const answer = JSON.parse(body.toString()) as Record<string, string>
      for (const [name, member] of Object.entries(step.learns)) visit[name] = answer[member]!
      const flushes = (await flushesOf(service)) - before
      const kept = found.get(step.name)
      // The first time caches are filled.
      if (!kept || walk < 0) continue
      if (walk === 0) kept.flushes = []
      kept.statements = statements
      kept.flushes.push(flushes)
    }
  }
  client!.close()
  return Object.fromEntries(
    [...found].map(([name, { statements, flushes }]) => [name, { statements, flushes: median(flushes) }]),
  ) as Counts
}

/** How often the service's only connection has waited until its log was on the disk. */
async function flushesOf({ sql }: InProcess): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ flushes: number }]>`
    select coalesce(sum(fsyncs), 0)::float8 as flushes
    from pg_stat_get_backend_io(pg_backend_pid()) where object = 'wal'`
  return row.flushes
}
