// Ends an unpaid session before its time, as if it had expired: by a compare-and-set, against which a charge and a new attempt judge
// themselves. The other platform's endpoints are told that the payment intent is canceled.

import { type Actor, journalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import { compatibleEventRows } from '../../webhooks/queue/compatible-event.ts'
import type { Context } from '../context.ts'
import { canceledOf } from '../outcome.ts'
import type { Cancellation, Session } from '../session.ts'

type End = {
  cancellation: Cancellation
  cause: { actor: Actor; request_id: string | null }
  /** The idempotency key of the request, with its answer about the ended session. */
  keyFor(session: Session): KeyRow | null
}

/**
 * Returns the session as it is then; null, with nothing written, where it is not unpaid and open any more. Throws KeyTakenError.
 */
export async function endSession(
  { sql, ids, world, wakeDeliveries }: Pick<Context, 'sql' | 'ids' | 'world' | 'wakeDeliveries'>,
  session: Session,
  { cancellation, cause, keyFor }: End,
): Promise<Session | null> {
  const { merchant_id, session_id, mode, expires_at } = session
  const at = world.clock.now()
  const endedSession = { ...session, cancellation, expires_at: new Date(Math.min(expires_at.getTime(), at.getTime())) }
  const line = journalLine(ids, {
    merchant_id,
    session_id,
    subject: session_id,
    change: 'session.expired',
    detail: { mode, cancellation },
    ...cause,
    at,
  })
  const canceled = canceledOf(ids, endedSession, { payment: null, cause, at })
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 from sessions
      where merchant_id = ${merchant_id} and session_id = ${session_id} and status = 'requires_payment'
        and expires_at = ${expires_at} and attempt_count = ${session.attempt_count}
      for update
    ), key as (${insertKeyIfOpen(sql, keyFor(endedSession))}
    ), session as (
      update sessions set cancellation = ${cancellation}, expires_at = ${endedSession.expires_at}
      where merchant_id = ${merchant_id} and session_id = ${session_id} and exists (select 1 from key)
    ), journal as (insert into journal ${rowIf(sql, line, 'key')}
    ), ${compatibleEventRows(sql, canceled, 'key')}
    ${gateResult(sql)}`
  if (!hasPassed(rows)) return null
  wakeDeliveries('event', merchant_id)
  return endedSession
}
