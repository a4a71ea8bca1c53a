// Opens the database as it is, makes and migrates nothing, and reads the facts for its checks.

import type { Config } from '../../config/config.ts'
import { readMasterKey } from '../../config/master-key.ts'
import { openCredentials } from '../../connections/connection.ts'
import { nodesOf } from '../../database/cells/cells.ts'
import { hasCitus } from '../../database/cells/distribute.ts'
import { compareClocks, readClocks } from '../../database/clock/read-clocks.ts'
import { recordedClockOffset } from '../../database/clock/service-clock.ts'
import { isMade } from '../../database/embedded/home.ts'
import { readServer } from '../../database/high-water/high-water-store.ts'
import { readMigrated } from '../../database/migrate.ts'
import { type Database, nodeFault, openDatabase, type Sql, UnusableDatabaseError } from '../../database/open.ts'
import { gone_after_ms } from '../../database/presence/presence.ts'
import { findLackingProcesses } from '../../database/presence/presence-store.ts'
import { newestSealingKey } from '../../database/stores/sealing-keys.ts'
import { type Keyring, openKeyring } from '../../kernel/keyring.ts'
import { liveMerchantExists } from '../../merchants/store.ts'
import { openWorld, realClock, steadyClock } from '../../outgoing/real-world.ts'
import { openSecret } from '../../webhooks/endpoint.ts'
import type { DatabaseFacts, NodeFacts, SealingFacts } from './database.ts'
import { listSealedConnections, listSealedSecrets } from './doctor-store.ts'

const server_limit_ms = 3_000
/** Long enough to start an embedded database. */
const embedded_limit_ms = 10_000

/** `close` gives the database back. That stops an embedded one that nobody else uses. */
export async function readDatabase(
  config: Config,
): Promise<{ facts: DatabaseFacts; sql: Sql | null; close(): Promise<void> }> {
  const nothing = { sql: null, close: async () => {} }
  if (config.database_url === null && !isMade(config.data_dir)) {
    return { facts: { state: 'not_made' }, ...nothing }
  }
  try {
    return await readOpened(await openInTime(config))
  } catch (error) {
    const why = error instanceof UnusableDatabaseError ? error.why : null
    return { facts: { state: 'unusable', fault: (error as Error).message, why }, ...nothing }
  }
}

async function readOpened({ sql, description, close }: Database) {
  try {
    const facts = { state: 'open' as const, description, ...(await readStanding(sql)) }
    return { facts, sql, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openInTime(config: Config): Promise<Database> {
  const { clock, log } = openWorld({ log_level: 'silent', clock_offset_seconds: 0 })
  const { data_dir, database_url: url } = config
  const limit_ms = url === null ? embedded_limit_ms : server_limit_ms
  const opening = openDatabase({ url, data_dir, connections_max: 4, clock, log })
  const over = new AbortController()
  const late = clock.sleep(limit_ms, over.signal).then(() => {
    // A database that opens later is given back; the command has already reported it.
    opening.then(({ close }) => close()).catch(() => {})
    throw new Error(`the database did not answer within ${limit_ms / 1000} s`)
  })
  try {
    return await Promise.race([opening, late])
  } finally {
    late.catch(() => {})
    over.abort()
  }
}

const clocks = { clock: realClock(), steady: steadyClock, offset_seconds: 0 }

async function readStanding(sql: Sql) {
  const { skew, verdict } = await compareClocks(sql, clocks)
  return {
    clock: { ahead_ms: skew.ahead_ms, verdict },
    migrated: await readMigrated(sql),
    server: await readServer(sql),
    nodes: await readNodes(sql),
  }
}

/** Null where Citus is not there. */
async function readNodes(sql: Sql): Promise<NodeFacts[] | 'not_spread' | null> {
  const nodes = nodesOf(sql)
  if (nodes.length === 0) return (await hasCitus(sql)) ? 'not_spread' : null
  return Promise.all(
    nodes.map(async ({ node, cells }) => {
      const fault = await nodeFault(cells[0]!.sql).catch((error: Error) => error.message)
      return { node, cells: cells.length, fault }
    }),
  )
}

/** Needs a database with every migration. */
export async function readSealing(config: Config, sql: Sql): Promise<SealingFacts> {
  const { keyring, fault } = keyringOf(config)
  const secrets = await listSealedSecrets(sql)
  const unopened = secrets.filter(
    (each) => keyring !== null && !opens(() => openSecret(keyring, each, each.sealed_secret)),
  )
  const connections = await listSealedConnections(sql)
  // Processes tell when they were here by the database's clock.
  const { database_ms } = await readClocks(sql, clocks)
  const closed = connections.filter(
    (each) => keyring !== null && !opens(() => openCredentials(keyring, each, each.sealed_credentials)),
  )
  return {
    key_ids: keyring?.key_ids ?? null,
    key_fault: fault,
    newest_key_id: await newestSealingKey(sql),
    lacking: await findLackingProcesses(sql, new Date(database_ms - gone_after_ms)),
    sealed_endpoints: {
      count: secrets.length,
      unopened: unopened.map(({ endpoint_id }) => endpoint_id),
    },
    sealed_connections: {
      count: connections.length,
      unopened: closed.map(({ connection_id }) => connection_id),
    },
    offset_seconds: await recordedClockOffset(sql),
    live_merchant_exists: await liveMerchantExists(sql),
  }
}

export function keyringOf({ master_keys, data_dir }: Config): {
  keyring: Keyring | null
  fault: string | null
} {
  const { random } = openWorld({ log_level: 'silent', clock_offset_seconds: 0 })
  try {
    const keys = master_keys ?? readMasterKey(data_dir)
    return { keyring: keys && openKeyring(keys, random), fault: null }
  } catch (error) {
    return { keyring: null, fault: (error as Error).message }
  }
}

function opens(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}
