// Writes the results of attempts, many at a time. A failed write is kept and tried again: nothing is dropped while the
// process runs.

import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { Sql } from '../../database/open.ts'
import type { World } from '../../kernel/world.ts'
import { type Settlement, settleAttempts } from '../queue/queue-store.ts'
import { atMost } from './patience.ts'

export type AttemptResults = {
  add(settlement: Settlement): void
  /** How many results are not written yet. */
  unwritten(): number
  /** Writes all results, trying for some seconds. The delivery of an unwritten result is made again after its lease. */
  close(): Promise<void>
}

const batch_max = 256
/** Results within this time are written together. */
const linger_ms = 5
const backoff_first_ms = 50
const backoff_max_ms = 2_000
const close_limit_ms = 5_000

export type AttemptResultListener = {
  /** Called for each attempt whose lease had run out. */
  onFenced(settlement: Settlement): void
  /** Called when there is room for more. */
  onWritten(): void
}

export function openAttemptResults(
  { sql, world }: { sql: Sql; world: Pick<World, 'clock' | 'log'> },
  { onFenced, onWritten }: AttemptResultListener,
): AttemptResults {
  const { clock, log } = world
  const waiting: Settlement[] = []
  let writing: Promise<void> | null = null
  let hurry = new AbortController()
  let give_up_ms = Number.POSITIVE_INFINITY

  async function writeAll(): Promise<void> {
    let backoff_ms = 0
    // How many rows to write one by one, to find the row that the database refuses.
    let singles_left = 0
    while (waiting.length > 0) {
      if (waiting.length < batch_max) await clock.sleep(linger_ms, hurry.signal).catch(() => {})
      const batch = waiting.slice(0, singles_left > 0 ? 1 : batch_max)
      try {
        const settledIds = await settleAttempts(sql, batch, clock.now())
        for (const each of batch) if (!settledIds.has(each.attempt_id)) onFenced(each)
        waiting.splice(0, batch.length)
        onWritten()
        singles_left = Math.max(0, singles_left - 1)
        backoff_ms = 0
      } catch (error) {
        if (clock.now().getTime() > give_up_ms) {
          log.error({ count: waiting.length }, 'webhook attempts not written; they are made again')
          waiting.length = 0
        } else if (isPassing(error)) {
          if (!isRetriable(error)) tell(error)
          backoff_ms = Math.min(Math.max(backoff_first_ms, backoff_ms * 2), backoff_max_ms)
          await clock.sleep(backoff_ms)
        } else if (batch.length > 1) {
          singles_left = batch.length
        } else {
          // The refused row would hold up all others. Its delivery is attempted again after the lease.
          tell(error, waiting.shift()!.attempt_id)
          singles_left = Math.max(0, singles_left - 1)
        }
      }
    }
  }

  function tell(error: unknown, attempt_id?: string): void {
    const { message, code } = error as Error & { code?: string }
    if (attempt_id) log.error({ attempt_id, error: message, code }, 'webhook attempt not written')
    else log.warn({ count: waiting.length, error: message, code }, 'webhook attempts wait')
  }

  function start(): void {
    writing ??= writeAll().finally(() => {
      writing = null
      if (waiting.length > 0) start()
    })
  }

  async function whenIdle(): Promise<void> {
    while (writing) await writing
  }

  return {
    add(settlement) {
      waiting.push(settlement)
      if (waiting.length === batch_max) {
        hurry.abort()
        hurry = new AbortController()
      }
      start()
    },
    unwritten: () => waiting.length,
    async close() {
      give_up_ms = clock.now().getTime() + close_limit_ms
      await atMost(clock, close_limit_ms, whenIdle())
    },
  }
}

function isPassing(error: unknown): boolean {
  return isStoreUnavailable(error) || isRetriable(error) || isLockTimeout(error)
}
