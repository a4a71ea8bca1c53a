// The one place where an acquirer's answer is recorded, whoever brings it: the request itself, a late answer, a look, a notice, a
// comparison or a person. A compare-and-set on the operation's state sees to it that one answer counts.

import type { Accepted, AuthoriseAnswer, SettleAnswer, UnderWay } from '../../acquirers/acquirer.ts'
import { strangeEnvironment } from '../../acquirers/environment.ts'
import { environmentOfMode } from '../../kernel/connection-mode.ts'
import { connectionNamed } from '../../merchants/account-connection.ts'
import { findAccount } from '../../merchants/directory.ts'
import type { SettlementContext } from '../context.ts'
import { heldOrRefuse } from '../hold.ts'
import { countOutcome, type Payer } from '../limits/payer.ts'
import {
  accepted_check_ms,
  type ExpectedState,
  first_check_ms,
  type UnansweredOperation,
  under_way_check_ms,
} from '../operation.ts'
import { type Declined, lineOf } from '../outcome.ts'
import { findRefundOfOperation } from '../reading/refund-store.ts'
import { handleSecondAnswer, noteOtherAmount, noteRefundedThere } from './differing-answer.ts'
import { settleIfCaptured } from './found-hold.ts'
import { listOperations, savePending } from './operation-store.ts'
import {
  type Answer,
  type ChargeCase,
  type OperationCase,
  type OutcomeOf,
  outcomeOf,
  type RefundCase,
  type RefusalReason,
  type SettleCase,
} from './outcome-by-kind.ts'
import { saveOutcome } from './outcome-store.ts'
import { saveSurely } from './save-surely.ts'

/** How an operation is open still. `accepted`: the acquirer carries it out later. `under_way`: it has the charge. */
type Open = 'accepted' | 'under_way' | 'unanswered'

/**
 * What was recorded, or how the operation is open. Null where somebody else has it in hand: another answer was recorded, a search has
 * begun, or a person has to judge this answer.
 */
export type End<Case extends SettleCase> =
  | OutcomeOf<Case>
  | (Case['kind'] extends 'charge' ? 'under_way' | 'unanswered' : 'accepted' | 'unanswered')
  | null

/** The answer must be of the operation's kind. Its row remembers that a person gave it. Throws SaveError. */
export async function settle<Case extends SettleCase>(
  context: SettlementContext,
  subject: Case,
  theirs: AuthoriseAnswer | SettleAnswer | Accepted | UnderWay,
): Promise<End<Case>> {
  if (theirs.result === 'accepted' || theirs.result === 'under_way') {
    return (await notePending(context, subject, theirs)) as End<Case>
  }
  const { operation, cause } = subject
  const answer = cause.by_person ? { ...theirs, by_person: true } : theirs
  if ((await noteOtherAmount(context, subject, answer)) !== null) return null
  const from = operation.state === 'reversing' ? 'reversing' : 'unanswered'
  const { outcome, is_saved } = await record(context, subject, answer, from)
  if (is_saved) return outcome
  // An answer to a reversal that came second changes nothing: its charge was looked at after the first.
  if (subject.kind === 'reversal') return null
  const money = theirs.result === 'approved' && 'captured' in theirs ? theirs : null
  await handleSecondAnswer(context, subject, { state: outcome.operation.state, money })
  if (subject.kind === 'refund' && theirs.result === 'approved') await noteRefundedThere(context, operation)
  return null
}

/**
 * Nothing that moves money left this machine. It settles this very sending alone: an operation that was looked up or sent again
 * meanwhile may have arrived, and its search goes on. Throws SaveError.
 */
export async function settleUnsent<Case extends SettleCase>(
  context: SettlementContext,
  subject: Case,
  answer: Answer,
): Promise<OutcomeOf<Case> | null> {
  const sending = subject.operation.last_sent_at
  const { outcome, is_saved } = await record(context, subject, answer, { sending })
  return is_saved ? outcome : null
}

async function record<Case extends SettleCase>(
  context: SettlementContext,
  subject: Case,
  answer: Answer,
  from: ExpectedState,
): Promise<{ outcome: OutcomeOf<Case>; is_saved: boolean }> {
  const at = context.world.clock.now()
  const outcome = outcomeOf(context, subject, answer, { from, at })
  const { operation_id, state: result, acquirer_transaction_id } = outcome.operation
  const fields = { operation_id, result, acquirer_transaction_id }
  const is_saved = await saveSurely(context, () => saveOutcome(context.sql, outcome, at), fields)
  if (is_saved && outcome.event) context.wakeDeliveries('event', subject.payment.merchant_id)
  if (is_saved && subject.kind === 'charge') {
    tellOfCharge(context, subject, {
      theirs: answer as AuthoriseAnswer,
      recorded: outcome.operation.answer as AuthoriseAnswer,
    })
    const { payment } = outcome as OutcomeOf<ChargeCase>
    context.metrics.paymentConfirmed(payment.status, payment.mode)
    await countOutcome(context, subject.payer, payment, at)
  }
  return { outcome: outcome as OutcomeOf<Case>, is_saved }
}

function tellOfCharge(
  { world }: SettlementContext,
  { operation, payment }: ChargeCase,
  { theirs, recorded }: { theirs: AuthoriseAnswer; recorded: AuthoriseAnswer },
): void {
  if (recorded.result !== 'failed') return
  const { operation_id, acquirer } = operation
  const { payment_id, mode } = payment
  const { reason } = recorded.decline
  if (theirs.result === 'approved') {
    const { amount, currency } = theirs
    const fields = { operation_id, acquirer, amount, currency, asked: payment.amount }
    const strange = strangeEnvironment(theirs, environmentOfMode[mode])
    if (strange === null) {
      world.log.error(fields, 'another amount was approved than was asked for: it is taken back')
    } else if (mode === 'test') {
      world.log.error({ ...fields, reason }, 'money moved for a test payment: it is taken back')
    }
  }
  // A merchant's connection cannot charge: its credentials may be wrong, its account disabled, or its vendor at fault.
  if (connectionNamed(acquirer) !== null) {
    const fields = { operation_id, payment_id, acquirer, reason }
    world.log.error(fields, 'a connection failed to charge: ripper connection check shows whether it works')
  }
}

const pending = {
  unanswered: { state: 'unknown', check_ms: first_check_ms },
  under_way: { state: 'unknown', check_ms: under_way_check_ms },
  accepted: { state: 'accepted', check_ms: accepted_check_ms },
} as const

/** The acquirer gave no usable answer: from now on the reconciler asks. Null where somebody else has it in hand. Throws SaveError. */
export async function noteUnanswered(
  context: SettlementContext,
  subject: OperationCase,
  error: Error,
): Promise<'unanswered' | null> {
  const { operation_id, acquirer, kind } = subject.operation
  const { request_id } = subject.cause
  // Silence is expected now and then; any other cause is a defect that somebody has to look into.
  const level = error.cause ? 'error' : 'warn'
  const fields = { request_id, operation_id, acquirer, kind, error: error.message }
  context.world.log[level](fields, 'acquirer gave no usable answer')
  return notePending(context, subject, { result: 'unanswered', acquirer_transaction_id: null })
}

async function notePending<Result extends Open>(
  { sql, ids, world }: SettlementContext,
  { operation, payment, session, attempt, cause }: OperationCase,
  { result, acquirer_transaction_id }: { result: Result; acquirer_transaction_id: string | null },
): Promise<Result | null> {
  const { operation_id, kind, acquirer } = operation
  const is_charge = kind === 'authorise'
  const fields = { operation_id, acquirer, acquirer_transaction_id }
  if (result === 'under_way') world.log.info(fields, 'the acquirer has the charge under way')
  const at = world.clock.now()
  const { state, check_ms } = pending[result]
  const name = acquirer_transaction_id !== null && { acquirer_transaction_id }
  const change = `${is_charge ? 'charge' : kind}.${result}`
  const rows = {
    operation,
    state,
    acquirer_transaction_id,
    // The shopper does not wait for a refund. A reversal follows a charge whose session shows already that an answer is missing.
    session: kind === 'refund' || kind === 'reverse' ? null : session,
    attempt: is_charge ? attempt : null,
    at,
    next_check_at: new Date(at.getTime() + check_ms),
    journal: lineOf(ids, payment, cause, { change, detail: { operation_id, ...name }, at }),
  }
  const answer = { operation_id, result, acquirer_transaction_id }
  return (await saveSurely({ world }, () => savePending(sql, rows), answer)) ? result : null
}

/** An operation of the books, whose answer does not come by its own request. */
export type BookedCase = OperationCase & { operation: UnansweredOperation }

/** False if somebody else has it in hand, or if the answer is of another amount and a person has to judge it. */
export async function settleOperation(
  context: SettlementContext,
  booked: BookedCase,
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<boolean> {
  const subject = await withItsRows(context, booked)
  return (await followRefusal(context, subject, await settle(context, subject, answer))) !== null
}

/** A refusal may say that the amount of a hold was captured at the acquirer already. */
export async function followRefusal<Case extends SettleCase>(
  context: SettlementContext,
  { payment, operation, cause }: Case,
  end: End<Case>,
): Promise<End<Case>> {
  if (end !== null && typeof end === 'object' && end.kind === 'decision' && end.event === null) {
    const { asked_by, kind } = operation
    const request = { asked_by: asked_by!, cause, kind, key: null }
    await settleIfCaptured(context, payment, end.operation.answer as RefusalReason, request)
  }
  return end
}

/** Reads what the outcome is made from. */
export async function withItsRows(context: SettlementContext, booked: BookedCase): Promise<SettleCase> {
  const { operation, payment } = booked
  switch (operation.kind) {
    case 'authorise': {
      const account = await findAccount(context.sql, payment.merchant_id)
      if (!account) throw new Error('a payment without a merchant')
      const payer = operation.payer as Payer | null
      return { ...booked, kind: 'charge', account, payer, declined_before: await declineBefore(context, operation) }
    }
    case 'refund':
      return withRefund(context, booked)
    case 'reverse':
      return { ...booked, kind: 'reversal' }
    default: {
      const { kind } = operation
      return { ...heldOrRefuse(booked), kind: 'decision', operation: { ...operation, kind } }
    }
  }
}

async function withRefund({ sql }: SettlementContext, booked: BookedCase): Promise<RefundCase> {
  const { operation } = booked
  const refund = await findRefundOfOperation(sql, operation)
  if (refund) return { ...booked, kind: 'refund', refund }
  throw new Error(`operation ${operation.operation_id} has no refund`)
}

/** The first acquirer's decline, if the charge is the second one's. The process that heard it may have died. */
async function declineBefore(
  { sql }: SettlementContext,
  operation: UnansweredOperation,
): Promise<Declined | undefined> {
  if (operation.sequence === 1) return undefined
  const operations = await listOperations(sql, operation)
  const first = operations.find(({ kind, sequence }) => kind === 'authorise' && sequence === 1)
  return first?.state === 'declined' ? (first.answer as Declined) : undefined
}

/**
 * A refund that had succeeded has failed at the acquirer: the money came back, and its amount may be refunded again. False if that was
 * recorded before.
 */
export async function failRefund(
  context: SettlementContext,
  booked: BookedCase,
  answer: Extract<SettleAnswer, { result: 'refused' }>,
): Promise<boolean> {
  return (await record(context, await withRefund(context, booked), answer, 'approved')).is_saved
}
