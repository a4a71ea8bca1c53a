// Connections that are kept between posts. Each is an undici Client of its own, so that it can be ended without the
// others.

import { Client } from 'undici'
import { GuardedFailure } from '../../kernel/world.ts'
import type { Connect } from './connect.ts'

export type PostConnection = {
  client: Client
  origin: string
  /** The signal of the post that uses it now; undici reopens a connection that was closed meanwhile. */
  connect_timeout_ms: number
  given_up: AbortController
}

export type PostConnections = {
  /** An idle connection, or undefined. */
  reuse(url: URL, connect_timeout_ms: number): PostConnection | undefined
  open(url: URL, connect_timeout_ms: number): PostConnection
  /** Takes back a connection whose answer was read to its end. */
  keep(connection: PostConnection): void
  /** Ends a connection at once, whatever it is doing. */
  drop(connection: PostConnection, failure: GuardedFailure): void
  close(): Promise<void>
}

// A receiver's own keep-alive time is used within these bounds: short enough that few receivers close first.
const idle_ms = 4_000
const idle_ms_max = 60_000

/** At most `idle_max` wait for their next post; the one that has waited longest is closed to make room. */
export function openPostConnections(connect: Connect, idle_max: number): PostConnections {
  const all = new Set<PostConnection>()
  // In the order in which they became idle.
  const idle = new Set<PostConnection>()
  const idleOf = new Map<string, PostConnection[]>()

  function open(url: URL, connect_timeout_ms: number): PostConnection {
    const givenUp = new AbortController()
    const client = new Client(url.origin, {
      connect(_options, connected) {
        connect(url, connection.connect_timeout_ms, givenUp.signal).then(
          (socket) => connected(null, socket),
          (error) => connected(error, null),
        )
      },
      pipelining: 1,
      allowH2: false,
      // Cookies and policies of a firewall before the receiver fill more than Node's 16 KiB.
      maxHeaderSize: 64 * 1024,
      // The post's own deadline is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idle_ms,
      keepAliveMaxTimeout: idle_ms_max,
    })
    const connection = { client, origin: url.origin, connect_timeout_ms, given_up: givenUp }
    client.on('disconnect', () => {
      if (idle.has(connection)) drop(connection, lost())
    })
    all.add(connection)
    return connection
  }

  function reuse(url: URL, connect_timeout_ms: number): PostConnection | undefined {
    const connection = idleOf.get(url.origin)?.at(-1)
    if (!connection) return undefined
    takeOut(connection)
    connection.connect_timeout_ms = connect_timeout_ms
    return connection
  }

  function keep(connection: PostConnection): void {
    if (connection.given_up.signal.aborted) return
    idle.add(connection)
    const same = idleOf.get(connection.origin)
    if (same) same.push(connection)
    else idleOf.set(connection.origin, [connection])
    const [oldest] = idle
    if (oldest && idle.size > idle_max) drop(oldest, lost())
  }

  function takeOut(connection: PostConnection): void {
    if (!idle.delete(connection)) return
    const same = idleOf.get(connection.origin)!
    same.splice(same.lastIndexOf(connection), 1)
    if (same.length === 0) idleOf.delete(connection.origin)
  }

  function drop(connection: PostConnection, failure: GuardedFailure): Promise<void> {
    takeOut(connection)
    all.delete(connection)
    connection.given_up.abort(failure)
    return connection.client.destroy(failure)
  }

  async function close(): Promise<void> {
    await Promise.all([...all].map((connection) => drop(connection, lost())))
  }

  return { reuse, open, keep, drop, close }
}

function lost(): GuardedFailure {
  return new GuardedFailure('connection_lost')
}
