// The connections of a pool, and which of them a statement goes to.

import type { Clock } from '../../kernel/world.ts'
import { DriverSession, type SessionOptions } from './session.ts'
import { openSilence } from './silence.ts'

export type ConnectionsOptions = Pick<SessionOptions, 'dial' | 'has_names' | 'start' | 'onStatement'> & {
  connections_max: number
  /** Where given, a connection that is silent for longer is given up. */
  clock?: Clock | undefined
  silence_max_ms: number
  /** How long the next connection is used, milliseconds; null for as long as it lives. */
  lasts_ms: () => number | null
  onClose?: (() => void) | undefined
}

export type Connections = {
  /** Calls it with a connection, at once or when there is one; with null once there will be none. */
  take(use: (session: DriverSession | null) => void): void
  /** It is not set apart any more. */
  release(session: DriverSession): void
  /** Resolves once nothing is under way, or after the time. Then all are closed. */
  end(timeout_ms: number | null): Promise<void>
}

/** A statement may queue behind at most this many on one connection. */
const behind_max = 100
/** How much longer the next connection waits for each that failed before it, and how long at most. */
const backoff_step_ms = 20
const backoff_max_ms = 200

/** Nothing is connected before the first is taken. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { connections_max } = options
  const sessions: DriverSession[] = []
  const queue: ((session: DriverSession | null) => void)[] = []
  const silence = openSilence(options.clock, options.silence_max_ms, sessions, options.start)
  const dial = withBackoff(options.dial)
  let idle: PromiseWithResolvers<void> | null = null
  let has_ended = false
  let ending: Promise<void> | null = null

  function open(): void {
    const session: DriverSession = new DriverSession({
      ...options,
      dial,
      onWait: silence.begin,
      onOpen: goOn,
      onAnswer: goOn,
      lasts_ms: options.lasts_ms(),
      onClose() {
        sessions.splice(sessions.indexOf(session), 1)
        options.onClose?.()
        if (!session.is_open) tellWaiting(session)
        queueMicrotask(goOn)
      },
    })
    sessions.push(session)
  }

  /**
   * Tells waiting statements why there is no connection: one of them, and all of them once no other connection is
   * tried.
   */
  function tellWaiting(session: DriverSession): void {
    if (sessions.some(({ is_open }) => is_open)) return
    const count = sessions.length === 0 ? queue.length : 1
    for (const use of queue.splice(0, count)) use(session)
  }

  function opening(): number {
    return sessions.reduce((count, { is_open }) => (is_open ? count : count + 1), 0)
  }

  /** The connection with the fewest statements before it; null if there is none to be had now. */
  function place(): DriverSession | null {
    let best: DriverSession | null = null
    for (const session of sessions) {
      const { is_open, is_reserved, count } = session
      if (!is_open || is_reserved || count >= (best?.count ?? behind_max)) continue
      best = session
      if (count === 0) break
    }
    if (best?.count !== 0) return sessions.length < connections_max || opening() > 0 ? null : best
    if (!best.isWornOut()) return best
    void best.end()
    return place()
  }

  function goOn(): void {
    if (has_ended) return
    while (queue.length > 0) {
      const session = place()
      if (session === null) break
      queue.shift()!(session)
    }
    while (opening() < queue.length && sessions.length < connections_max) open()
    const is_quiet = sessions.every(({ count, is_reserved }) => count === 0 && !is_reserved)
    if (queue.length === 0 && is_quiet) idle?.resolve()
  }

  async function end(timeout_ms: number | null): Promise<void> {
    idle = Promise.withResolvers()
    goOn()
    const timer = timeout_ms === null ? undefined : setTimeout(idle.resolve, timeout_ms)
    await idle.promise
    clearTimeout(timer)
    has_ended = true
    silence.close()
    await Promise.all(sessions.slice().map((session) => session.end()))
    for (const use of queue.splice(0)) use(null)
  }

  return {
    take(use) {
      queue.push(use)
      goOn()
    },
    release(session) {
      session.is_reserved = false
      session.is_watched = true
      goOn()
    },
    end(timeout_ms) {
      ending ??= end(timeout_ms)
      return ending
    },
  }
}

function withBackoff(dial: SessionOptions['dial']): SessionOptions['dial'] {
  let failures = 0
  return async () => {
    const delay_ms = Math.min(failures * backoff_step_ms, backoff_max_ms)
    if (delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, delay_ms))
    try {
      const connection = await dial()
      failures = 0
      return connection
    } catch (error) {
      failures += 1
      throw error
    }
  }
}
