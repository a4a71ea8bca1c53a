// Ends an unpaid session: before its time, as if it had expired, or for good where its time is over. It is a compare-and-set, against
// which a charge and a new attempt judge themselves.

import { type Actor, journalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen, storeKey } from '../../http/key-gate.ts'
import { compatibleEventRows } from '../../webhooks/queue/compatible-event.ts'
import type { Context } from '../context.ts'
import { canceledOf } from '../outcome.ts'
import { type Cancellation, type Session, statusAt } from '../session.ts'
import { endUnpaid, isUnpaidAsRead } from './session-store.ts'

export type End = {
  cancellation: Cancellation
  cause: { actor: Actor; request_id: string | null }
  /** The idempotency key of the request, with its answer about the ended session. */
  keyFor(session: Session): KeyRow | null
}

/** An unpaid session as it is once it has ended. */
export function endedAt(session: Session, cancellation: Cancellation, at: Date): Session {
  return { ...session, cancellation, expires_at: new Date(Math.min(session.expires_at.getTime(), at.getTime())) }
}

/**
 * Returns the session as it is then; null, with nothing written, where it is not unpaid and open any more. The other platform's
 * endpoints are told that the payment intent is canceled. Throws KeyTakenError.
 */
export async function endSession(
  { sql, ids, world, wakeDeliveries }: Pick<Context, 'sql' | 'ids' | 'world' | 'wakeDeliveries'>,
  session: Session,
  { cancellation, cause, keyFor }: End,
): Promise<Session | null> {
  const { merchant_id, session_id, mode } = session
  const at = world.clock.now()
  const ended = endedAt(session, cancellation, at)
  const line = journalLine(ids, {
    merchant_id,
    session_id,
    subject: session_id,
    change: 'session.expired',
    detail: { mode, cancellation },
    ...cause,
    at,
  })
  const canceled = canceledOf(ids, ended, { payment: null, cause, at })
  const told = sql`, journal as (insert into journal ${rowIf(sql, line, 'key')}
    ), ${compatibleEventRows(sql, canceled, 'key')}`
  if (!(await writeEnd(sql, session, { cancellation, at, key: keyFor(ended), told }))) return null
  wakeDeliveries('event', merchant_id)
  return ended
}

/**
 * Before a merchant is told that a session reads as over: a charge may be under way that was admitted in its time, and must not take
 * money after that answer. Stores the key of the request. Returns false, with nothing written, where that charge was faster. Nobody is
 * told of what lapsed. Throws KeyTakenError.
 */
export async function endLapsed(
  sql: Sql,
  session: Session,
  { now, key }: { now: Date; key: KeyRow | null },
): Promise<boolean> {
  if (session.cancellation === null && statusAt(session, now) === 'expired') {
    return writeEnd(sql, session, { cancellation: 'expired', at: now, key, told: sql`` })
  }
  await storeKey(sql, key)
  return true
}

async function writeEnd(
  sql: Sql,
  session: Session,
  { cancellation, at, key, told }: { cancellation: Cancellation; at: Date; key: KeyRow | null; told: Fragment },
): Promise<boolean> {
  const rows = await sql<GateResult[]>`
    with gate as (select 1 from sessions where ${isUnpaidAsRead(sql, session)} for update
    ), key as (${insertKeyIfOpen(sql, key)}
    ), session as (${endUnpaid(sql, session, { cancellation, at, gate: sql`select 1 from key` })})
    ${told} ${gateResult(sql)}`
  return hasPassed(rows)
}
