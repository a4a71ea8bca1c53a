// What a request does while its database is away and it alone may ask an attempt's bank. Nobody else goes on before that
// right is over, so it does not give up before either.

import { clock_skew_max_ms } from '../../database/clock/clock-skew.ts'
import {
  isConnectionLost,
  isLockTimeout,
  isRetriable,
  isStoreUnavailable,
} from '../../database/failures.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import { findAttempt } from './attempt-store.ts'

/** The 3DS Method's 10 s, two askings for card ranges and the AReq with 10 s each, and some slack. */
export const asking_ms = 45_000
const pause_ms = 500

/**
 * Whether a request may still be asking. A right that reaches further than any was written under a wrong clock: whoever
 * waited for its end would wait for days.
 */
export function mayBeAsking({ asking_until }: Pick<Attempt, 'asking_until'>, now: Date): boolean {
  if (asking_until === null) return false
  const left_ms = asking_until.getTime() - now.getTime()
  return left_ms > 0 && left_ms <= asking_ms + clock_skew_max_ms
}

type Patient = Pick<Context, 'sql'> & { world: Pick<Context['world'], 'clock'> }

/** Tries again what fails for want of the database, until the right is over. `work` may be done twice. */
export async function persist<Result>(
  { world: { clock } }: Patient,
  { asking_until }: Pick<Attempt, 'asking_until'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const passing = isStoreUnavailable(error) || isRetriable(error) || isLockTimeout(error)
      const left_ms = asking_until ? asking_until.getTime() - clock.now().getTime() : 0
      if (!passing || left_ms <= pause_ms) throw error
      await clock.sleep(pause_ms)
    }
  }
}

/**
 * Takes the right to ask by one statement, and finds out whether it did where that statement's answer was lost. `claimed`
 * is the attempt as it is then: nobody else's has its ids. Undefined where somebody was faster.
 */
export async function takeRight(
  context: Patient,
  claimed: Attempt,
  take: () => Promise<Attempt | undefined>,
): Promise<Attempt | undefined> {
  try {
    return await take()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    const { merchant_id, attempt_id, server_transaction_id } = claimed
    const found = await persist(context, claimed, () =>
      findAttempt(context.sql, merchant_id, attempt_id),
    )
    if (found?.server_transaction_id !== server_transaction_id) throw error
    return found
  }
}
