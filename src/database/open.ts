// Opens the database: a PostgreSQL server by its URL, or the embedded one of a data folder.

import type { Tracing } from '../kernel/tracing.ts'
import type { Clock, Log } from '../kernel/world.ts'
import { cellsOf, nodesOf } from './cells/cells.ts'
import { openCells } from './cells/find-cell.ts'
import type { Copies } from './driver/copies.ts'
import {
  connect,
  type DatabaseAddress,
  describeAddress,
  listenTo,
  type OnStatement,
  openCopies,
  type Patience,
  type Start,
} from './driver/driver.ts'
import type { Sql } from './driver/pool.ts'
import { findPooling, unsafe_words } from './driver/pooler.ts'
import { service_role } from './embedded/access.ts'
import { joinEmbedded } from './embedded/embedded.ts'
import { ensureServiceDatabase, service_database } from './embedded/service-database.ts'
import { type ConnectionFault, connectionFault } from './failures.ts'

export type { AnySql, Fragment, Sql, Transaction } from './driver/pool.ts'

export type Database = {
  sql: Sql
  kind: 'embedded' | 'server'
  /** For people: which PostgreSQL this is, and where. */
  description: string
  /** Listens to a channel; see driver.ts. Returns the function that stops it. */
  listen(
    channel: string,
    listener: { heard: (payload: string) => void; opened: () => void },
  ): Promise<() => Promise<void>>
  /** A connection that copies whole tables; the caller ends it. */
  openCopies(): Copies
  /** Waits up to 5 s for running statements. The last process to close an embedded database stops it. */
  close(): Promise<void>
}

export type OpenOptions = {
  url: string | null
  data_dir: string
  connections_max: number
  /** For a service or worker: it begins only where there is a place for each of its connections. Two more listen. */
  is_service?: boolean
  log: Log
  clock: Clock
  /** Left out or null, no statement has a span. */
  tracing?: Tracing | null
  /** Called for every statement; see count.ts. */
  onStatement?: OnStatement
}

/** Why a database is not used; null if only the message says more. */
export type UnusableReason = 'pooler' | 'settings' | 'version' | ConnectionFault | null

/** A server that cannot be reached or cannot be relied on to keep data, in a message for people. */
export class UnusableDatabaseError extends Error {
  readonly why: UnusableReason

  constructor(message: string, why: UnusableReason, cause?: unknown) {
    super(message, { cause })
    this.why = why
  }
}

/** Throws an UnusableDatabaseError. Throws an Error with a message for people if an embedded database cannot be started. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  return options.url === null ? openEmbedded(options) : openServer(options, options.url)
}

async function openServer(options: OpenOptions, url: string): Promise<Database> {
  const where = describeAddress(url)
  const start = startOf(options, where)
  const patience = { clock: options.clock, start }
  const sql = connect(url, { ...options, ...patience })
  let cells: Awaited<ReturnType<typeof openCells>> = null
  const close = async () => {
    await Promise.all([cells?.close(), sql.end({ timeout: 5 })])
  }
  try {
    const { version, is_distributed } = await checkServer(sql, where)
    const pooling = await orUnusable(where, () => findPooling(url, patience))
    if (pooling === 'unsafe') throw unusable(where, unsafe_words, 'pooler')
    // Of places that are lent by the transaction two processes could each hold half, and wait for the other's.
    if (options.is_service && pooling === 'by_session') {
      const others = connect(url, { connections_max: listeners, ...patience })
      const pools = [
        { sql, count: options.connections_max },
        { sql: others, count: listeners },
      ]
      await orUnusable(where, () => holdAll(pools).finally(() => others.end({ timeout: 1 })))
    }
    if (is_distributed) {
      cells = await orUnusable(where, () => openCells(sql, { url, options }))
      await refuseFaultyNodes(sql)
    }
    const description = `PostgreSQL ${version} at ${where}${cells ? `, in ${cellsOf(sql).length} cells` : ''}`
    start.is_over = true
    return { sql, kind: 'server', description, ...waysTo(url, where, patience), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Holds all connections of these pools for a moment. A process for some of which a pooler has no place would take
 * requests and then let them wait. Those of cells are not among them: they lead to the nodes.
 */
async function holdAll(pools: { sql: Sql; count: number }[]): Promise<void> {
  const connections = pools.flatMap(({ sql, count }) => Array.from({ length: count }, () => sql))
  const all = Promise.withResolvers<void>()
  let answers = 0
  const hold = (sql: Sql) =>
    sql.begin(async (tx) => {
      await tx`select 1`
      answers += 1
      if (answers === connections.length) all.resolve()
      await all.promise
    })
  const letGo = (error: unknown) => {
    all.resolve()
    // Without a place at the server itself it is told so, and goes on with fewer.
    if (connectionFault(error) === 'silence') throw error
  }
  await Promise.all(connections.map((sql) => hold(sql).catch(letGo)))
}

/** A node that is away may come back, and affects only its own merchants. */
async function refuseFaultyNodes(sql: Sql): Promise<void> {
  const checks = nodesOf(sql).map(async ({ node, cells }) => {
    const fault = await nodeFault(cells[0]!.sql).catch(() => null)
    if (fault !== null) throw unusable(node, fault, 'settings')
  })
  await Promise.all(checks)
}

async function openEmbedded(options: OpenOptions): Promise<Database> {
  const server = await joinEmbedded(options)
  let sql: Sql | null = null
  const close = async () => {
    await sql?.end({ timeout: 5 })
    await server.leave()
  }
  try {
    const { socket_folder } = server
    await ensureServiceDatabase(server.admin(), socket_folder)
    const address = { socket_folder, database: service_database, user: service_role }
    sql = connect(address, options)
    const { version } = await checkServer(sql, server.data_folder)
    const description = `embedded PostgreSQL ${version} in ${server.data_folder}`
    return { sql, kind: 'embedded', description, ...waysTo(address, server.data_folder, options), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** One hears changes of settings, one the messages of other processes. */
const listeners = 2

/** Says at once what a start waits for, and once. */
function startOf(options: OpenOptions, database: string): Start {
  const { log, connections_max, is_service = false } = options
  const connections = connections_max + (is_service ? listeners : 0)
  let has_said = false
  const onMute = () => {
    if (!has_said) log.warn({ database, connections }, 'waiting for the database, which answers nothing')
    has_said = true
  }
  return { is_over: false, onMute }
}

function waysTo(
  address: DatabaseAddress,
  where: string,
  { clock, start }: Patience,
): Pick<Database, 'listen' | 'openCopies'> {
  return {
    listen(channel, listener) {
      // A process begins to listen while it starts, when the database is open.
      const patience = { clock, start: start && { ...start, is_over: false } }
      return orUnusable(where, () => listenTo(address, channel, listener, patience))
    },
    openCopies: () => openCopies(address),
  }
}

type Setting = { name: string; setting: string }

const distributing = 'citus'

/** Returns the version, such as `18.4`, and whether the server can spread tables over others. */
async function checkServer(sql: Sql, where: string): Promise<{ version: string; is_distributed: boolean }> {
  const names = ['server_version_num', ...durable]
  const rows = await orUnusable(
    where,
    () => sql<Setting[]>`
      select name, setting from pg_settings where name = any(${names})
      union all
      select extname, extversion from pg_extension where extname = ${distributing}`,
  )
  const problem = problemOf(rows)
  if (problem !== null) throw unusable(where, problem.words, problem.why)
  const is_distributed = rows.some(({ name }) => name === distributing)
  return { version: versionOf(rows), is_distributed }
}

async function orUnusable<T>(where: string, ask: () => PromiseLike<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw unusable(where, (error as Error).message, connectionFault(error), error)
  }
}

function unusable(where: string, words: string, why: UnusableReason, cause?: unknown): UnusableDatabaseError {
  return new UnusableDatabaseError(`The database at ${where} cannot be used: ${words}`, why, cause)
}

/** Why a node of a spread database is unreliable, in words; null if it is not. Throws if it does not answer. */
export async function nodeFault(sql: Sql): Promise<string | null> {
  const names = ['server_version_num', ...durable]
  const rows = await sql<Setting[]>`
    select name, setting from pg_settings where name = any(${names})`
  return problemOf(rows)?.words ?? null
}

const durable = ['fsync', 'full_page_writes', 'synchronous_commit']

/** Why a server with these settings is refused; null if it is accepted. */
export function problemOf(settings: readonly Setting[]): { why: 'version' | 'settings'; words: string } | null {
  const version = versionOf(settings)
  if (Number.parseInt(version, 10) < 15) {
    return { why: 'version', words: `it is PostgreSQL ${version}; 15 or later is needed.` }
  }
  const off = settings.filter(({ name, setting }) => durable.includes(name) && setting === 'off')
  if (off.length === 0) return null
  const [words, pronoun] = off.length === 1 ? ['is', 'it'] : ['are', 'them']
  return {
    why: 'settings',
    words:
      `${off.map(({ name }) => name).join(', ')} ${words} off, so a payment that was confirmed could be lost. ` +
      `Turn ${pronoun} on in postgresql.conf (or for this role or database) and reload the server.`,
  }
}

function versionOf(settings: readonly Setting[]): string {
  const number = Number(settings.find(({ name }) => name === 'server_version_num')?.setting)
  return `${Math.floor(number / 10_000)}.${number % 10_000}`
}
