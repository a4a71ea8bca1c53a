// Refunds a captured payment, in the three steps of every acquirer call: intent, call, outcome.

import type { Accepted, SettleAnswer } from '../../acquirers/acquirer.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { callToSettle, SaveError, sendAndSettle } from '../asking/ask-acquirer.ts'
import { noteUnanswered } from '../asking/unanswered.ts'
import type { SettlementContext } from '../context.ts'
import { newOperation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { noPayment, type PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import { amountToRefund, newRefund, type Refund, type RefundWish, refuseBeyond } from '../refund.ts'
import type { WholePayment } from '../whole-payment.ts'
import { findRefundLimit } from './refund-limit-store.ts'
import { beginRefund, findRefund } from './refund-store.ts'
import { type SentRefund, settleRefund, settleUnsentRefund } from './settle-refund.ts'

export type RefundRequest = RefundWish & {
  cause: Cause
  /** Whether the merchant's limits of support apply. */
  is_limited?: boolean
  /** For a request by the API that has one. */
  key: ReservedKey | null
}

/** How often other refunds of the payment may come first before something else must be wrong. */
const tries_max = 20

/**
 * Returns the refund: settled, or pending while the acquirer carries it out or its answer is looked for. Throws
 * `resource_not_found`, `payment_not_refundable`, `refund_exceeds_captured`, `refund_limit_exceeded`, or KeyTakenError.
 */
export async function refundPayment(
  context: SettlementContext,
  key: PaymentKey,
  asked: RefundRequest,
): Promise<Refund> {
  for (let tries = 0; tries < tries_max; tries++) {
    const whole = await findWholePayment(context.sql, key)
    if (!whole) throw noPayment()
    const begun = await begin(context, whole, asked)
    // Other refunds were faster: what is left now decides.
    if (begun) return send(context, begun)
  }
  throw new Error(`payment ${key.payment_id} changed under every try to refund it`)
}

async function begin(
  context: SettlementContext,
  whole: WholePayment,
  { amount: asked_amount, reason, metadata, cause, key, is_limited = false }: RefundRequest,
): Promise<SentRefund | null> {
  const { sql, ids, world } = context
  const { payment } = whole
  const amount = amountToRefund(payment, { amount: asked_amount })
  if (is_limited) refuseBeyond(await findRefundLimit(sql, payment), payment, amount)
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
    idempotency_key: key?.key ?? null,
    idempotency_audience: key?.audience ?? null,
  })
  const { acquirer, currency } = operation
  const journal = lineOf(ids, payment, cause, {
    change: 'refund.begun',
    detail: { refund_id, operation_id, acquirer, amount, currency },
    at,
  })
  const rest = asked_amount === null ? amount : null
  const intent = { refund, operation, rest, key, journal, is_limited }
  if (!(await writeAs(sql, cause, (tx) => beginRefund(tx, intent)))) return null
  return { ...whole, refund, operation, cause }
}

/** Sends a refund that is written down, and records the result. */
async function send(context: SettlementContext, sent: SentRefund): Promise<Refund> {
  const { refund } = sent
  const call = callToSettle(context, sent)
  try {
    const settled = await sendAndSettle<SettleAnswer | Accepted, Refund>(context, sent.operation, call, {
      answered: (answer) => settleRefund(context, sent, answer),
      notSent: (error) => settleUnsentRefund(context, sent, error),
      unanswered: async (error) => ((await noteUnanswered(context, sent, error)) ? refund : null),
    })
    // Another process has recorded an answer.
    return settled ?? (await findRefund(context.sql, refund)) ?? refund
  } catch (error) {
    // The reconciler finds the answer again.
    if (error instanceof SaveError) return refund
    throw error
  }
}
