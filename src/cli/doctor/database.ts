// Checks the database: whether it can be used, its version, its clock, and the keys that sealed it.

import type { Config } from '../../config/config.ts'
import { readMasterKey } from '../../config/master-key.ts'
import { openCredentials } from '../../connections/connection.ts'
import { nodesOf } from '../../database/cells/cells.ts'
import { hasCitus } from '../../database/cells/distribute.ts'
import { type SkewVerdict, skewWords } from '../../database/clock/clock-skew.ts'
import { compareClocks, readClocks } from '../../database/clock/read-clocks.ts'
import { recordedClockOffset } from '../../database/clock/service-clock.ts'
import { isMade } from '../../database/embedded/home.ts'
import { last_release, readMigrated } from '../../database/migrate.ts'
import {
  type Database,
  nodeFault,
  openDatabase,
  type Sql,
  UnusableDatabaseError,
  type UnusableReason,
} from '../../database/open.ts'
import { gone_after_ms } from '../../database/presence/presence.ts'
import { listProcesses, type ProcessHere } from '../../database/presence/presence-store.ts'
import type { DatabaseServer } from '../../database/rollback-detection/high-water.ts'
import { readServer } from '../../database/rollback-detection/high-water-store.ts'
import { schema_migration } from '../../database/schema/schema.ts'
import { newestSealingKey } from '../../database/stores/sealing-keys.ts'
import { type Keyring, openKeyring } from '../../kernel/keyring.ts'
import { liveMerchantExists } from '../../merchants/store.ts'
import { openWorld, realClock, steadyClock } from '../../outgoing/real-world.ts'
import { openSecret } from '../../webhooks/endpoint.ts'
import { listSealedConnections, listSealedSecrets } from './doctor-store.ts'
import { type Check, counted, named, notChecked, ok, problem, warning } from './finding.ts'

/** What is known before anything is read from the database's tables. */
export type DatabaseFacts =
  /** An embedded database that does not exist yet. */
  | { state: 'not_made' }
  /** Why the database cannot be used, in words for people. */
  | { state: 'unusable'; fault: string; why: UnusableReason }
  | {
      state: 'open'
      description: string
      /** The database's newest migration, null if it has none, and the newest that this program knows. */
      migrated: { newest: number | null; known: number }
      /** By how much this machine's clock is ahead of the database's, without any offset. */
      clock: { ahead_ms: number; verdict: SkewVerdict }
      server: DatabaseServer
      /** Null where Citus is not there. */
      nodes: NodeFacts[] | 'not_spread' | null
    }

/** A node of a spread database, and what is wrong with it. */
export type NodeFacts = { node: string; cells: number; fault: string | null }

/** Whether the given keys open what this database has sealed. */
export type SealingFacts = {
  /** Null if no key is given and none was made. */
  key_ids: string[] | null
  /** Why the given key cannot be read. */
  key_fault: string | null
  /** The key that was current last; null if nothing was ever sealed. */
  newest_key_id: string | null
  /** Running processes that were not given the current key, each in words. */
  lacking: string[]
  /** Endpoints whose signing secret does not open, or was sealed with a key that is not given. */
  sealed_endpoints: { count: number; unopened: string[] }
  /** The same of connections' credentials. */
  sealed_connections: { count: number; unopened: string[] }
  /** The offset of the service that started last. */
  offset_seconds: number
  live_merchant_exists: boolean
}

const general_advice =
  'Start that server, or correct RIPPER_DATABASE_URL; if it is not set, postgres.log in the data folder says more.'

const advice: Record<NonNullable<UnusableReason>, string> = {
  pooler:
    'Set up the pooler like that, or let RIPPER_DATABASE_URL lead past it: "PgBouncer" in docs/operations/postgresql.md.',
  settings: 'Correct them: no service starts on it before. "PostgreSQL" in docs/operations/postgresql.md says more.',
  version: 'Upgrade that server, or set RIPPER_DATABASE_URL to a newer one.',
  tls: 'Correct sslmode or sslrootcert in RIPPER_DATABASE_URL, or the server\'s certificate: "TLS" in docs/operations/postgresql.md.',
  silence:
    'Look whether that server hangs. If it is PgBouncer, give it a larger default_pool_size: "PgBouncer" in docs/operations/postgresql.md.',
  address: 'Correct host, database, user and password in RIPPER_DATABASE_URL; if the server demands TLS, add sslmode.',
}

export const databaseChecks: Check<DatabaseFacts>[] = [
  {
    name: 'Database',
    judge(facts) {
      if (facts.state === 'open') return ok(facts.description)
      if (facts.state === 'not_made') {
        return warning('the embedded database does not exist yet', 'npm start makes it.')
      }
      return problem(facts.fault, facts.why === null ? general_advice : advice[facts.why])
    },
  },
  {
    name: 'Migrations',
    judge(facts) {
      if (facts.state !== 'open') return notChecked('the database is not open')
      const { newest, known } = facts.migrated
      if (newest === known) return ok(`up to ${known}, the newest`)
      if (newest !== null && newest > known) {
        return problem(
          `the database has migration ${newest}, this program knows ${known}: a newer release used it`,
          'Run that release, or a newer one.',
        )
      }
      if (newest !== null && newest < schema_migration) {
        return problem(
          `the database has migration ${newest}, and this program begins with ${schema_migration}`,
          `The release of commit ${last_release} brings it there by its ripper migrate; then come back to this one.`,
        )
      }
      return warning(
        newest === null
          ? 'the database is empty'
          : `the database has migration ${newest}, and this program needs ${known}`,
        'ripper migrate brings it up to date; the next start does, too.',
      )
    },
  },
  {
    name: "Database's clock",
    judge(facts) {
      if (facts.state !== 'open') return notChecked('the database is not open')
      const { ahead_ms, verdict } = facts.clock
      if (verdict === 'right') return ok('agrees')
      if (verdict === 'unclear') return notChecked('the database answers too slowly')
      return problem(
        `this machine's clock is ${skewWords(ahead_ms)} the database's: no process runs jobs or delivers webhooks here`,
        'Let both machines keep time by NTP. Then everything goes on by itself.',
      )
    },
  },
  {
    name: 'Nodes',
    judge(facts) {
      if (facts.state !== 'open') return notChecked('the database is not open')
      const { nodes } = facts
      if (nodes === null) return ok('one server')
      if (nodes === 'not_spread') {
        return warning(
          'Citus is there, and the tables are not spread',
          'ripper migrate --distribute spreads them, before there is a merchant.',
        )
      }
      const wrong = nodes.filter(({ fault }) => fault !== null)
      if (wrong.length > 0) {
        const words = wrong.map(({ node, fault }) => `${node}: ${fault}`).join('; ')
        return problem(
          words,
          'The merchants of a node that does not answer are answered 503. "Citus" in docs/operations/citus.md says more.',
        )
      }
      const cells = nodes.reduce((sum, each) => sum + each.cells, 0)
      return ok(`${counted(nodes.length, 'node')} with ${cells} cells`)
    },
  },
  {
    name: 'Lost commits',
    judge(facts) {
      if (facts.state !== 'open') return notChecked('the database is not open')
      const { system_identifier, timeline } = facts.server
      const unread = [system_identifier === null && 'which cluster it is', timeline === null && 'a failover'].filter(
        (each) => each !== false,
      )
      // In a managed service nobody can change that.
      if (unread.length === 0) return ok('a failover or an older backup would be noticed')
      return ok(`its role may not read ${unread.join(' and ')}: only high-water marks would show lost commits`)
    },
  },
]

export const sealingChecks: Check<SealingFacts>[] = [
  {
    name: 'Master key',
    judge({ key_ids, key_fault, newest_key_id, lacking, sealed_endpoints, sealed_connections }) {
      if (key_fault !== null) return problem(key_fault, 'Put the right file back from a backup.')
      const consequence = 'Without it nothing that was sealed can be opened: find it in your backups.'
      if (newest_key_id !== null && key_ids === null) {
        return problem('no key is given, and the database was sealed with one', consequence)
      }
      if (newest_key_id !== null && !key_ids!.includes(newest_key_id)) {
        return problem(
          `the database was sealed with the key ${newest_key_id}; given: ${key_ids!.join(', ')}`,
          `${consequence} To rotate, set the new key first and the old one after a comma.`,
        )
      }
      if (lacking.length > 0) {
        return problem(
          `the current key ${newest_key_id} was not given to: ${named(lacking, '; ')}`,
          'Give every serve and worker the same RIPPER_MASTER_KEY, and restart those.',
        )
      }
      const { unopened } = sealed_endpoints
      const to_do = 'Put the key that sealed it behind the current one, after a comma.'
      if (unopened.length > 0) {
        return problem(`the signing secret of ${named(unopened)} does not open`, to_do)
      }
      const lost_credentials = sealed_connections.unopened
      if (lost_credentials.length > 0) {
        const found = `the credentials of ${named(lost_credentials)} do not open`
        return problem(found, `${to_do} Or: ripper connection rotate.`)
      }
      const count = sealed_endpoints.count + sealed_connections.count
      if (newest_key_id === null) return ok('nothing was sealed yet')
      return ok(`${newest_key_id} fits${count > 0 ? `, ${counted(count, 'secret')} opened` : ''}`)
    },
  },
  {
    name: "Service's time",
    judge({ offset_seconds, live_merchant_exists }) {
      if (offset_seconds === 0) return ok('real')
      const found = `the service last started with its clock shifted by ${offset_seconds} s`
      const to_do = 'Restart it without RIPPER_CLOCK_OFFSET_SECONDS.'
      return live_merchant_exists ? problem(`${found}, and there is a live merchant`, to_do) : warning(found, to_do)
    },
  },
]

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
    throw new UnusableDatabaseError(
      `the database did not answer within ${limit_ms / 1000} s`,
      url === null ? null : 'silence',
    )
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
  const newest_key_id = await newestSealingKey(sql)
  const secrets = await listSealedSecrets(sql)
  const unopened = secrets.filter(
    (each) => keyring !== null && !opens(() => openSecret(keyring, each, each.sealed_secret)),
  )
  const connections = await listSealedConnections(sql)
  const closed = connections.filter(
    (each) => keyring !== null && !opens(() => openCredentials(keyring, each, each.sealed_credentials)),
  )
  const processes = await listRunning(sql)
  return {
    key_ids: keyring?.key_ids ?? null,
    key_fault: fault,
    newest_key_id,
    lacking: processes.filter(({ lacks_key }) => lacks_key !== null).map(({ words }) => words),
    sealed_endpoints: { count: secrets.length, unopened: unopened.map(({ endpoint_id }) => endpoint_id) },
    sealed_connections: { count: connections.length, unopened: closed.map(({ connection_id }) => connection_id) },
    offset_seconds: await recordedClockOffset(sql),
    live_merchant_exists: await liveMerchantExists(sql),
  }
}

/** Processes tell when they were here by the database's clock. */
export async function listRunning(sql: Sql): Promise<ProcessHere[]> {
  const { database_ms } = await readClocks(sql, clocks)
  return listProcesses(sql, new Date(database_ms - gone_after_ms))
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
