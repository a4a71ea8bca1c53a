// Collects what a payment's page and `ripper audit show` show: a session, its payments as they are now, its lines, its events and their deliveries.

import { type PlacedLine, type Seal, sealOf } from '../../audit/chain.ts'
import { listLines } from '../../audit/journal-store.ts'
import type { Sql } from '../../database/open.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { type TracedDelivery, type TracedEvent, traceEvents } from '../../webhooks/deliveries/trace-events.ts'
import { heldUntil, isReplayable, nextAttemptAt } from '../../webhooks/delivery.ts'
import { patience_ms } from '../acquirer-operations/next-step.ts'
import { listOperations, type OperationWithAnswer } from '../acquirer-operations/operation-store.ts'
import { listDisputesOf } from '../disputes/dispute-store.ts'
import { viewHold } from '../hold.ts'
import { isUnanswered, type UnansweredOperation } from '../operation.ts'
import { type LifeKey, listTriedCards, type TriedCard } from '../reading/life-store.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { listRefunds } from '../reading/refund-store.ts'
import { type Refund, viewRefund } from '../refund.ts'
import { type Session, settlementAt, statusAt } from '../session.ts'
import { findSession } from '../sessions/session-store.ts'
import { attemptAt, judge } from '../three-ds-states.ts'
import type { WholePayment } from '../whole-payment.ts'

type PaymentNow = WholePayment & { operations: OperationWithAnswer[]; refunds: Refund[] }

export type Life = {
  key: LifeKey
  session: Session
  cards: TriedCard[]
  payments: PaymentNow[]
  lines: PlacedLine[]
  events: TracedEvent[]
}

/** Everything about a session: its payments as they are now, its journal, its events and their deliveries. */
export async function readLife(sql: Sql, key: LifeKey): Promise<Life> {
  const { merchant_id } = key
  const session = (await findSession(sql, key))!
  const payments: PaymentNow[] = []
  const events: TracedEvent[] = []
  const cards = await listTriedCards(sql, key)
  for (const { payment_id } of cards) {
    if (payment_id === null) continue
    const whole = (await findWholePayment(sql, { merchant_id, payment_id }))!
    const operations = await listOperations(sql, { merchant_id, payment_id })
    const refunds = await listRefunds(sql, { merchant_id, payment_id })
    payments.push({ ...whole, operations, refunds })
    const disputes = await listDisputesOf(sql, { merchant_id, payment_id })
    const told = [...refunds.map(({ refund_id }) => refund_id), ...disputes.map(({ dispute_id }) => dispute_id)]
    const subjects = [payment_id, ...told]
    events.push(...(await traceEvents(sql, { merchant_id, subjects })))
  }
  return { key, session, cards, payments, events, lines: await listLines(sql, session) }
}

/** All of it as JSON. */
export function viewLife({ key, session, payments, lines, events }: Life, now: Date) {
  const views = lines.map(viewLine)
  const count = (seal: Seal) => views.filter((line) => line.seal === seal).length
  return {
    ...key,
    session: viewSession(session, now),
    payments: payments.map(viewPayment),
    lines: views,
    events: events.map((event) => viewEvent(event, now)),
    seals: { right: count('right'), wrong: count('wrong'), not_yet: count('not_yet') },
  }
}

/** Until when the service asks the acquirer, and when next: null once a person must say. Null where nothing is asked. */
export function askingOf(operation: UnansweredOperation, now: Date) {
  if (!isUnanswered(operation, now)) return null
  const { sent_at, next_check_at, waits_for_person_since } = operation
  const next_at = waits_for_person_since === null ? timestampOrNull(next_check_at) : null
  return { next_at, until: timestamp(new Date(sent_at.getTime() + patience_ms)) }
}

/** A challenge past its end has failed, and until the bank or the shopper comes back there is no line of it. */
export function authenticationFailureOf(attempt: TriedCard, now: Date) {
  const at = attemptAt(attempt, now)
  if (at.three_ds_state !== 'failed') return null
  const { code } = judge(at, { on_3ds_unavailable: 'decline' }).decline!
  return { code, unrecorded_since: at === attempt ? null : timestampOrNull(attempt.challenge_expires_at) }
}

function viewSession(session: Session, now: Date) {
  const { mode, amount, currency, amount_verification_source, attempt_count } = session
  return {
    status: statusAt(session, now),
    mode,
    amount,
    currency,
    amount_verification_source,
    attempt_count,
    settlement: settlementAt(session, now),
    created_at: timestamp(session.created_at),
    expires_at: timestamp(session.expires_at),
  }
}

function viewPayment({ payment, attempt, hold, operations, refunds }: PaymentNow) {
  const { payment_id, status, capture_state, amount, currency, decline, acquirer } = payment
  return {
    payment_id,
    attempt_id: attempt.attempt_id,
    attempt_number: attempt.number,
    status,
    capture_state,
    amount,
    captured_amount: payment.captured_amount,
    currency,
    decline,
    acquirer,
    acquirer_transaction_id: payment.acquirer_transaction_id,
    created_at: timestamp(payment.created_at),
    executed_at: timestampOrNull(payment.executed_at),
    hold: hold && viewHold(hold),
    refunded_amount: payment.refunded_amount,
    refunds: refunds.map(viewRefund),
    operations: operations.map(({ operation_id, kind, sequence, state, sent_at, answered_at }) => ({
      operation_id,
      kind,
      sequence,
      state,
      sent_at: timestamp(sent_at),
      answered_at: timestampOrNull(answered_at),
    })),
  }
}

function viewLine(placed: PlacedLine) {
  const { entry_id, at, change, subject, actor, request_id, detail } = placed.line
  return {
    entry_id,
    at: timestamp(new Date(Math.round(Number(at) * 1000))),
    change,
    subject,
    actor,
    request_id,
    detail: JSON.parse(detail) as Record<string, unknown>,
    position: placed.position,
    hash: placed.hash?.toString('hex') ?? null,
    seal: sealOf(placed),
  }
}

function viewEvent({ created_at, deliveries, ...event }: TracedEvent, now: Date) {
  return {
    ...event,
    created_at: timestamp(created_at),
    deliveries: deliveries.map((delivery) => viewDelivery(delivery, deliveries, now)),
  }
}

function viewDelivery(delivery: TracedDelivery, ofEvent: TracedDelivery[], now: Date) {
  const { delivery_id, endpoint_id, endpoint_url, settled_as, replay_of, attempts } = delivery
  const { due_at, breaker_open_until } = delivery
  const is_waiting = due_at !== null && delivery.attempted_at === null
  // As ripper delivery show has it: pending until the first attempt has ended.
  const status = settled_as ?? attempts.at(-1)?.status ?? 'pending'
  const standing = {
    status,
    root_created_at: delivery.root_created_at,
    endpoint_is_active: delivery.endpoint_status === 'active',
    is_being_replayed: ofEvent.some((other) => other.replay_of === delivery_id && other.settled_as === null),
  }
  return {
    delivery_id,
    endpoint_id,
    endpoint_url,
    replay_of,
    status,
    replayable: isReplayable(standing, now),
    created_at: timestamp(delivery.created_at),
    settled_at: timestampOrNull(delivery.settled_at),
    next_attempt_at: is_waiting ? timestamp(nextAttemptAt({ due_at, breaker_open_until }, now)) : null,
    held_until: timestampOrNull(is_waiting ? heldUntil(delivery, now) : null),
    attempts: attempts.map(({ attempt_number, status, occurred_at, next_retry_at, ...attempt }) => ({
      attempt_number,
      status,
      occurred_at: timestamp(occurred_at),
      duration_ms: attempt.duration_ms,
      endpoint_url: attempt.endpoint_url,
      response_status_code: attempt.response_status_code,
      failure: attempt.failure,
      next_retry_at: timestampOrNull(next_retry_at),
    })),
  }
}
