// The SQL of decisions on held payments: what begins one, what records one that was made elsewhere, and escalation. One statement each,
// each a compare-and-set.

import type { JournalLine } from '../../audit/journal.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import type { CompatibleEvent } from '../../webhooks/queue/compatible-event.ts'
import type { Event } from '../event.ts'
import type { Hold } from '../hold.ts'
import type { Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import type { Payment } from '../payment.ts'
import type { Session } from '../session.ts'
import { orphanIf, poolFor } from './orphan-rows-store.ts'
import { decidedColumns, eventRows } from './outcome-store.ts'

/**
 * Commits the intent to capture or void, with the request's idempotency key. Returns false and writes nothing where the
 * hold has changed since it was read. Throws KeyTakenError.
 */
export async function beginDecision(
  sql: AnySql,
  intent: {
    session: Session
    hold: Hold
    operation: Operation
    key: ReservedKey | null
    journal: JournalLine
  },
): Promise<boolean> {
  const { session: s, hold: h, operation, journal } = intent
  const rows = await sql<GateResult[]>`
    with ${undecided(sql, { session: s, hold: h, key: intent.key })}, hold as (
      update holds set operation_id = ${operation.operation_id}, operation_count = ${operation.sequence}
      where ${isOpen(sql, h)} and exists (select 1 from key)
    ), session as (
      update sessions set answer_by = ${operation.answer_by}, cancellation = ${s.cancellation}
      where merchant_id = ${s.merchant_id} and session_id = ${s.session_id} and exists (select 1 from key)
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'key')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/**
 * The CTEs that allow a decision: `key` has a row where the hold has not changed since it was read, and the key was
 * free.
 */
function undecided(
  sql: AnySql,
  { session: s, hold: h, key }: { session: Session; hold: Hold; key: ReservedKey | null },
) {
  return sql`
    locked as (
      select 1 from sessions where merchant_id = ${s.merchant_id} and session_id = ${s.session_id} for update
    ), gate as (
      select 1 from holds where ${isOpen(sql, h)} and operation_id is null
        and operation_count = ${h.operation_count} and exists (select 1 from locked) for update
    ), key as (${insertKeyIfOpen(sql, key)})`
}

/**
 * Writes a decision that was made at the acquirer without an operation of ours: the same rows, and an operation that
 * was never sent. Returns false and writes nothing where the hold has changed since it was read. Throws KeyTakenError.
 */
export async function saveFoundDecision(
  own: Sql,
  decision: {
    payment: Payment
    session: Session
    before: Hold
    hold: Hold
    operation: Operation & { answer: object; answered_at: Date }
    key: ReservedKey | null
    event: Event
    compatible: CompatibleEvent | null
    journal: JournalLine
    /** The authorisation, where a person declared it gone: it is reversed if it is not. */
    orphan: Orphan | null
  },
): Promise<boolean> {
  const { payment: p, session: s, before, hold: h, operation, event, compatible, journal, orphan } = decision
  const sql = poolFor(own, orphan)
  const rows = await sql<GateResult[]>`
    with ${undecided(sql, { session: s, hold: before, key: decision.key })}, hold as (
      update holds set ${assignments(sql, h, ...decidedColumns, 'operation_count')}
      where ${isOpen(sql, before)} and exists (select 1 from key)
    ), payment as (
      update payments set ${assignments(sql, p, 'status', 'capture_state', 'executed_at', 'captured_amount')}
      where merchant_id = ${p.merchant_id} and payment_id = ${p.payment_id} and exists (select 1 from key)
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'key')}
    ), ${eventRows(sql, { payment: p, event, compatible }, 'key')}, orphan as (${orphanIf(sql, orphan, 'key')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** False where the hold was decided. An escalated hold stays as it is. Throws KeyTakenError. */
export async function saveEscalation(
  sql: AnySql,
  { hold: h, key, journal }: { hold: Hold; key: ReservedKey | null; journal: JournalLine },
): Promise<boolean> {
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 from holds where ${isOpen(sql, h)} for update
    ), key as (${insertKeyIfOpen(sql, key)}
    ), hold as (
      update holds set status = 'escalated', rules_at = ${h.rules_at}
      where ${isThis(sql, h)} and status = 'pending_review' and exists (select 1 from key) returning 1
    ), journal as (insert into journal ${rowIf(sql, journal, 'hold')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** Claims holds on which the rules are due to act, until `lease_until`. */
export async function claimHoldsForRules(
  sql: Sql,
  { now, lease_until, limit }: { now: Date; lease_until: Date; limit: number },
): Promise<Pick<Hold, 'merchant_id' | 'payment_id'>[]> {
  return sql<Pick<Hold, 'merchant_id' | 'payment_id'>[]>`
    with claimed as (
      update holds set rules_at = ${lease_until}
      where ctid = any(array(
        select ctid from holds where operation_id is null and rules_at <= ${now}
        order by rules_at limit ${limit} for update skip locked))
        and decided_at is null
      returning merchant_id, payment_id
    )
    select * from claimed order by merchant_id, payment_id`
}

/** The rules do not act before `rules_at`. */
export async function restRules(sql: Sql, hold: Hold, rules_at: Date): Promise<void> {
  await sql`
    update holds set rules_at = ${rules_at}
    where ${isOpen(sql, hold)} and rules_at = ${hold.rules_at}`
}

function isThis(sql: AnySql, { merchant_id, payment_id }: Hold) {
  return sql`merchant_id = ${merchant_id} and payment_id = ${payment_id}`
}

function isOpen(sql: AnySql, hold: Hold) {
  return sql`${isThis(sql, hold)} and status in ('pending_review', 'escalated')`
}
