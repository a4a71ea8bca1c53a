// The last step of a capture or void: the acquirer's definite answer decides the hold or leaves it open, whichever
// process brings it.

import { type Accepted, isGone, type NotSent, type SettleAnswer } from '../../acquirers/acquirer.ts'
import { chanceOf } from '../../kernel/world.ts'
import { saveSurely } from '../asking/ask-acquirer.ts'
import { handleLostAnswer } from '../asking/lost-answer.ts'
import { noteAccepted } from '../asking/under-way.ts'
import { boundOutcome } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { eventOf } from '../event.ts'
import { type Hold, refuseDecision } from '../hold.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import { type Cause, decide, lineOf } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import { saveDecision, saveRefusal } from './hold-store.ts'

/** A payment that is or was held. */
export type HeldPayment = WholePayment & { hold: Hold }

/** A capture or void that was sent. */
export type SentDecision = HeldPayment & {
  operation: Operation
  cause: Cause
  /** The authorisation to reverse, should the acquirer hold it though the payment counts as voided. */
  orphan?: Orphan | null
}

export type RefusalReason = { reason: string; decline_code: string | null }
export type DecisionRefusal = { refused: RefusalReason }

/** `accepted`: the acquirer carries it out, or refuses it, later. */
export type DecisionResult = 'approved' | 'accepted' | DecisionRefusal

/** Null where another process recorded an answer before. */
export async function settleDecision(
  context: SettlementContext,
  sent: SentDecision,
  answer: SettleAnswer | Accepted,
): Promise<DecisionResult | null> {
  if (answer.result === 'accepted') {
    return (await noteAccepted(context, sent, answer)) ? 'accepted' : null
  }
  if (answer.result === 'approved') return approve(context, sent, answer)
  // Nothing is held there any more, which is all that a void is for.
  if (sent.operation.kind === 'void' && isGone(answer)) {
    return approve(context, sent, { ...answer, acquirer_transaction_id: null })
  }
  const refused = await refuse(context, sent, { state: 'refused', from: 'unanswered', answer })
  if (!refused) await handleLostAnswer(context, sent, { state: 'refused', money: null })
  return refused
}

/**
 * Nothing left this machine: the merchant gets a refusal, too. It settles this very sending alone: a capture or void
 * that was looked up or sent again meanwhile may have arrived.
 */
export function settleUnsent(
  context: SettlementContext,
  sent: SentDecision,
  error: NotSent,
): Promise<DecisionResult | null> {
  return refuse(context, sent, {
    state: 'not_sent',
    from: { sending: sent.operation.last_sent_at },
    answer: { reason: error.message, decline_code: null },
  })
}

async function approve(
  context: SettlementContext,
  sent: SentDecision,
  answer: { result: SettleAnswer['result']; acquirer_transaction_id: string | null },
): Promise<DecisionResult | null> {
  const { sql, ids, world } = context
  const { operation, cause } = sent
  const { operation_id, kind, sequence } = operation
  const { acquirer_transaction_id } = answer
  const now = world.clock.now()
  const change = decide(sent, operation, now)
  const event = eventOf(change, { event_id: ids.event(now), sequence: 2, at: now })
  const bound = boundOutcome(change.payment, event)
  const decision = {
    ...change,
    operation,
    answer,
    acquirer_transaction_id,
    orphan: sent.orphan ?? null,
    event,
    // As in `outcomeOf`: the stream of events finds the event by this line.
    journal: lineOf(ids, change.payment, cause, {
      change: `payment.${change.payment.status}`,
      detail: { operation_id, kind, sequence, decided_by: operation.asked_by, ...bound },
      at: now,
    }),
  }
  const told = { operation_id, result: answer.result, acquirer_transaction_id }
  if (!(await saveSurely(context, () => saveDecision(sql, decision, now), told))) {
    await handleLostAnswer(context, sent, { state: 'approved', money: null })
    return null
  }
  context.wakeDeliveries('event', operation.merchant_id)
  return 'approved'
}

async function refuse(
  context: SettlementContext,
  sent: SentDecision,
  { state, from, answer }: { state: 'refused' | 'not_sent'; from: ExpectedState; answer: RefusalReason },
): Promise<DecisionResult | null> {
  const { sql, ids, world } = context
  const { operation, session, payment, cause } = sent
  const { operation_id, kind, sequence } = operation
  const { reason, decline_code } = answer
  const now = world.clock.now()
  const refusal = {
    operation,
    session,
    answer,
    state,
    from,
    acquirer_transaction_id: null,
    hold: refuseDecision(sent.hold, operation, answer, { now, chance: chanceOf(world) }),
    journal: lineOf(ids, payment, cause, {
      change: `${kind}.refused`,
      detail: { operation_id, sequence, decline_code },
      at: now,
    }),
  }
  const told = { operation_id, result: state, acquirer_transaction_id: null }
  const saved = await saveSurely(context, () => saveRefusal(sql, refusal, now), told)
  return saved ? { refused: { reason, decline_code } } : null
}
