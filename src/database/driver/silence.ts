// Notices a connection that has gone dead without a word. A server that lives answers everything within its
// statement_timeout, so whoever waits for longer than that waits for nobody, and would wait for ever. So does who waits for a
// connection for so long while nobody is answered.

import { openPlaces } from '../../kernel/places.ts'
import type { Clock } from '../../kernel/world.ts'

/** What waits for an answer. */
export type Wait = {
  /** False while it still waits for a connection. */
  isSent(): boolean
  giveUp(): void
}

export type Waiting = {
  /** There was an answer, and more is to come. */
  heard(): void
  end(): void
}

export type Silence = {
  begin(wait: Wait): Waiting
  /** Nobody is watched any more. */
  close(): void
}

const look_ms = 2_500

/** `limit_ms` is how long a silence may last. Without a clock nobody is watched. */
export function openSilence(clock: Clock | undefined, limit_ms: number): Silence {
  const looks_max = Math.ceil(limit_ms / look_ms)
  const places = openPlaces<Watch>()
  const closing = new AbortController()
  let is_looking = false
  /** Since the last look. */
  let was_heard = false

  async function look(): Promise<void> {
    is_looking = true
    while (places.count() > 0) {
      try {
        await clock!.sleep(look_ms, closing.signal)
      } catch {
        return
      }
      const are_others_answered = was_heard
      was_heard = false
      for (const watched of places.taken()) {
        if (!watched.wait.isSent() && are_others_answered) watched.looks = 0
        else if (watched.looks >= looks_max) watched.wait.giveUp()
        else watched.looks += 1
      }
    }
    is_looking = false
  }

  return {
    begin(wait) {
      if (!clock) return unwatched
      const watched: Watch = { wait, looks: 0 }
      const leave = places.take(watched)
      if (!is_looking) void look()
      return {
        heard() {
          was_heard = true
          watched.looks = 0
        },
        end() {
          was_heard = true
          leave()
        },
      }
    },
    close: () => closing.abort(),
  }
}

/** Looks are counted, not time: where this process stood still, answers wait unread. */
type Watch = { wait: Wait; looks: number }

const unwatched: Waiting = { heard() {}, end() {} }
