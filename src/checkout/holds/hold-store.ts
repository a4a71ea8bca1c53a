// The SQL of decisions on held payments: intent, outcome, refusal, escalation. One statement each, each a compare-and-set.

import type { JournalLine } from '../../audit/journal.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import { fanOut } from '../../webhooks/queue/fan-out.ts'
import { endOperation } from '../asking/answer-store.ts'
import { orphanIf, poolFor } from '../asking/orphan-rows-store.ts'
import type { Event } from '../event.ts'
import type { Hold } from '../hold.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import type { Payment } from '../payment.ts'
import { receiptIf } from '../receipts/receipt-store.ts'
import type { Session } from '../session.ts'

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
      update sessions set answer_by = ${operation.answer_by}
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

type DecisionAnswer = {
  operation: Pick<Operation, 'merchant_id' | 'operation_id'>
  answer: object
  acquirer_transaction_id: string | null
  session: Session
  hold: Hold
  journal: JournalLine
}

const openColumns: (keyof Hold)[] = ['operation_id', 'operation_refusal']
const ruleColumns: (keyof Hold)[] = ['rules_at', 'rule_refusals']
const decidedColumns: (keyof Hold)[] = [...openColumns, 'status', 'decided_by', 'decided_at', 'rules_at']

/**
 * Writes a decision whole: payment, hold, session, event with its deliveries, journal. False where it was answered
 * before.
 */
export async function saveDecision(
  own: Sql,
  decided: DecisionAnswer & { payment: Payment; event: Event; orphan: Orphan | null },
  now: Date,
): Promise<boolean> {
  const { payment: p, event, orphan } = decided
  const sql = poolFor(own, orphan)
  const rows = await sql`
    with ${answered(sql, decided, { state: 'approved', from: 'unanswered', columns: decidedColumns, now })}, payment as (
      update payments set ${assignments(sql, p, 'status', 'capture_state', 'executed_at')}
      where merchant_id = ${p.merchant_id} and payment_id = ${p.payment_id} and exists (select 1 from locked)
    ), event as (insert into events ${rowIf(sql, event, 'gate')}
    ), told as (${fanOut(sql, { event, mode: p.mode })}
    ), receipt as (${receiptIf(sql, { payment: p, event }, 'gate')}
    ), orphan as (${orphanIf(sql, orphan, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

/**
 * Writes a decision that was made at the acquirer without an operation of ours: the same rows, and an operation that
 * was never sent. Returns false and writes nothing where the hold has changed since it was read. Throws KeyTakenError.
 */
export async function saveFoundDecision(
  own: Sql,
  found: {
    payment: Payment
    session: Session
    before: Hold
    hold: Hold
    operation: Operation & { answer: object; answered_at: Date }
    key: ReservedKey | null
    event: Event
    journal: JournalLine
    /** The authorisation, where a person declared it gone: it is reversed if it is not. */
    orphan: Orphan | null
  },
): Promise<boolean> {
  const { payment: p, session: s, before, hold: h, operation, event, journal, orphan } = found
  const sql = poolFor(own, orphan)
  const rows = await sql<GateResult[]>`
    with ${undecided(sql, { session: s, hold: before, key: found.key })}, hold as (
      update holds set ${assignments(sql, h, ...decidedColumns, 'operation_count')}
      where ${isOpen(sql, before)} and exists (select 1 from key)
    ), payment as (
      update payments set ${assignments(sql, p, 'status', 'capture_state', 'executed_at')}
      where merchant_id = ${p.merchant_id} and payment_id = ${p.payment_id} and exists (select 1 from key)
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'key')}
    ), event as (insert into events ${rowIf(sql, event, 'key')}
    ), told as (${fanOut(sql, { event, mode: p.mode }, 'key')}
    ), receipt as (${receiptIf(sql, { payment: p, event }, 'key')}
    ), orphan as (${orphanIf(sql, orphan, 'key')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/**
 * The acquirer refused, or the request never left: the hold is open again, and the idempotency key is free. False as
 * above.
 */
export async function saveRefusal(
  sql: Sql,
  refused: DecisionAnswer & {
    operation: Operation
    state: 'refused' | 'not_sent'
    from: ExpectedState
  },
  now: Date,
): Promise<boolean> {
  const { state, operation, from } = refused
  const { merchant_id, idempotency_key, idempotency_audience, asked_by } = operation
  const columns = asked_by === 'rules' ? [...openColumns, ...ruleColumns] : openColumns
  const rows = await sql`
    with ${answered(sql, refused, { state, from, columns, now })}, key as (
      delete from idempotency_keys
      where merchant_id = ${merchant_id} and audience = ${idempotency_audience ?? 'secret'}
        and key = ${idempotency_key} and answer is null and exists (select 1 from gate)
    )
    select 1 from gate`
  return rows.length > 0
}

/** The CTEs that both ends of a decision share. Columns that are not listed may have changed since the row was read. */
function answered(
  sql: Sql,
  end: DecisionAnswer,
  endAs: { state: Operation['state']; from: ExpectedState; columns: (keyof Hold)[]; now: Date },
) {
  const { operation: o, session: s, hold: h, answer, journal } = end
  const { acquirer_transaction_id: transaction_id } = end
  const { state, from, columns, now } = endAs
  const thisSession = sql`merchant_id = ${s.merchant_id} and session_id = ${s.session_id}`
  return sql`
    gate as (${endOperation(sql, o, { state, answer, transaction_id, from, at: now })}
    ), locked as (
      select 1 from sessions where ${thisSession} and exists (select 1 from gate) for update
    ), session as (
      update sessions set settlement = null, answer_by = null
      where ${thisSession} and exists (select 1 from locked)
    ), hold as (
      update holds set ${assignments(sql, h, ...columns)}
      where ${isOpen(sql, h)} and operation_id = ${o.operation_id} and exists (select 1 from locked)
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})`
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
