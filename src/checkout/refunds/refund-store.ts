// The SQL of refunds: intent and outcome, one statement each, and the reads.

import type { JournalLine } from '../../audit/journal.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import { fanOut } from '../../webhooks/queue/fan-out.ts'
import { endOperation } from '../asking/answer-store.ts'
import type { Event } from '../event.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { PaymentKey } from '../payment.ts'
import type { Refund } from '../refund.ts'

/**
 * Commits the intent to refund, with the request's idempotency key. The payment's row is locked: it counts every refund that did
 * not fail, and gives refund and operation their sequence. Returns false and writes nothing where less is left, or where another
 * amount is left than `rest`. Throws KeyTakenError.
 */
export async function beginRefund(
  sql: AnySql,
  intent: {
    refund: Refund
    operation: Operation
    /** For a refund of all that is left: how much that was when it was read. */
    rest: number | null
    key: ReservedKey | null
    journal: JournalLine
    /** Whether the limit of support applies, of all refunds of the payment together. */
    is_limited: boolean
  },
): Promise<boolean> {
  const { refund: r, rest, key, journal, is_limited } = intent
  const thisPayment = sql`merchant_id = ${r.merchant_id} and payment_id = ${r.payment_id}`
  // A statement that waited for the row reads it again, but not what it looks up elsewhere.
  const sequence = sql`(select refund_count + 1 from gate)`
  const operation = { ...intent.operation, sequence }
  const isWithinLimit = is_limited
    ? sql`and refunded_amount + ${r.amount}::bigint <= (
        select l.amount from support_refund_limits l
        where l.merchant_id = ${r.merchant_id} and l.currency = ${r.currency})`
    : sql``
  const rows = await sql<GateResult[]>`
    with gate as (
      select refund_count from payments
      where ${thisPayment} and status = 'captured' and refunded_amount + ${r.amount}::bigint <= amount
        and (${rest}::bigint is null or refunded_amount + ${rest}::bigint = amount) ${isWithinLimit} for update
    ), key as (${insertKeyIfOpen(sql, key)}
    ), payment as (
      update payments set refunded_amount = refunded_amount + ${r.amount}::bigint, refund_count = refund_count + 1
      where ${thisPayment} and exists (select 1 from key)
    ), operation as (insert into acquirer_operations ${rowIf(sql, operation, 'key')}
    ), refund as (insert into refunds ${rowIf(sql, { ...r, sequence }, 'key')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** Everything that an outcome writes. */
export type RefundOutcome = {
  /** As it is now. */
  refund: Refund
  operation: {
    state: 'approved' | 'refused' | 'not_sent'
    answer: object
    acquirer_transaction_id: string | null
    from: ExpectedState
  }
  event: Event
  journal: JournalLine
}

/**
 * Writes an outcome whole: operation, refund, event with its deliveries, journal. What failed is left for another refund again.
 * The session awaits no answer any more, unless it awaits another than a refund's. Returns false and writes nothing where the
 * operation is not in the expected state.
 */
export async function saveRefundOutcome(
  sql: Sql,
  { refund: r, operation, event, journal }: RefundOutcome,
  now: Date,
): Promise<boolean> {
  const { merchant_id, payment_id } = r
  const { state, answer, acquirer_transaction_id, from } = operation
  // The acquirer may have named the refund when it accepted it.
  const knownId = sql`coalesce(${acquirer_transaction_id}, acquirer_transaction_id)`
  const end = { state, answer, transaction_id: knownId, from, at: now }
  const behind = event.sequence === 1 ? payment_id : event.payment_id
  const rows = await sql`
    with gate as (${endOperation(sql, r, end)}
    ), session as (
      -- Early releases marked the session, too, while a refund had no answer.
      update sessions set settlement = null
      where merchant_id = ${merchant_id} and session_id = ${r.session_id} and settlement is not null
        and exists (select 1 from gate)
        and not exists (
          select 1 from acquirer_operations
          where merchant_id = ${merchant_id} and payment_id = ${payment_id} and kind <> 'refund'
            and state in ('sent', 'unknown', 'reversing', 'accepted'))
      returning 1
    ), refund as (
      update refunds set ${assignments(sql, r, 'status', 'failure', 'settled_at')}
      where merchant_id = ${merchant_id} and refund_id = ${r.refund_id} and exists (select 1 from gate)
    ), payment as (
      update payments set refunded_amount = refunded_amount - ${r.amount}::bigint
      where merchant_id = ${merchant_id} and payment_id = ${payment_id} and ${r.status === 'failed'}::boolean
        and exists (select 1 from gate)
        -- The session is locked before the payment.
        and (select count(*) from session) >= 0
    ), event as (insert into events ${rowIf(sql, event, 'gate')}
    ), told as (${fanOut(sql, { event, mode: r.mode }, 'gate', behind)}
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

export async function findRefund(
  sql: Sql,
  { merchant_id, refund_id }: { merchant_id: string; refund_id: string },
): Promise<Refund | undefined> {
  const [row] = await sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and refund_id = ${refund_id}`
  return row
}

export async function findRefundOfOperation(
  sql: Sql,
  { merchant_id, operation_id }: Pick<Operation, 'merchant_id' | 'operation_id'>,
): Promise<Refund | undefined> {
  const [row] = await sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and operation_id = ${operation_id}`
  return row
}

/** Whether the refund succeeded before it became what it is now. */
export async function hasSucceeded(
  sql: Sql,
  { merchant_id, refund_id }: Pick<Refund, 'merchant_id' | 'refund_id'>,
): Promise<boolean> {
  const rows = await sql`
    select 1 from events
    where merchant_id = ${merchant_id} and payment_id = ${refund_id} and sequence = 1 and type = 'refund.succeeded'`
  return rows.length > 0
}

/** A payment's refunds, newest first. */
export async function listRefunds(sql: Sql, { merchant_id, payment_id }: PaymentKey): Promise<Refund[]> {
  return sql<Refund[]>`
    select * from refunds where merchant_id = ${merchant_id} and payment_id = ${payment_id}
    order by sequence desc`
}

/** The newest refund of a payment that was begun under an idempotency key, and the state of its operation. */
export async function findRefundByKey(
  sql: Sql,
  { merchant_id, payment_id }: PaymentKey,
  { key, audience }: { key: string; audience: string },
): Promise<(Refund & Pick<Operation, 'state' | 'answer_by'>) | undefined> {
  const [row] = await sql<(Refund & Pick<Operation, 'state' | 'answer_by'>)[]>`
    select r.*, o.state, o.answer_by from acquirer_operations o
    join refunds r on r.merchant_id = o.merchant_id and r.operation_id = o.operation_id
    where o.merchant_id = ${merchant_id} and o.payment_id = ${payment_id} and o.kind = 'refund'
      and o.idempotency_key = ${key}
      -- One of an early release does not say whose the key is.
      and coalesce(o.idempotency_audience, ${audience}) = ${audience}
    order by r.sequence desc limit 1`
  return row
}
