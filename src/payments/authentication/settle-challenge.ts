// Records how a challenge ended, once, whichever way its result came.

import type { AuthenticationOutcome, ResultMessage } from '../../three-ds/three-ds.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import type { Cause } from '../outcome.ts'
import { attemptAt, challengeTimedOut, stateOf } from '../three-ds-states.ts'
import { attemptLine } from './attempt-journal.ts'
import { moveAttempt } from './attempt-store.ts'

export type ChallengeContext = Pick<Context, 'sql' | 'ids' | 'world'>

/** Whether the result is that of the attempt. The shopper's browser never sees dsTransID, so it cannot forge one. */
export function agrees(attempt: Attempt, message: ResultMessage): boolean {
  return (
    equal(attempt.server_transaction_id, message.server_transaction_id) &&
    equal(attempt.acs_transaction_id, message.acs_transaction_id) &&
    equal(attempt.ds_transaction_id, message.ds_transaction_id) &&
    attempt.three_ds_version === message.version
  )
}

/**
 * Moves the attempt on. A result that comes after the challenge's end is recorded as the time-out that the shopper has seen.
 * Undefined if another result was faster, or the attempt was superseded or charged meanwhile.
 */
export async function settleChallenge(
  context: ChallengeContext,
  attempt: Attempt,
  result: AuthenticationOutcome,
  cause: Cause,
): Promise<Attempt | undefined> {
  const at = context.world.clock.now()
  const in_time = attemptAt(attempt, at) === attempt
  const outcome = in_time ? result : challengeTimedOut
  const three_ds_state = stateOf(outcome)
  const change = { change: 'attempt.moved', detail: { three_ds_state }, at } as const
  return moveAttempt(context.sql, attempt, {
    from: 'awaiting_challenge',
    to: { three_ds_state, authentication_outcome: outcome },
    line: attemptLine(context.ids, attempt, cause, change),
  })
}

function equal(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase()
}
