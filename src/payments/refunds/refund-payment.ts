// Refunds a captured payment, in the three steps of every acquirer call: intent, call, outcome.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql } from '../../database/open.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import { Refusal } from '../../kernel/errors.ts'
import { writeAs } from '../../merchants/write-as.ts'
import type { RefundCase } from '../acquirer-operations/outcome-by-kind.ts'
import { callToSettle, sendOperation } from '../acquirer-operations/send.ts'
import type { SettlementContext } from '../context.ts'
import { newOperation, type Operation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { refundSums } from '../reading/owed-refunds.ts'
import { findWholePayment, lockPayment } from '../reading/payment-store.ts'
import { findRefund } from '../reading/refund-store.ts'
import { amountToRefund, newRefund, type Refund, type RefundWish } from '../refund.ts'
import type { WholePayment } from '../whole-payment.ts'
import { refuseBeyond } from './refund-limit-store.ts'

export type PersonWish = {
  /** Whether the merchant's limits of support apply. */
  is_limited: boolean
  /** How much their page says was given back another way. If it is another amount, they would give it back twice. */
  otherwise_amount: number
}

export type RefundRequest = RefundWish & {
  cause: Cause
  /** For a request by a person in the dashboard. */
  person?: PersonWish | null
  /** For a request by the API that has one. */
  key: ReservedKey | null
}

/** How often other refunds of the payment may come first before something else must be wrong. */
const tries_max = 20

/**
 * Returns the refund: settled, or pending while the acquirer carries it out or its answer is looked for. Throws
 * `resource_not_found`, `payment_not_refundable`, `refund_exceeds_captured`, `payment_disputed`, KeyTakenError, or for a person
 * `refund_settled_otherwise` or `refund_limit_exceeded`.
 */
export async function refundPayment(
  context: SettlementContext,
  key: PaymentKey,
  request: RefundRequest,
): Promise<Refund> {
  for (let tries = 0; tries < tries_max; tries++) {
    const whole = await findWholePayment(context.sql, key)
    if (!whole) throw noPayment()
    const subject = await begin(context, whole, request)
    // Other refunds were faster: what is left now decides.
    if (subject) return send(context, subject)
  }
  throw new Error(`payment ${key.payment_id} changed under every try to refund it`)
}

async function begin(
  context: SettlementContext,
  whole: WholePayment,
  { amount: asked_amount, accept_dispute, reason, metadata, cause, key, person }: RefundRequest,
): Promise<RefundCase | null> {
  const { sql, ids, world } = context
  const { payment } = whole
  const amount = amountToRefund(payment, { amount: asked_amount, accept_dispute })
  const at = world.clock.now()
  const operation_id = ids.operation(at)
  const refund_id = ids.refund(at)
  const refund = newRefund(whole, { amount, reason, metadata }, { refund_id, operation_id, at })
  const operation = newOperation(payment, {
    operation_id,
    kind: 'refund',
    sequence: refund.sequence,
    amount,
    at,
    key,
  })
  const { acquirer, currency } = operation
  const journal = lineOf(ids, payment, cause, {
    change: 'refund.begun',
    detail: { refund_id, operation_id, acquirer, amount, currency },
    at,
  })
  const rest = asked_amount === null ? amount : null
  const intent = { refund, operation, rest, accept_dispute, key, journal }
  const is_begun = await writeAs(sql, cause, async (tx) => {
    if (person) await refusePerson(tx, refund, person)
    return beginRefund(tx, intent)
  })
  if (!is_begun) return null
  return { ...whole, kind: 'refund', refund, operation, cause }
}

/** The notes and the limit hold until the transaction ends, so it must be one. */
async function refusePerson(tx: AnySql, { amount, ...key }: Refund, person: PersonWish): Promise<void> {
  const payment = await lockPayment(tx, key)
  if (!payment) throw noPayment()
  if (refundSums(payment).otherwise_amount !== person.otherwise_amount) {
    throw new Refusal('refund_settled_otherwise', 'Another amount of the payment was given back another way by now.')
  }
  if (person.is_limited) await refuseBeyond(tx, payment, amount)
}

async function send(context: SettlementContext, subject: RefundCase): Promise<Refund> {
  const end = await sendOperation(context, subject, callToSettle(context, subject))
  if (end !== null) return typeof end === 'object' ? end.refund : subject.refund
  // Another process has recorded an answer.
  return (await findRefund(context.sql, subject.refund)) ?? subject.refund
}

/**
 * Commits the intent to refund, with the request's idempotency key. The payment's row is locked: it counts every refund that did
 * not fail, and gives refund and operation their sequence. Returns false and writes nothing where less is left, where another amount is
 * left than `rest`, or where the payment is disputed by now. Throws KeyTakenError.
 */
async function beginRefund(
  sql: AnySql,
  intent: {
    refund: Refund
    operation: Operation
    /** For a refund of all that is left: how much that was when it was read. */
    rest: number | null
    accept_dispute: boolean
    key: ReservedKey | null
    journal: JournalLine
  },
): Promise<boolean> {
  const { refund: r, rest, accept_dispute, key, journal } = intent
  const thisPayment = sql`merchant_id = ${r.merchant_id} and payment_id = ${r.payment_id}`
  const taken = sql`coalesce(captured_amount, amount)`
  // A statement that waited for the row reads it again, but not what it looks up elsewhere.
  const sequence = sql`(select refund_count + 1 from gate)`
  const operation = { ...intent.operation, sequence }
  const rows = await sql<GateResult[]>`
    with gate as (
      select refund_count from payments
      where ${thisPayment} and status = 'captured' and refunded_amount + ${r.amount}::bigint <= ${taken}
        and (${rest}::bigint is null or refunded_amount + ${rest}::bigint = ${taken})
        and (${accept_dispute}::boolean or dispute is distinct from 'standing') for update
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
