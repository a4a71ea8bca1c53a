// A way to the database that can be cut: everything passes, nothing passes, or an answer gets lost on the way back.

import { type Connection, openLink } from '../../proofs/wire/link.ts'

export type DatabaseProxy = {
  url: string
  /** Cuts all connections and takes no new ones. */
  stop(): void
  start(): void
  /**
   * Cuts the connection that sends these words as a value, after the database has done what it was asked. `nth` counts the
   * statements that send them; the first where nothing is said.
   */
  loseNextAnswer(words: string, nth?: number): void
  /**
   * Stops at the statement that sends these words as a value: before the database has it, or once the database has done
   * it and before anybody hears of that.
   */
  stopAt(words: string, when: 'before' | 'after'): void
  isStopped(): boolean
  /**
   * Holds back all answers from the one to the statement that sends these words as a value, which the database has done:
   * who waits for it stands still until `thaw`. `isFrozen` says whether it has come so far.
   */
  freezeAt(words: string): void
  isFrozen(): boolean
  thaw(): void
  /** How many answers were lost. */
  lost(): number
  close(): Promise<void>
}

/** `url` names a Unix socket's folder in its `host` parameter. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  let stopped = false
  let losing: { words: string; left: number } | null = null
  let ending: { words: string; when: 'before' | 'after' } | null = null
  let freezing: string | null = null
  let is_frozen = false
  let count = 0
  /** Connections whose next answer gets lost, or is the last. */
  const lost = new Set<Connection>()
  const last = new Set<Connection>()
  const held = new Set<Connection>()

  const link = await openLink({ path: socketOf(url) }, (direction, bytes, connection) =>
    direction === 'there' ? asked(bytes, connection) : answered(bytes, connection),
  )

  function asked(bytes: Buffer, connection: Connection): boolean {
    if (losing !== null && bytes.includes(losing.words)) {
      losing.left -= 1
      if (losing.left === 0) {
        lost.add(connection)
        losing = null
      }
    }
    if (freezing !== null && bytes.includes(freezing)) {
      held.add(connection)
      freezing = null
    }
    if (!ending || !bytes.includes(ending.words)) return true
    if (ending.when === 'after') last.add(connection)
    else stop()
    return !stopped
  }

  function answered(bytes: Buffer, connection: Connection): boolean {
    if (held.delete(connection)) {
      is_frozen = true
      link.break({ kind: 'stall' })
    }
    if (last.has(connection)) {
      if (isDone(bytes)) stop()
      return false
    }
    if (!lost.has(connection)) return true
    if (isDone(bytes)) {
      count += 1
      connection.cut()
    }
    return false
  }

  function stop(): void {
    stopped = true
    ending = null
    link.take(false)
    link.cut()
  }

  return {
    url: throughPort(url, link.port),
    stop,
    start() {
      stopped = false
      ending = null
      link.take(true)
    },
    stopAt(words, when) {
      ending = { words, when }
    },
    isStopped: () => stopped,
    freezeAt(words) {
      freezing = words
    },
    isFrozen: () => is_frozen,
    thaw() {
      is_frozen = false
      link.heal()
    },
    loseNextAnswer(words, nth = 1) {
      losing = { words, left: nth }
    },
    lost: () => count,
    close: link.close,
  }
}

/** The file of the Unix socket that a database's address names. */
export function socketOf(url: string): string {
  const { searchParams, port } = new URL(url)
  return `${searchParams.get('host')}/.s.PGSQL.${port || 5432}`
}

/** The same database, at a port of this machine. */
export function throughPort(url: string, port: number): string {
  const through = new URL(url)
  through.searchParams.delete('host')
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return through.href
}

/** ReadyForQuery, outside a transaction: what was asked is committed. */
function isDone(bytes: Buffer): boolean {
  return bytes.includes(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))
}
