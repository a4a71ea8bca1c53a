// The service in this process, with a link that can be broken to its database, its Directory Server and each receiver.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { type JobContext, jobs } from '../../src/jobs.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { startWorker } from '../../src/service/cell-work.ts'
import type { FreshDatabase } from '../../tests/support/database.ts'
import { socketOf, throughPort } from '../../tests/support/database-proxy.ts'
import { type LogLine, startService } from '../../tests/support/service.ts'
import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Street } from '../storm/asking.ts'
import { type Checked, whatIsUnderWay } from '../storm/check.ts'
import { openDiary } from '../storm/diary.ts'
import { openMarket } from '../storm/shops.ts'
import { judgeWhole } from '../storm/verdict.ts'
import { type Link, openLink } from './link.ts'

/** The acquirer has none: it is in the service's process. Answers that it loses are its cards' affair. */
export type LinkName = 'database' | 'directory_server' | 'receivers'

export type Stage = {
  links: Record<LinkName, Link[]>
  street: Street
  checked: Checked
  /** Waits until nothing is under way, and returns every fact that does not hold then. */
  judge(): Promise<string[]>
  close(): Promise<void>
}

const connections_max = 8
/** One hears when settings change. */
const listening = 1
const rest_limit_ms = 60_000
/** What is due within that is due at once, again and again. */
const leap_ms = 20_000

export async function openStage(database: FreshDatabase, chance: Chance): Promise<Stage> {
  const links: Stage['links'] = { database: [], directory_server: [], receivers: [] }
  const add = async (name: LinkName, target: Parameters<typeof openLink>[0]) => {
    const link = await openLink(target, undefined, chance.next)
    links[name].push(link)
    return link.port
  }
  const database_port = await add('database', { path: socketOf(database.url) })
  const clock = leapingClock()
  let directory_port = 0
  const service = await startService({
    database,
    clock,
    database_url: throughPort(database.url, database_port),
    deliver: {
      schedule: Array.from({ length: 8 }, () => 0.5),
      timeout_ms: 1_500,
      connect_timeout_ms: 1_500,
      lease_slack_ms: 2_000,
    },
    http: (http) => ({
      post: (request) => http.post({ ...request, url: around(request.url, directory_port) }),
    }),
  })
  directory_port = await add('directory_server', {
    host: '127.0.0.1',
    port: portOf(service.base_url),
  })
  const worker = startWorker(service.context as JobContext, jobs)
  // Who checks must not be hindered by what is checked.
  const own = await database.open()
  const opened = { ...service.context, database: own }
  const market = await openMarket(opened, chance.fork('shops'), {
    through: (port) => add('receivers', { host: '127.0.0.1', port }),
  })
  const folder = mkdtempSync(`${tmpdir()}/ripper-wire-`)
  const diary = openDiary(`${folder}/answers.jsonl`)
  // How far its clock leaps nobody knows beforehand.
  const checked: Checked = { opened, diary, market, ahead_ms: Number.POSITIVE_INFINITY }

  return {
    links,
    checked,
    street: {
      diary,
      addresses: () => [service.base_url],
      loses_answers: false,
      give_up_ms: Number.POSITIVE_INFINITY,
      timeout_ms: 60_000,
    },
    async judge() {
      const unrest = await unrestOf(checked, clock)
      const leaks = await leaksOf(links.database[0]!, checked)
      const { faults } = await judgeWhole(checked)
      return [...unrest, ...failuresIn(service.log), ...leaks, ...faults]
    },
    async close() {
      const all = Object.values(links).flat()
      for (const link of all) link.heal()
      await worker.stop()
      await service.close()
      await own.close()
      await market.close()
      for (const link of all) await link.close()
      diary.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function unrestOf({ opened }: Checked, clock: LeapingClock): Promise<string[]> {
  const give_up_ms = performance.now() + rest_limit_ms
  for (;;) {
    const under_way = await whatIsUnderWay(opened)
    if (under_way.length === 0 || performance.now() > give_up_ms) return under_way
    clock.leap(leap_ms)
    await realClock.sleep(1_000)
  }
}

/** Connections that nobody uses any more and nobody closed, on either end. */
async function leaksOf(link: Link, { opened }: Checked): Promise<string[]> {
  const most = connections_max + listening
  const give_up_ms = performance.now() + 20_000
  // Nobody on this side can tell the server what went dead.
  link.bury()
  for (;;) {
    const hanging = await opened.database.sql<{ query: string; wait: string | null }[]>`
      select left(query, 80) as query, wait_event as wait from pg_stat_activity
      where datname = current_database() and client_addr is null and pid <> pg_backend_pid()
        and state <> 'idle' and state_change < ${new Date(Date.now() - 20_000)}`
    const open = link.open()
    if (open <= most && hanging.length === 0) return []
    if (performance.now() > give_up_ms) {
      return [
        ...(open > most ? [`${open} connections to the database are open`] : []),
        ...hanging.map(({ query, wait }) => `it hangs (${wait}): ${query}`),
      ]
    }
    await realClock.sleep(200)
  }
}

/** What a request failed with that was answered 500: the answer itself does not tell. */
function failuresIn(log: LogLine[]): string[] {
  return log.flatMap(({ message, fields }) => {
    const { route, error, code, stack } = fields as Record<string, string | undefined>
    if (message !== 'request failed') return []
    return [`${route} failed with ${error} ${code}: ${stack}`]
  })
}

type LeapingClock = Clock & { leap(duration_ms: number): void }

function leapingClock(): LeapingClock {
  let ahead_ms = 0
  return {
    ...realClock,
    now: () => new Date(Date.now() + ahead_ms),
    leap(duration_ms) {
      ahead_ms += duration_ms
    },
  }
}

function around(url: string, directory_port: number): string {
  if (!url.includes('/simulator/three-ds/ds')) return url
  const through = new URL(url)
  through.port = String(directory_port)
  return through.href
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
