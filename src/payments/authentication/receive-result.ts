// POST /3ds/results: the Directory Server's RReq, the result of record of a challenge.

import { cellOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Page } from '../../http/pages.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { ResultMessage, ResultVerdict } from '../../three-ds/three-ds.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import { findAttemptByTransaction } from './attempt-store.ts'
import { agrees, settleChallenge } from './settle-challenge.ts'

export const results_path = '/3ds/results'

export const receiveResult: Page<Context> = {
  method: 'POST',
  path: results_path,
  body_kind: 'message',
  counted_apart: 'results',
  handle: async (context, request) => {
    // The field rules are the same in every mode; the transaction shows which mode it is.
    const reader = context.three_ds.test ?? context.three_ds.live
    if (!reader) throw new Refusal('resource_not_found', 'No 3DS Server of our own runs here.')
    const result = reader.readResult(request.body)
    if ('erro' in result) return json(result.erro)
    const verdict = await judgeResult(context, result.message, request.request_id)
    return json(reader.answerResult(result.message, verdict))
  },
}

async function judgeResult(context: Context, message: ResultMessage, request_id: string): Promise<ResultVerdict> {
  const subject = await attemptOf(context, message)
  if (!subject) return 'unknown_transaction'
  const { attempt, sql } = subject
  if (attempt.acs_url === null) return 'not_expected'
  if (attempt.three_ds_state !== 'awaiting_challenge') {
    // Another card superseded the attempt: the result is acknowledged and changes nothing.
    return attempt.three_ds_state === 'superseded' ? 'received' : 'duplicate'
  }
  const cause = { actor: 'bank', request_id } as const
  const moved = await settleChallenge({ ...context, sql }, attempt, message.outcome, cause)
  return moved ? 'received' : 'duplicate'
}

/** The attempt, where all three ids agree, and the pool that reaches it. */
async function attemptOf(context: Context, message: ResultMessage): Promise<{ attempt: Attempt; sql: Sql } | null> {
  const merchant_id = await context.directory.merchantIdOfTransaction(message.server_transaction_id)
  if (!merchant_id) return null
  const sql = await cellOf(context.sql, merchant_id)
  const attempt = await findAttemptByTransaction(sql, merchant_id, message.server_transaction_id)
  // The result of a connection's challenge is fetched there. Nobody posts it.
  const is_posted = attempt?.three_ds_provider === null
  return is_posted && agrees(attempt, message) ? { attempt, sql } : null
}

function json(body: string) {
  return { status: 200, body, headers: { 'content-type': 'application/json; charset=utf-8' } }
}
