// The database driver with our types and our limits: the one place that makes connections.

import { randomInt } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDatabaseAddress, type ServerAddress } from '../../config/database-address.ts'
import type { Tracing } from '../../kernel/tracing.ts'
import type { Clock } from '../../kernel/world.ts'
import { type Copies, openCopiesAt } from './copies.ts'
import { type Destination, dial } from './dial.ts'
import { openPool, type Sql } from './pool.ts'
import { DriverSession, type OnStatement } from './session.ts'
import { openSilence, type Start } from './silence.ts'
import { plainStatement } from './spell.ts'
import { openStatementSpans } from './statement-spans.ts'
import { quoted, type Rename } from './write.ts'

/** A URL (`postgres://…`, `?host=/folder` for a Unix socket), or a Unix socket of our own. */
export type DatabaseAddress = string | { socket_folder: string; database: string; user?: string }

export type { OnStatement, Start }

type ConnectOptions = {
  connections_max: number
  /** Milliseconds, 0 for none. */
  lock_timeout_ms?: number
  statement_timeout_ms?: number
  /** Where given, a connection on which the server answers nothing for longer than it ever may is given up. */
  clock?: Clock
  /** Left out, there is none, or it is over. */
  start?: Start | undefined
  onStatement?: OnStatement
  /** Left out or null, no statement has a span. */
  tracing?: Tracing | null
  onClose?: () => void
  /** Settings of each connection, besides ours. */
  parameters?: Record<string, string>
  rename?: Rename
}

/** The user for a socket of our own, unless another is given. */
const socket_user = 'ripper'
const default_port = 5432
const statement_timeout_ms = 15_000
/** How long a connection is used, so that what the server keeps for it does not grow for ever. */
const least_ms = 30 * 60_000
const most_ms = 60 * 60_000
/** For the way there and back, and a server that is busy. */
const silence_slack_ms = 5_000

/** Makes a pool. Nothing is connected before the first statement. */
export function connect(address: DatabaseAddress, options: ConnectOptions): Sql {
  const limit_ms = (options.statement_timeout_ms ?? statement_timeout_ms) + silence_slack_ms
  const destination = destinationOf(address, options)
  return openPool({
    connections_max: options.connections_max,
    dial: () => dial(destination),
    has_names: destination.has_names,
    clock: options.clock,
    silence_max_ms: limit_ms,
    start: options.start,
    beginSpan: openStatementSpans(options.tracing),
    rename: options.rename ?? null,
    lasts_ms: () => (typeof address === 'string' ? randomInt(least_ms, most_ms) : null),
    onStatement: options.onStatement,
    onClose: options.onClose,
  })
}

/** One connection for COPY. What it sets makes a value the same text on every server. */
export function openCopies(address: DatabaseAddress): Copies {
  const destination = destinationOf(address, {
    lock_timeout_ms: 10_000,
    statement_timeout_ms: 0,
    parameters: { enable_seqscan: 'on', DateStyle: 'ISO, MDY', IntervalStyle: 'postgres' },
  })
  return openCopiesAt(destination)
}

type Listener = { heard: (payload: string) => void; opened: () => void }

/** When a silent connection is given up, and who hears of it. */
export type Patience = Pick<ConnectOptions, 'clock' | 'start'>

/** How long a listener waits before it connects again. */
const again_ms = 200

/**
 * Listens to a channel over its own connection, which is made again whenever it is lost. `opened` is called each time
 * the channel opens, also the first time, because earlier messages are lost. `patience.start` is that of the first
 * connection. Returns the function that stops it.
 */
export async function listenTo(
  address: DatabaseAddress,
  channel: string,
  listener: Listener,
  patience: Patience,
): Promise<() => Promise<void>> {
  const destination = destinationOf(address, {})
  const stop = new AbortController()
  const open = async (start?: Start) => {
    const loss = Promise.withResolvers<void>()
    const sessions: DriverSession[] = []
    const silence = openSilence(patience.clock, statement_timeout_ms + silence_slack_ms, sessions, start)
    const session = new DriverSession({
      dial: () => dial(destination),
      has_names: true,
      lasts_ms: null,
      start,
      onNotify: (_, payload) => listener.heard(payload),
      onClose() {
        silence.close()
        loss.resolve()
      },
      onWait: silence.begin,
      onAnswer() {},
    })
    sessions.push(session)
    try {
      await session.send(plainStatement(`listen ${quoted(channel)}`))
    } catch (error) {
      await session.end()
      throw error
    }
    listener.opened()
    return { session, lost: loss.promise }
  }
  let current = await open(patience.start)
  const openAgain = async () => {
    while (!stop.signal.aborted) {
      await current.lost
      for (let is_open = false; !is_open && !stop.signal.aborted; ) {
        is_open = await open().then(
          (newSession) => {
            current = newSession
            return true
          },
          () => false,
        )
        if (!is_open) await sleep(again_ms, undefined, { signal: stop.signal }).catch(() => {})
      }
    }
  }
  const over = openAgain()
  return async () => {
    stop.abort()
    await current.session.end()
    await over
    await current.session.end()
  }
}

/** An address without user, password and parameters, for messages and logs. */
export function describeAddress(address: DatabaseAddress): string {
  if (typeof address !== 'string') return `${address.database} in ${address.socket_folder}`
  return address
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^/?]*@/, '')
    .replace(/\?.*$/s, '')
}

type Settings = Pick<ConnectOptions, 'lock_timeout_ms' | 'statement_timeout_ms' | 'parameters'>

/** Files that an address names are read once: a connection that is made later must not fail for want of them. */
export function destinationOf(address: DatabaseAddress, settings: Settings): Destination {
  const parameters = parametersOf(settings)
  if (typeof address !== 'string') {
    const { socket_folder, database, user = socket_user } = address
    const servers = [{ host: socket_folder, port: default_port }]
    const rest = { password: '', ssl: false as const, has_names: true, is_writable: false }
    return { servers, user, database, parameters, ...rest }
  }
  const { url, servers, ssl } = readDatabaseAddress(address)
  const [, authority = '', path = '', query] = /^[a-z]+:\/\/([^/?]*)\/?([^?]*)\??(.*)$/s.exec(url)!
  const [who, port] = partsOf(authority)
  const [, name = '', password = ''] = /^([^:]*):?(.*)$/s.exec(who)!
  const urlQuery = new URLSearchParams(query)
  const folder = urlQuery.get('host')
  const is_writable = /^(read-write|primary)$/.test(urlQuery.get('target_session_attrs') ?? '')
  const has_names = urlQuery.get('prepare') !== 'false'
  for (const parameter of ['host', 'target_session_attrs', 'prepare']) urlQuery.delete(parameter)
  const user = decodeURIComponent(name) || userInfo().username
  return {
    servers: folder ? [{ host: folder, port }] : serversOf(servers),
    user,
    password: decodeURIComponent(password),
    database: decodeURIComponent(path) || user,
    ssl,
    has_names,
    is_writable,
    parameters: { ...parameters, ...Object.fromEntries(urlQuery) },
  }
}

/** The user of a connection, and the port of a single server. */
function partsOf(authority: string): [who: string, port: number] {
  const at = authority.lastIndexOf('@')
  const port = /:(\d+)$/.exec(authority.slice(at + 1))?.[1]
  return [authority.slice(0, Math.max(0, at)), Number(port ?? default_port)]
}

function serversOf(servers: ServerAddress['servers']): Destination['servers'] {
  const { host, port } = servers ?? { host: ['localhost'], port: [default_port] }
  return host.map((name, at) => ({ host: name, port: port[at]! }))
}

/** The settings of a connection. */
export function parametersOf(settings: Settings): Record<string, string> {
  const numbers = {
    lock_timeout: settings.lock_timeout_ms ?? 1500,
    statement_timeout: settings.statement_timeout_ms ?? statement_timeout_ms,
    idle_in_transaction_session_timeout: 30_000,
    // The server must also notice a dead client; by itself it would keep the connection for two hours.
    tcp_keepalives_idle: 60,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
  }
  return {
    application_name: 'ripper',
    client_encoding: 'UTF8',
    TimeZone: 'UTC',
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
    // A plan made while a table was small would read all of it for as long as no statistics say that it has grown.
    enable_seqscan: 'off',
    // Up to PostgreSQL 17 that makes any plan that must scan look dear, and LLVM would compile it for 0.2 s at each run.
    jit: 'off',
    ...settings.parameters,
  }
}
