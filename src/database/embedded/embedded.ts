// The embedded PostgreSQL: processes of one data folder share one server; the first starts it, the last stops it.
//
// Each process holds one connection with a shared advisory lock for its life. A leaving process that gets the exclusive lock is
// the last one. A process that arrives meanwhile waits for the lock, loses its connection when the server stops, and starts the
// server again.

import type { Clock, Log } from '../../kernel/world.ts'
import { connect } from '../driver/driver.ts'
import type { Sql } from '../driver/pool.ts'
import { keepAccessRules } from './access.ts'
import { ensureCluster } from './cluster.ts'
import { findHome, type Home } from './home.ts'
import { askToStop, complaint, type Launch, launch, listeningFolder, servingPid } from './process.ts'

type EmbeddedServer = {
  socket_folder: string
  data_folder: string
  /** A connection to the database `postgres`. */
  admin(): Sql
  /** Gives up our share, and stops the server if no other process holds one. */
  leave(): Promise<void>
}

type EmbeddedOptions = { data_dir: string; log: Log; clock: Clock }

const presence_lock = 7_214_001
const start_limit_ms = 30_000
const recovery_limit_ms = 600_000
const stop_limit_ms = 60_000

/** Attaches to the server of a data folder. Creates and starts the server if needed. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log, clock } = options
  const home = await findHome(options.data_dir)
  let leaving = false
  const enterAgain = () => enterUnless(() => leaving, home, log, clock)
  let presence = await enter(() => false, home, log, clock)
  // A server that an older release started still admits the users of that release.
  if (keepAccessRules(home)) await presence.sql`select pg_reload_conf()`
  let entering: Promise<Presence | null> | null = null

  const stayPresent = async () => {
    for (let next: Presence | null = presence; next !== null; ) {
      presence = next
      await presence.lost
      if (leaving) return
      log.warn({}, 'the embedded database is gone; attaching again')
      entering = enterAgain()
      next = await entering
    }
  }
  void stayPresent()

  return {
    socket_folder: presence.socket_folder,
    data_folder: home.data_folder,
    admin: () => presence.sql,
    leave: async () => {
      leaving = true
      await entering
      await leave(home, presence.sql, log, clock)
    },
  }
}

type Presence = { sql: Sql; socket_folder: string; lost: Promise<void> }

/** Attaches, and starts the server if none runs. Throws if that takes too long, or at once if `gaveUp` returns true. */
async function enter(gaveUp: () => boolean, home: Home, log: Log, clock: Clock): Promise<Presence> {
  let newLaunch: Launch | null = null
  let failures = 0
  let limit = clock.now().getTime() + start_limit_ms
  for (;;) {
    const result = await tryToEnter(listeningFolder(home))
    if ('presence' in result) return result.presence
    if (gaveUp()) throw cannotStart(home, result.reason)
    const now = clock.now().getTime()
    if (result.recovering) limit = Math.max(limit, now + recovery_limit_ms)
    if (newLaunch !== null && newLaunch.ended !== null) {
      const reason = complaint(home, newLaunch)
      if (!transient.test(reason)) failures += 1
      if (failures === 3 || now > limit) throw cannotStart(home, reason || newLaunch.ended)
      newLaunch = null
    } else if (now > limit) {
      throw cannotStart(home, result.reason)
    } else if (newLaunch === null && servingPid(home) === null) {
      await ensureCluster(home)
      log.debug({ data_folder: home.data_folder }, 'starting the embedded database')
      newLaunch = launch(home)
    }
    await clock.sleep(10)
  }
}

/** The errors of a server that lost the race, or that waits for processes of a killed server to end. */
const transient = /lock file ".*" already exists|pre-existing shared memory block|already in use/

async function tryToEnter(
  socket_folder: string,
): Promise<{ presence: Presence } | { reason: string; recovering: boolean }> {
  let lose = () => {}
  const loss = new Promise<void>((resolve) => {
    lose = resolve
  })
  const address = { socket_folder, database: 'postgres' }
  const sql = connect(address, { connections_max: 1, lock_timeout_ms: 0, onClose: () => lose() })
  try {
    await sql`select pg_advisory_lock_shared(${presence_lock})`
    return { presence: { sql, socket_folder, lost: loss } }
  } catch (error) {
    await sql.end({ timeout: 0 })
    const { code, message } = error as { code?: string; message: string }
    return { reason: message, recovering: code === '57P03' && /starting up|recovery/.test(message) }
  }
}

/** If the database goes away while this process runs, keeps trying to attach until this process leaves. */
async function enterUnless(leaving: () => boolean, home: Home, log: Log, clock: Clock): Promise<Presence | null> {
  while (!leaving()) {
    try {
      return await enter(leaving, home, log, clock)
    } catch (error) {
      if (leaving()) return null
      log.error({ error: (error as Error).message }, 'the embedded database cannot be started')
      await clock.sleep(1000)
    }
  }
  return null
}

async function leave(home: Home, sql: Sql, log: Log, clock: Clock): Promise<void> {
  const limit = clock.now().getTime() + stop_limit_ms
  const hasTime = () => clock.now().getTime() < limit
  const pid = servingPid(home)
  if (pid !== null && (await isLast(home, sql, clock, hasTime))) {
    askToStop(pid)
    // Our lock stays held until the server ends our session, so that no arriving process believes it is attached.
    while (servingPid(home) === pid && hasTime()) await clock.sleep(10)
    if (servingPid(home) === pid) log.warn({ pid }, 'the embedded database is still stopping')
  }
  await sql.end({ timeout: 1 })
}

async function isLast(home: Home, sql: Sql, clock: Clock, hasTime: () => boolean): Promise<boolean> {
  // A failure may mean that the server is recovering. If the server ends, it stopped for another reason and the loop ends.
  while (servingPid(home) !== null && hasTime()) {
    try {
      await sql`select pg_advisory_unlock_shared(${presence_lock})`
      const [row] = await sql`select pg_try_advisory_lock(${presence_lock}) as alone`
      return row?.alone === true
    } catch {
      await clock.sleep(50)
    }
  }
  return false
}

function cannotStart(home: Home, reason: string): Error {
  return new Error(`The embedded database cannot be started (${home.log_file}): ${reason}`)
}
