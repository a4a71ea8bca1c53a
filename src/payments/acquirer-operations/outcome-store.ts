// The SQL that records an answer: one statement for every kind of operation, which writes all that follows from the answer or nothing.

import type { JournalLine } from '../../audit/journal.ts'
import type { Fragment } from '../../database/driver/pool.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import { type CompatibleEvent, compatibleEventRows } from '../../webhooks/queue/compatible-event.ts'
import { fanOut } from '../../webhooks/queue/fan-out.ts'
import { deleteCard } from '../cards/vault-store.ts'
import { checkoutRows } from '../checkout-sessions/checkout-session-store.ts'
import type { Event } from '../event.ts'
import type { Hold } from '../hold.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import type { ChargeOutcome } from '../outcome.ts'
import type { Payment } from '../payment.ts'
import { receiptIf } from '../receipts/receipt-store.ts'
import type { Refund } from '../refund.ts'
import type { Session } from '../session.ts'
import { endOperation } from './operation-store.ts'
import { orphanIf, poolFor } from './orphan-rows-store.ts'

/** An operation with its answer. */
type AnsweredOperation = Operation & {
  answer: object
  /** The acquirer's own id of the operation. */
  acquirer_transaction_id: string | null
  /** The state in which the operation must be found, so that an answer is recorded only once. */
  from: ExpectedState
}

/** What an answer writes of every kind of operation. */
type CommonRows = {
  operation: AnsweredOperation
  /** The authorisation that is reversed if the acquirer holds it after all. */
  orphan: Orphan | null
  journal: JournalLine
}
/** Without an event the hold stays open. */
type DecisionOutcome = CommonRows & {
  kind: 'decision'
  session: Session
  payment: Payment
  hold: Hold
  event: Event | null
  compatible: CompatibleEvent | null
}
type RefundOutcome = CommonRows & { kind: 'refund'; refund: Refund; event: Event }
type ReversalOutcome = CommonRows & {
  kind: 'reversal'
  /** What was reversed, and when it is looked up again. */
  charge: { operation_id: string; state: 'reversing' | 'unknown'; next_check_at: Date }
  event: null
}

/** All that an answer writes. */
export type Outcome = (ChargeOutcome & CommonRows) | DecisionOutcome | RefundOutcome | ReversalOutcome

/** Returns false, with nothing written, where the operation is not in the expected state: somebody else has it in hand. */
export async function saveOutcome(own: Sql, outcome: Outcome, now: Date): Promise<boolean> {
  const { operation, orphan, journal } = outcome
  const sql = poolFor(own, orphan)
  const { state, answer, from } = operation
  const end = { state, answer, from, transaction_id: transactionIdOf(sql, outcome), at: now }
  const rows = await sql`
    with gate as (${endOperation(sql, operation, end)}
    ), ${rowsOf(sql, outcome, now)}, orphan as (${orphanIf(sql, orphan, 'gate')}
    ), journal as (insert into journal ${rowIf(sql, journal, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

function transactionIdOf(sql: Sql, { kind, operation: { acquirer_transaction_id: id } }: Outcome) {
  if (kind === 'charge') return id
  // The acquirer may have named it when it accepted it. A reversal keeps that name alone.
  return kind === 'reversal' ? sql`acquirer_transaction_id` : sql`coalesce(${id}, acquirer_transaction_id)`
}

/** The CTEs of a kind. The session is locked before the attempt, and by a decision or a refund before the payment. */
function rowsOf(sql: Sql, outcome: Outcome, now: Date): Fragment {
  switch (outcome.kind) {
    case 'charge': {
      const { merchant_id, attempt_id } = outcome.attempt
      return sql`
        ${lockSession(sql, outcome.session)}, attempt as (
          update attempts set ${settledAttempt(sql, outcome, now)}
          where merchant_id = ${merchant_id} and attempt_id = ${attempt_id} and exists (select 1 from locked)
        ), ${chargeRows(sql, outcome)}`
    }
    case 'decision':
      return decisionRows(sql, outcome)
    case 'refund':
      return refundRows(sql, outcome)
    case 'reversal': {
      const { operation_id, state, next_check_at } = outcome.charge
      return sql`
        charge as (
          update acquirer_operations set state = ${state}, next_check_at = ${next_check_at},
            not_found_count = 0, waits_for_person_since = null
          where merchant_id = ${outcome.operation.merchant_id} and operation_id = ${operation_id}
            and state = 'reversing' and exists (select 1 from gate)
        )`
    }
  }
}

function lockSession(sql: Sql, { merchant_id, session_id }: Session): Fragment {
  return sql`
    locked as (
      select 1 from sessions where merchant_id = ${merchant_id} and session_id = ${session_id}
        and exists (select 1 from gate) for update
    )`
}

/** What becomes of the attempt when its charge ends. */
export function settledAttempt(sql: Sql, { attempt: a, payment }: ChargeOutcome, now: Date): Fragment {
  return sql`
    phase = 'settled', settled_at = ${now}, payment_id = ${payment.payment_id}, result = ${a.result as never},
    three_ds_state = ${a.three_ds_state}, authentication_outcome = ${a.authentication_outcome as never}`
}

/** What a charge that has ended writes, for a statement with `gate` and `locked`. Number and code of the card are deleted. */
export function chargeRows(sql: Sql, outcome: ChargeOutcome): Fragment {
  const { session: s, attempt, payment, hold, event, compatible } = outcome
  return sql`
    session as (
      update sessions set ${assignments(sql, s, 'status', 'customer', 'payment_id', 'last_decline', 'settlement', 'answer_by')}
      where merchant_id = ${s.merchant_id} and session_id = ${s.session_id}
        and exists (select 1 from gate) and exists (select 1 from locked)
    ), payment as (
      insert into payments ${rowIf(sql, payment, 'gate')}
      on conflict (merchant_id, payment_id) do update set status = excluded.status,
        capture_state = excluded.capture_state, decline = excluded.decline,
        acquirer_transaction_id = excluded.acquirer_transaction_id, executed_at = excluded.executed_at,
        authentication = excluded.authentication
    ), hold as (${hold ? sql`insert into holds ${rowIf(sql, hold, 'gate')}` : sql`select 1`}
    ), ${eventRows(sql, { payment, event, compatible })}, ${deleteCard(sql, attempt)}${checkoutRows(sql, s, event.created_at)}`
}

type ToldPayment = { payment: Payment; event: Event; compatible: CompatibleEvent | null }

/** A payment's event, its deliveries, and the shopper's receipt; and what the other platform's words tell besides. */
export function eventRows(sql: AnySql, { payment, event, compatible }: ToldPayment, gate = 'gate'): Fragment {
  // What a Checkout Session was told first comes before this change, and this change before what tells it again.
  const first = compatible?.event.sequence === 2 ? [{ subject: compatible.event.payment_id }] : []
  const behind = first.length > 0 ? [...first, { subject: event.payment_id }] : undefined
  const more = compatible ? sql`, ${compatibleEventRows(sql, compatible, gate, [event, ...first])}` : sql``
  return sql`
    event as (insert into events ${rowIf(sql, event, gate)}
    ), told as (${fanOut(sql, { event, mode: payment.mode }, gate, behind)}
    ), receipt as (${receiptIf(sql, { payment, event }, gate)}
    )${more}`
}

const openColumns: (keyof Hold)[] = ['operation_id', 'operation_refusal']
const ruleColumns: (keyof Hold)[] = [...openColumns, 'rules_at', 'rule_refusals']
export const decidedColumns: (keyof Hold)[] = [...openColumns, 'status', 'decided_by', 'decided_at', 'rules_at']

/** A refused decision leaves the hold open, and frees its idempotency key. Columns that are not listed may have changed since the hold was read. */
function decisionRows(sql: Sql, outcome: DecisionOutcome): Fragment {
  const { operation, session, payment: p, hold: h, event, compatible } = outcome
  const { merchant_id, operation_id, asked_by, idempotency_key, idempotency_audience } = operation
  const columns = event ? decidedColumns : asked_by === 'rules' ? ruleColumns : openColumns
  const rest = event
    ? sql`
      payment as (
        update payments set ${assignments(sql, p, 'status', 'capture_state', 'executed_at', 'captured_amount')}
        where merchant_id = ${merchant_id} and payment_id = ${p.payment_id} and exists (select 1 from locked)
      ), ${eventRows(sql, { payment: p, event, compatible })}`
    : sql`
      key as (
        delete from idempotency_keys
        where merchant_id = ${merchant_id} and audience = ${idempotency_audience ?? 'secret'}
          and key = ${idempotency_key} and answer is null and exists (select 1 from gate)
      )`
  return sql`
    ${lockSession(sql, session)}, session as (
      update sessions set settlement = null, answer_by = null
      where merchant_id = ${merchant_id} and session_id = ${session.session_id} and exists (select 1 from locked)
    ), hold as (
      update holds set ${assignments(sql, h, ...columns)}
      where merchant_id = ${merchant_id} and payment_id = ${h.payment_id}
        and status in ('pending_review', 'escalated') and operation_id = ${operation_id}
        and exists (select 1 from locked)
    ), ${rest}`
}

/** What failed may be refunded again. The session awaits no answer any more, unless it awaits another than a refund's. */
function refundRows(sql: Sql, { refund: r, event }: RefundOutcome): Fragment {
  const { merchant_id, payment_id } = r
  // A refund comes after all that was told of its payment.
  const checkout = sql`(
    select checkout_session_id from sessions where merchant_id = ${merchant_id} and session_id = ${r.session_id})`
  const behind =
    event.sequence === 1 ? [{ subject: checkout }, { subject: payment_id }] : [{ subject: event.payment_id }]
  // The refund's event in the other platform's words shows a charge, whose sum of refunds changes later.
  const givenBack = sql`(
    select refunded_amount from payments where merchant_id = ${merchant_id} and payment_id = ${payment_id})`
  return sql`
    session as (
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
    ), event as (insert into events ${rowIf(sql, { ...event, refunded_amount: givenBack }, 'gate')}
    ), told as (${fanOut(sql, { event, mode: r.mode }, 'gate', behind)}
    )`
}
