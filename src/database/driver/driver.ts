// The database driver with our types, our limits and none of its traps: the one place that makes connections.

import postgres from 'postgres'
import { readDatabaseAddress, type ServerAddress } from '../../config/database-address.ts'
import type { Tracing } from '../../kernel/tracing.ts'
import type { Clock } from '../../kernel/world.ts'
import { dial } from './dial.ts'
import type { Rename } from './driver-query.ts'
import { replaceablePool, type Sql } from './pool.ts'
import { openSilence } from './silence.ts'
import { openStatementSpans } from './statement-spans.ts'
import { listTypes, refused, type Types, types } from './types.ts'

/** A URL (`postgres://…`, `?host=/folder` for a Unix socket), or a Unix socket of our own. */
export type Address = string | { socket_folder: string; database: string; user?: string }

/** `node` is that of the cell that the statement is for, as `host:port`. */
export type OnStatement = (text: string, node?: string, values?: unknown[]) => void

type ConnectOptions = {
  connections_max: number
  /** Milliseconds, 0 for none. */
  lock_timeout_ms?: number
  statement_timeout_ms?: number
  /** Where given, a connection on which the server answers nothing for longer than it ever may is given up. */
  clock?: Clock
  onStatement?: OnStatement
  /** Left out or null, no statement has a span. */
  tracing?: Tracing | null
  onClose?: () => void
  onNotify?: (channel: string, payload: string) => void
  /** Settings of each connection, besides ours. */
  parameters?: Record<string, string>
  rename?: Rename
}

/** Where a socket of our own is not told another. */
const socket_user = 'ripper'
const socket_port = 5432
const statement_timeout_ms = 15_000
/** For the way there and back, and a server that is busy. */
const silence_slack_ms = 5_000

/** Makes a pool. Nothing is connected before the first statement. */
export function connect(address: Address, options: ConnectOptions): Sql {
  const limit_ms = (options.statement_timeout_ms ?? statement_timeout_ms) + silence_slack_ms
  const target = targetOf(address)
  const silence = openSilence(options.clock, limit_ms)
  return replaceablePool(
    () => openPool(target, options),
    silence,
    openStatementSpans(options.tracing),
    options.rename,
  )
}

type Listener = { heard: (payload: string) => void; opened: () => void }

/**
 * Hears a channel over a connection of its own, which is made again whenever it is lost. `opened` is called each
 * time the channel is open, the first time too: what was said before that is not known. Returns what stops it.
 */
export async function listenTo(
  address: Address,
  channel: string,
  listener: Listener,
): Promise<() => Promise<void>> {
  let losses = 0
  let stopped = false
  let opening = true
  const sql = openPool(targetOf(address), {
    connections_max: 1,
    onNotify: (_, payload) => listener.heard(payload),
    onClose: () => {
      losses += 1
      if (!opening) void openAgain()
    },
  })
  const open = () => sql`listen ${sql(channel)}`
  // The driver waits longer after each failure.
  const openAgain = async () => {
    opening = true
    for (let lost = true; lost && !stopped; ) {
      const before = losses
      lost = await open().then(
        () => losses !== before,
        () => true,
      )
    }
    opening = false
    if (!stopped) listener.opened()
  }
  const stop = () => {
    stopped = true
    return sql.end({ timeout: 1 })
  }
  try {
    await open()
  } catch (error) {
    await stop()
    throw error
  }
  opening = false
  listener.opened()
  return stop
}

/** An address without user, password and parameters, for messages and logs. */
export function describeAddress(address: Address): string {
  if (typeof address !== 'string') return `${address.database} in ${address.socket_folder}`
  return address
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^/?]*@/, '')
    .replace(/\?.*$/s, '')
}

/** Files that an address names are read once: a pool that is made anew must not fail for want of them. */
type Target = ServerAddress | Exclude<Address, string>

function targetOf(address: Address): Target {
  return typeof address === 'string' ? readDatabaseAddress(address) : address
}

function openPool(target: Target, options: ConnectOptions): postgres.Sql {
  const sql = openAt(target, settingsOf(options)) as unknown as postgres.Sql
  const { shared } = sql.options as unknown as { shared: { typeArrayMap: object } }
  Object.assign(shared.typeArrayMap, listTypes)
  return sql
}

function settingsOf(options: ConnectOptions) {
  const { onStatement, onNotify } = options
  return {
    max: options.connections_max,
    connect_timeout: 5,
    // The driver's own delays grow to 20 s, during which a request would wait for a database that is long back.
    backoff: (failures: number) => Math.min(0.02 * failures, 0.2),
    onnotice: () => {},
    onclose: () => options.onClose?.(),
    ...(onNotify && { onnotify: onNotify }),
    ...(onStatement && {
      debug: (_: number, text: string, values: unknown[]) => onStatement(text, undefined, values),
    }),
    // PostgreSQL refuses a forgotten value by itself. The driver's own check throws while it builds the
    // message, and on a busy connection that loses the answers of other statements.
    transform: { undefined: refused },
    // See arrays.ts.
    fetch_types: false,
    types,
    connection: {
      application_name: 'ripper',
      TimeZone: 'UTC',
      lock_timeout: options.lock_timeout_ms ?? 1500,
      statement_timeout: options.statement_timeout_ms ?? statement_timeout_ms,
      idle_in_transaction_session_timeout: 30_000,
      // The server, too, must learn that nobody is there any more; by itself it would keep the connection for two hours.
      tcp_keepalives_idle: 60,
      tcp_keepalives_interval: 10,
      tcp_keepalives_count: 3,
      // A plan made while a table was small would read all of it for as long as no statistics say that it has grown.
      enable_seqscan: 'off',
      // Up to PostgreSQL 17 that makes any plan that must scan look dear, and LLVM would compile it for 0.2 s at each run.
      jit: 'off',
      ...options.parameters,
    },
  }
}

function openAt(target: Target, settings: postgres.Options<Types>) {
  if ('socket_folder' in target) {
    const path = socketFile(target.socket_folder, socket_port)
    const { database, user = socket_user } = target
    return postgres({ ...settings, path, database, user, max_lifetime: null })
  }
  const { url, servers, ssl } = target
  // The driver does not know libpq's way of naming a Unix socket.
  if (!/[?&]host=(%2F|\/)/i.test(url))
    return postgres(url, { ...settings, ...reaching(servers), ssl })
  const parsed = new URL(url)
  const path = socketFile(parsed.searchParams.get('host')!, Number(parsed.port) || socket_port)
  parsed.searchParams.delete('host')
  return postgres(parsed.href, { ...settings, path })
}

/** How the driver gets to its servers. Its types say nothing of lists, and little of sockets. */
function reaching(servers: ServerAddress['servers']): postgres.Options<Types> {
  if (servers === null) return {}
  const [host, port] = [servers.host[0]!, servers.port[0]!]
  const socket = servers.host.length === 1 && { socket: () => dial({ host, port }) }
  return { ...servers, ...socket } as unknown as postgres.Options<Types>
}

function socketFile(folder: string, port: number): string {
  return `${folder}/.s.PGSQL.${port}`
}
