// The connections of a pool, and which of them a statement goes to.

import type { Clock } from '../../kernel/world.ts'
import { Session, type SessionOptions } from './session.ts'
import { openSilence } from './silence.ts'

export type ConnectionsOptions = Pick<SessionOptions, 'dial' | 'has_names' | 'onStatement'> & {
  connections_max: number
  /** Where given, a connection that is silent for longer is given up. */
  clock?: Clock | undefined
  silence_max_ms: number
  /** Whether connections are replaced now and then. */
  wears_out: boolean
  onClose?: (() => void) | undefined
}

export type Connections = {
  /** Calls it with a connection, at once or when there is one. */
  take(use: (session: Session) => void): void
  /** It is not set apart any more. */
  release(session: Session): void
  /** Resolves once nothing is under way, or after the time. Then all are closed. */
  end(timeout_ms: number | null): Promise<void>
}

/** A statement takes its place behind at most so many on one connection. */
const behind_max = 100
/** How long a connection is used, so that what the server keeps for it does not grow for ever. */
const used_ms = { least: 30 * 60_000, most: 60 * 60_000 }
/** How much longer the next connection waits for each that failed before it, and how long at most. */
const backoff_ms = { step: 20, most: 200 }

/** Nothing is connected before the first is taken. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { connections_max } = options
  const sessions: Session[] = []
  const queue: ((session: Session) => void)[] = []
  const worn_out_at = new WeakMap<Session, number>()
  const silence = openSilence(options.clock, options.silence_max_ms, sessions)
  const dial = withBackoff(options.dial)
  let idle: PromiseWithResolvers<void> | null = null

  function open(): Session {
    const session: Session = new Session({
      ...{ ...options, dial, onWait: silence.begin, onAnswer: goOn },
      onClose() {
        sessions.splice(sessions.indexOf(session), 1)
        options.onClose?.()
        queueMicrotask(goOn)
      },
    })
    if (options.wears_out) {
      const lasts_ms = used_ms.least + Math.random() * (used_ms.most - used_ms.least)
      worn_out_at.set(session, performance.now() + lasts_ms)
    }
    sessions.push(session)
    return session
  }

  /** The connection with the fewest statements before it. Null if there is none to be had now. */
  function place(): Session | null {
    let best: Session | null = null
    for (const session of sessions) {
      if (session.is_reserved || session.count >= (best?.count ?? behind_max)) continue
      best = session
      if (session.count === 0) break
    }
    if (best?.count !== 0 && sessions.length < connections_max) return open()
    if (best?.count !== 0 || !(performance.now() > worn_out_at.get(best)!)) return best
    void best.end()
    return open()
  }

  function goOn(): void {
    while (queue.length > 0) {
      const session = place()
      if (session === null) return
      queue.shift()!(session)
    }
    if (sessions.every(({ count, is_reserved }) => count === 0 && !is_reserved)) idle?.resolve()
  }

  return {
    take(use) {
      const session = queue.length === 0 ? place() : null
      if (session === null) queue.push(use)
      else use(session)
    },
    release(session) {
      session.is_reserved = false
      session.is_watched = true
      goOn()
    },
    async end(timeout_ms) {
      idle = Promise.withResolvers()
      goOn()
      const timer = timeout_ms === null ? undefined : setTimeout(idle.resolve, timeout_ms)
      await idle.promise
      clearTimeout(timer)
      silence.close()
      await Promise.all(sessions.slice().map((session) => session.end()))
    },
  }
}

function withBackoff(dial: SessionOptions['dial']): SessionOptions['dial'] {
  let failures = 0
  return async () => {
    const delay_ms = Math.min(failures * backoff_ms.step, backoff_ms.most)
    if (delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, delay_ms))
    try {
      const dialled = await dial()
      failures = 0
      return dialled
    } catch (error) {
      failures += 1
      throw error
    }
  }
}
