// POST /3ds/results: the Directory Server's RReq, the result of record of a challenge.

import type { Page } from '../../http/pages.ts'
import type { ResultMessage, ResultVerdict } from '../../three-ds/three-ds.ts'
import { type Attempt, attemptAt, challengeTimedOut, stateOf } from '../attempt.ts'
import type { Context } from '../context.ts'
import { attemptLine } from './attempt-lines.ts'
import { findAttemptByTransaction, moveAttempt } from './attempt-store.ts'

export const results_path = '/3ds/results'

export const receiveResult: Page<Context> = {
  method: 'POST',
  path: results_path,
  counted_apart: 'results',
  handle: async (context, { body, request_id }) => {
    // The field rules are the same in every mode; the transaction shows which mode it is.
    const reader = context.three_ds.test ?? context.three_ds.live
    if (!reader) return json('')
    const read = reader.readResult(body)
    if ('erro' in read) return json(read.erro)
    const verdict = await judgeResult(context, read.message, request_id)
    return json(reader.answerResult(read.message, verdict))
  },
}

async function judgeResult(
  context: Context,
  message: ResultMessage,
  request_id: string,
): Promise<ResultVerdict> {
  const attempt = await attemptOf(context, message)
  if (!attempt) return 'unknown_transaction'
  if (attempt.acs_url === null) return 'not_expected'
  if (attempt.three_ds_state !== 'awaiting_challenge') {
    // Another card superseded the attempt: the result is acknowledged and changes nothing.
    return attempt.three_ds_state === 'superseded' ? 'received' : 'duplicate'
  }
  const at = context.world.clock.now()
  const in_time = attemptAt(attempt, at) === attempt
  const outcome = in_time ? message.outcome : challengeTimedOut
  const three_ds_state = stateOf(outcome)
  const cause = { actor: 'bank', request_id } as const
  const moved = await moveAttempt(context.sql, attempt, {
    from: 'awaiting_challenge',
    to: { three_ds_state, authentication_outcome: outcome },
    line: attemptLine(context.ids, attempt, cause, {
      change: 'attempt.moved',
      detail: { three_ds_state },
      at,
    }),
  })
  return moved ? 'received' : 'duplicate'
}

/** The attempt, where all three ids agree. The shopper's browser never sees dsTransID, so it cannot forge a result. */
async function attemptOf(context: Context, message: ResultMessage): Promise<Attempt | null> {
  const merchant_id = await context.directory.merchantIdOfTransaction(message.server_transaction_id)
  if (!merchant_id) return null
  const attempt = await findAttemptByTransaction(
    context.sql,
    merchant_id,
    message.server_transaction_id,
  )
  if (!attempt) return null
  const agrees =
    equal(attempt.acs_transaction_id, message.acs_transaction_id) &&
    equal(attempt.ds_transaction_id, message.ds_transaction_id) &&
    attempt.three_ds_version === message.version
  return agrees ? attempt : null
}

function equal(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase()
}

function json(body: string) {
  return { status: 200, body, headers: { 'content-type': 'application/json; charset=utf-8' } }
}
