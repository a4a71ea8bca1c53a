// A way to the database that can be cut: everything passes, nothing passes, or an answer gets lost on the way back.

import { connect, createServer, type Socket } from 'node:net'

export type DatabaseProxy = {
  url: string
  /** Cuts all connections and takes no new ones. */
  stop(): void
  start(): void
  /** Cuts the connection that sends these words as a value, after the database has done what it was asked. */
  loseNextAnswer(words: string): void
  /**
   * Stops at the statement that sends these words as a value: before the database has it, or once the database has done
   * it and before anybody hears of that.
   */
  stopAt(words: string, when: 'before' | 'after'): void
  isStopped(): boolean
  /** How many answers were lost. */
  lost(): number
  close(): Promise<void>
}

/** `url` names a Unix socket's folder in its `host` parameter. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.port || 5432}`
  const sockets = new Set<Socket>()
  let stopped = false
  let losing: string | null = null
  let ending: { words: string; when: 'before' | 'after' } | null = null
  let count = 0

  const server = createServer((near) => {
    if (stopped) return near.destroy()
    const far = connect(path)
    let lost = false
    let last = false
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (losing !== null && bytes.includes(losing)) {
        lost = true
        losing = null
      }
      if (ending && bytes.includes(ending.words)) {
        if (ending.when === 'before') return stop()
        last = true
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (last) {
        if (isDone(bytes)) stop()
      } else if (!lost) near.write(bytes)
      else if (isDone(bytes)) {
        count += 1
        near.destroy()
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String(port)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = () => {
    stopped = true
    ending = null
    cut()
  }
  return {
    url: target.href,
    stop,
    start() {
      stopped = false
      ending = null
    },
    stopAt(words, when) {
      ending = { words, when }
    },
    isStopped: () => stopped,
    loseNextAnswer(words) {
      losing = words
    },
    lost: () => count,
    close() {
      cut()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}

/** ReadyForQuery, outside a transaction: what was asked is committed. */
function isDone(bytes: Buffer): boolean {
  return bytes.includes(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))
}
