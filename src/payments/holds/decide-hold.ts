// Captures or voids a held payment, in the three steps of every acquirer call: intent, call, outcome.

import type { Accepted, SettleAnswer } from '../../acquirers/acquirer.ts'
import type { ReservedKey } from '../../http/idempotency.ts'
import { Refusal } from '../../kernel/errors.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { type HoldEnding, settleIfCaptured } from '../acquirer-operations/found-hold.ts'
import { beginDecision } from '../acquirer-operations/hold-store.ts'
import { listOperations } from '../acquirer-operations/operation-store.ts'
import type { DecisionCase, RefusalReason } from '../acquirer-operations/outcome-by-kind.ts'
import type { End } from '../acquirer-operations/record-answer.ts'
import { callToSettle, sendOperation } from '../acquirer-operations/send.ts'
import type { SettlementContext } from '../context.ts'
import { type Decision, heldOrRefuse, isWaiting } from '../hold.ts'
import { newOperation, type Operation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import type { PaymentKey } from '../payment.ts'
import { findWholePayment } from '../reading/payment-store.ts'
import type { Cancellation } from '../session.ts'
import type { HeldPayment, WholePayment } from '../whole-payment.ts'

export type DecisionRequest = {
  kind: Decision
  /** What to capture; left out: all that was authorised. */
  amount?: number | undefined
  /** What the caller's body calls `amount`; left out: that. */
  amount_field?: string
  asked_by: 'merchant' | 'rules'
  cause: Cause
  /** The reason that a canceled payment intent shows; that of an earlier request, which was refused, goes. */
  cancellation?: Cancellation | null
  /** For a request by the API. */
  key: ReservedKey | null
}

/**
 * `accepted`: the acquirer carries it out or refuses it later. `unanswered`: the outcome is unknown. The reconciler
 * asks on.
 */
export type DecisionEnd = 'approved' | 'accepted' | 'unanswered'
type DecisionRefusal = { refused: RefusalReason }

/** How many races a decision may lose before something else must be wrong. */
const tries_max = 5

/**
 * Throws `resource_not_found` for a payment that was never held, `hold_already_decided`, `operation_refused`, `invalid_request` for
 * more than was authorised, or KeyTakenError. Of two at once exactly one succeeds.
 */
export async function decideHold(
  context: SettlementContext,
  key: PaymentKey,
  request: DecisionRequest,
): Promise<DecisionEnd> {
  for (let tries = 0; tries < tries_max; tries++) {
    const held = undecidedOrRefuse(await findWholePayment(context.sql, key))
    refuseOtherPart(context, held, request)
    const operation = await begin(context, held, request)
    // Another request was faster: the hold's present state gives the answer.
    if (!operation) continue
    const subject = { ...held, kind: 'decision' as const, operation, cause: request.cause }
    const answer = await sendOperation<DecisionCase, SettleAnswer | Accepted>(
      context,
      subject,
      callToSettle(context, subject),
    )
    const end = endOf(answer) ?? (await recorded(context, operation))
    if (typeof end === 'string') return end
    const ending = await settleIfCaptured(context, key, end.refused, request)
    if (ending === 'captured' && request.kind === 'capture') return 'approved'
    throw operationRefused(request.kind, end.refused, ending)
  }
  throw new Error('the hold changed under every try to decide it')
}

/** A part that the acquirer cannot capture is refused before anything is written. */
function refuseOtherPart(
  { acquirerOf }: Pick<SettlementContext, 'acquirerOf'>,
  { payment, attempt }: HeldPayment,
  { amount = payment.amount, amount_field: field = 'amount' }: DecisionRequest,
): void {
  if (amount > payment.amount) {
    const words = `${field}: must be at most ${payment.amount}, which is what was authorised.`
    throw new Refusal('invalid_request', words, { field, platform_code: 'amount_too_large' })
  }
  if (amount === payment.amount) return
  const { currency, mode, acquirer } = payment
  const authorisation = { amount: payment.amount, currency, brand: attempt.brand }
  const why = acquirerOf(mode, acquirer).partialCaptureRefusal?.(authorisation, amount) ?? null
  if (why !== null) {
    throw new Refusal('operation_refused', `${field}: the acquirer cannot capture this part: ${why}`, { field })
  }
}

/** Throws `resource_not_found`, or `hold_already_decided` where it is decided or an operation is under way. */
export function undecidedOrRefuse(payment: WholePayment | undefined): HeldPayment {
  const heldPayment = heldOrRefuse(payment)
  const { hold } = heldPayment
  if (!isWaiting(hold)) {
    throw new Refusal('hold_already_decided', `The payment is not held any more: ${hold.status}.`)
  }
  if (hold.operation_id !== null) {
    throw new Refusal(
      'hold_already_decided',
      'A capture or void of this payment is under way, or its answer is still being looked for.',
    )
  }
  return heldPayment
}

/** `ending` is how the refusal settled the hold; null where it is still open. */
export function operationRefused(
  kind: string,
  { reason, decline_code }: RefusalReason,
  ending: HoldEnding | null = null,
): Refusal {
  const code = decline_code === null ? '' : ` (${decline_code})`
  const now = ending === null ? 'It is still held.' : `It counts as ${ending} now.`
  return new Refusal('operation_refused', `The acquirer refused to ${kind} the payment: ${reason}${code}. ${now}`)
}

async function begin(
  context: SettlementContext,
  { session, payment, hold }: HeldPayment,
  { kind, amount = payment.amount, asked_by, cancellation = null, cause, key }: DecisionRequest,
): Promise<(Operation & { kind: Decision }) | null> {
  const { sql, ids, world } = context
  const at = world.clock.now()
  const operation_id = ids.operation(at)
  const sequence = hold.operation_count + 1
  const operation = { ...newOperation(payment, { operation_id, kind, amount, sequence, asked_by, key, at }), kind }
  const journal = lineOf(ids, payment, cause, {
    change: `${kind}.begun`,
    detail: {
      operation_id,
      sequence,
      acquirer: operation.acquirer,
      ...(amount !== payment.amount && { amount, currency: payment.currency }),
    },
    at,
  })
  const intent = { session: { ...session, cancellation }, hold, operation, key, journal }
  const is_begun = await writeAs(sql, cause, (tx) => beginDecision(tx, intent))
  return is_begun ? operation : null
}

function endOf(end: End<DecisionCase>): DecisionEnd | DecisionRefusal | null {
  if (end === null || typeof end === 'string') return end
  const { state, answer } = end.operation
  return state === 'approved' ? state : { refused: answer as RefusalReason }
}

/** What another process recorded meanwhile. */
async function recorded(context: SettlementContext, operation: Operation): Promise<DecisionEnd | DecisionRefusal> {
  const operations = await listOperations(context.sql, operation)
  const row = operations.find(({ operation_id }) => operation_id === operation.operation_id)
  if (row?.state === 'approved' || row?.state === 'accepted') return row.state
  const is_refused = row?.state === 'refused' || row?.state === 'not_sent'
  return is_refused ? { refused: row.answer as RefusalReason } : 'unanswered'
}
