// Notices a connection that has died silently. A live server answers everything within its statement_timeout, so
// waiting longer would never end.

import type { Clock } from '../../kernel/world.ts'

/** What waits for answers. */
export type Watched = {
  /** How many statements have no answer yet. */
  readonly count: number
  /** False while its server lets statements take as long as they like. */
  readonly is_watched: boolean
  /** See `Start`. */
  readonly is_mute: boolean
  /** How often it was looked at since the last answer. */
  looks: number
  giveUp(): void
}

/**
 * Until it is over, a connection over which nothing was ever answered is mute: so a pooler behaves whose pool is full.
 * Later a commit may wait for a standby, as the first statement of a new connection.
 */
export type Start = {
  is_over: boolean
  /** Called at each look that finds a connection mute. */
  onMute(): void
}

export type Silence = {
  /** Something waits from now on. */
  begin(): void
  /** Nothing is watched any more. */
  close(): void
}

const look_ms = 2_500

/**
 * `limit_ms` is how long a silence may last. Without a clock nothing is watched. Looks are counted, not time: where this process stood
 * still, answers wait unread.
 */
export function openSilence(
  clock: Clock | undefined,
  limit_ms: number,
  all: readonly Watched[],
  start?: Start,
): Silence {
  const looks_max = Math.ceil(limit_ms / look_ms)
  const closing = new AbortController()
  let is_looking = clock === undefined

  async function look(): Promise<void> {
    while (all.some(({ count }) => count > 0)) {
      try {
        await clock!.sleep(look_ms, closing.signal)
      } catch {
        return
      }
      if (all.some(({ count, is_mute }) => count > 0 && is_mute)) start?.onMute()
      for (const watched of all.slice()) {
        if (watched.count === 0 || !watched.is_watched) watched.looks = 0
        else if (watched.looks >= looks_max) watched.giveUp()
        else watched.looks += 1
      }
    }
    is_looking = false
  }

  return {
    begin() {
      if (is_looking) return
      is_looking = true
      void look()
    },
    close: () => closing.abort(),
  }
}
