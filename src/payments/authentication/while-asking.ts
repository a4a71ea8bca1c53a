// What a request does while the database is away and it alone has the right to ask an attempt's bank. No other request
// goes on before that right ends, so this one does not give up before either.

import { clock_skew_max_ms } from '../../database/clock/clock-skew.ts'
import { isConnectionLost, isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import { findAttempt } from './attempt-store.ts'

/** The 3DS Method's 10 s, two requests for card ranges and the AReq with 10 s each, and some slack. */
export const asking_ms = 45_000
const pause_ms = 500

/**
 * Whether a request may still be asking. A right that reaches further was written under a wrong clock: other requests
 * would wait for days.
 */
export function mayBeAsking({ asking_until }: Pick<Attempt, 'asking_until'>, now: Date): boolean {
  if (asking_until === null) return false
  const left_ms = asking_until.getTime() - now.getTime()
  return left_ms > 0 && left_ms <= asking_ms + clock_skew_max_ms
}

type RetryContext = Pick<Context, 'sql'> & { world: Pick<Context['world'], 'clock'> }

/** Repeats work that fails because the database is away, until the right ends. `work` may run twice. */
export async function retryWhileAsking<Result>(
  { world: { clock } }: RetryContext,
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
 * Claims the right to ask by one statement. Where that statement's answer is lost, reads whether the claim succeeded.
 * `claimed` is the attempt after the claim: no other request's has its ids. Undefined where another request was faster.
 */
export async function claimRight(
  context: RetryContext,
  claim: Attempt,
  take: () => Promise<Attempt | undefined>,
): Promise<Attempt | undefined> {
  try {
    return await take()
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    const { merchant_id, attempt_id, server_transaction_id } = claim
    const row = await retryWhileAsking(context, claim, () => findAttempt(context.sql, merchant_id, attempt_id))
    if (row?.server_transaction_id !== server_transaction_id) throw error
    return row
  }
}
