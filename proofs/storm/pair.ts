// Two embedded servers, of which the second follows the first by streaming replication, behind one address that stays.

import { spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { asAccount } from '../../src/config/owner.ts'
import { connect } from '../../src/database/driver/driver.ts'
import { ensureCluster } from '../../src/database/embedded/cluster.ts'
import { findHome, type Home } from '../../src/database/embedded/home.ts'
import { launch, servingPid } from '../../src/database/embedded/process.ts'
import type { Sql } from '../../src/database/open.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { realClock } from '../../tests/support/world.ts'
import { type Link, openLink } from '../wire/link.ts'
import { waitFor } from './rest.ts'
import { killServer } from './server.ts'

export type Pair = {
  /** Leads to whichever server serves. */
  url: string
  /** The server that serves; null while none does. */
  home(): Home | null
  /** The server that may be killed; null while none may. */
  victim(): Home | null
  /** From now on nothing reaches the standby any more. */
  lag(): void
  /** The first server dies at once, and the standby takes its place. */
  failOver(): Promise<void>
  close(): Promise<void>
}

/** `is_synchronous`: a commit is answered once the standby has it on its disk. */
export async function openPair(is_synchronous: boolean): Promise<Pair> {
  const folders = [newDataFolder(), newDataFolder()]
  const [first, second] = (await Promise.all(folders.map(findHome))) as [Home, Home]
  await ensureCluster(first)
  // A cluster that was never started is a whole backup of itself.
  spawnSync('cp', ['-a', first.data_folder, second.data_folder])
  const replication = await openLink(socketOf(first))
  const link = await openLink(socketOf(first))
  configure(first, { wal_keep_size: "'1GB'" })
  const following = `host=127.0.0.1 port=${replication.port} user=ripper application_name=standby`
  configure(second, { primary_conninfo: `'${following}'`, wal_retrieve_retry_interval: "'200ms'" })
  asAccount(second.account, () => writeFileSync(`${second.data_folder}/standby.signal`, '', { mode: 0o600 }))

  const keeper = keepUp()
  keeper.keep(first)
  await withAdmin(first, (sql) => sql`create database ripper template template0`)
  keeper.keep(second)
  await withAdmin(first, (sql) => waitFor(() => isFollowed(sql, 'async'), 'the standby does not follow'))
  if (is_synchronous) {
    await withAdmin(first, async (sql) => {
      await sql`alter system set synchronous_standby_names = 'standby'`
      await sql`select pg_reload_conf()`
      await waitFor(() => isFollowed(sql, 'sync'), 'no commit waits for the standby')
    })
  }
  let serving: Home | null = first
  let may_be_killed = true
  return {
    url: `postgres://ripper@127.0.0.1:${link.port}/ripper`,
    home: () => serving,
    victim: () => (may_be_killed ? serving : null),
    lag() {
      replication.break({ kind: 'stall' })
      // A server that starts again shows readers the commits that still waited for the standby: no acknowledgement would mean a thing.
      if (is_synchronous) may_be_killed = false
    },
    async failOver() {
      serving = null
      keeper.leave(first)
      killServer(first)
      // What was still on its way is gone with the machine.
      replication.cut()
      link.take(false)
      link.cut()
      await withAdmin(second, (sql) => sql`select pg_promote(true, 60)`)
      link.lead(socketOf(second))
      link.take(true)
      serving = second
      may_be_killed = true
    },
    async close() {
      await keeper.end()
      for (const home of [first, second]) killServer(home)
      await closeLinks([replication, link])
      folders.forEach(removeData)
    },
  }
}

/** Starts what is not running, as a supervisor does, until it is told to leave it. */
function keepUp() {
  const kept = new Set<Home>()
  let is_over = false
  const keeping = (async () => {
    while (!is_over) {
      for (const home of kept) if (servingPid(home) === null) launch(home)
      await realClock.sleep(500)
    }
  })()
  return {
    keep: (home: Home) => void kept.add(home),
    leave: (home: Home) => void kept.delete(home),
    async end() {
      is_over = true
      await keeping
    },
  }
}

function socketOf({ socket_folder }: Home): { path: string } {
  return { path: `${socket_folder}/.s.PGSQL.5432` }
}

function configure({ data_folder, account }: Home, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  asAccount(account, () => appendFileSync(`${data_folder}/postgresql.conf`, lines.join('')))
}

/** Waits until the server answers. */
async function withAdmin<T>(home: Home, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const address = { socket_folder: home.socket_folder, database: 'postgres' }
  const sql = connect(address, { connections_max: 1, statement_timeout_ms: 90_000 })
  const answers = () =>
    sql`select 1`.then(
      () => true,
      () => false,
    )
  try {
    await waitFor(answers, 'a server does not start')
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function isFollowed(sql: Sql, sync_state: 'sync' | 'async'): Promise<boolean> {
  const found = await sql`
    select 1 from pg_stat_replication
    where application_name = 'standby' and state = 'streaming' and sync_state = ${sync_state}`
  return found.length > 0
}

async function closeLinks(links: Link[]): Promise<void> {
  for (const link of links) await link.close()
}
