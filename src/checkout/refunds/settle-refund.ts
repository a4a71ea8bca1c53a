// The last step of a refund: the acquirer's definite answer, whichever process brings it, and a failure days after success.

import type { Accepted, NotSent, SettleAnswer } from '../../acquirers/acquirer.ts'
import { saveSurely } from '../asking/ask-acquirer.ts'
import { handleLostAnswer } from '../asking/lost-answer.ts'
import { noteAccepted } from '../asking/under-way.ts'
import { boundRefund } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { type Refund, type RefundAnswer, refundEventOf, settledRefund } from '../refund.ts'
import type { WholePayment } from '../whole-payment.ts'
import { saveRefundOutcome } from './refund-store.ts'
import { noteRefundedThere } from './refunded-there.ts'

/** A refund that was sent. */
export type SentRefund = WholePayment & { refund: Refund; operation: Operation; cause: Cause }

/** Returns the refund as it is now, or null where another process recorded an answer before. Throws SaveError. */
export async function settleRefund(
  context: SettlementContext,
  sent: SentRefund,
  answer: SettleAnswer | Accepted,
): Promise<Refund | null> {
  if (answer.result === 'accepted') {
    return (await noteAccepted(context, sent, answer)) ? sent.refund : null
  }
  const settled = await save(context, sent, answer, 'unanswered')
  if (!settled) {
    await handleLostAnswer(context, sent, { state: answer.result, money: null })
    if (answer.result === 'approved') await noteRefundedThere(context, sent.operation)
  }
  return settled
}

/**
 * Nothing left this machine, so the refund has failed. It settles this very sending alone: a refund that was looked up or sent
 * again meanwhile may have arrived.
 */
export function settleUnsentRefund(
  context: SettlementContext,
  sent: SentRefund,
  error: NotSent,
): Promise<Refund | null> {
  const answer = { result: 'not_sent' as const, reason: error.message, decline_code: null }
  return save(context, sent, answer, { sending: sent.operation.last_sent_at })
}

/**
 * A refund that had succeeded has failed at the acquirer: the money came back. Its amount may be refunded again. Null where it
 * was recorded before.
 */
export function failRefundLate(
  context: SettlementContext,
  sent: SentRefund,
  answer: Extract<SettleAnswer, { result: 'refused' }>,
): Promise<Refund | null> {
  return save(context, sent, answer, 'approved')
}

async function save(
  context: SettlementContext,
  { refund: before, operation: { operation_id }, payment, cause }: SentRefund,
  answer: RefundAnswer,
  from: ExpectedState,
): Promise<Refund | null> {
  const { sql, ids, world, wakeDeliveries } = context
  const at = world.clock.now()
  const refund = settledRefund(before, answer, at)
  const acquirer_transaction_id = answer.result === 'approved' ? answer.acquirer_transaction_id : null
  const event = refundEventOf(refund, {
    event_id: ids.event(at),
    sequence: from === 'approved' ? 2 : 1,
    at,
  })
  const { refund_id, payment_id, failure } = refund
  // As in `outcomeOf`: the stream of events finds the event by this line, whose subject and change are the event's.
  const journal = lineOf(ids, { ...payment, payment_id: refund_id }, cause, {
    change: event.type,
    detail: {
      payment_id,
      operation_id,
      ...(failure && { failure_code: failure.code }),
      ...boundRefund(refund, event),
    },
    at,
  })
  const { result: state } = answer
  const outcome = {
    refund,
    operation: { state, answer, acquirer_transaction_id, from },
    event,
    journal,
  }
  const told = { operation_id, result: state, acquirer_transaction_id }
  if (!(await saveSurely(context, () => saveRefundOutcome(sql, outcome, at), told))) return null
  wakeDeliveries('event', refund.merchant_id)
  return refund
}
