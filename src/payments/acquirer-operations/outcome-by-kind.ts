// What an answer means for each kind of operation: the rows that it writes, the event that tells of it, and its line. Nothing is written
// here. A new kind of operation gets its outcome here, and its rows in `outcome-store.ts`.

import { type AuthoriseAnswer, isGone, type SettleAnswer } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { strangeEnvironment } from '../../acquirers/environment.ts'
import { environmentOfMode } from '../../kernel/connection-mode.ts'
import { chanceOf } from '../../kernel/world.ts'
import { type Account, integrationOf } from '../../merchants/directory.ts'
import { holdRulesOf } from '../../merchants/integration.ts'
import { boundOutcome, boundRefund, isAsAsked } from '../bound-money.ts'
import { paidEvent } from '../checkout-event.ts'
import type { SettlementContext } from '../context.ts'
import { eventOf } from '../event.ts'
import { type Decision, type Hold, refuseDecision } from '../hold.ts'
import type { Payer } from '../limits/payer.ts'
import type { ExpectedState, Operation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import { type Cause, chargeOutcome, conclude, type Declined, decide, lineOf, toldBy } from '../outcome.ts'
import { type Refund, refundEventOf, settledRefund } from '../refund.ts'
import type { WholePayment } from '../whole-payment.ts'
import { lookAfterRefusal } from './next-step.ts'
import { orphanOfCharge } from './orphan-of-charge.ts'
import type { Outcome } from './outcome-store.ts'

/** An operation with its payment, and the author of its answer. */
export type OperationCase = WholePayment & { operation: Operation; cause: Cause }

export type ChargeCase = OperationCase & {
  kind: 'charge'
  account: Account
  /** The payer against whom a decline is counted; null in test mode. */
  payer: Payer | null
  /** The first acquirer's decline, if this is the second one's charge. It stands if this charge comes to nothing. */
  declined_before?: Declined | undefined
}
export type DecisionCase = OperationCase & { kind: 'decision'; operation: { kind: Decision }; hold: Hold }
export type RefundCase = OperationCase & { kind: 'refund'; refund: Refund }
export type ReversalCase = OperationCase & { kind: 'reversal' }
/** An operation with what its outcome is made from. */
export type SettleCase = ChargeCase | DecisionCase | RefundCase | ReversalCase

/** The outcome of such a case. */
export type OutcomeOf<Case extends SettleCase> = Extract<Outcome, { kind: Case['kind'] }>

/** Nothing left this machine. For a charge that is a `failed`. */
export type NotSentAnswer = { result: 'not_sent'; reason: string; decline_code: null }
export type Answer = AuthoriseAnswer | SettleAnswer | NotSentAnswer

/** A refusal of a capture, void or refund. */
export type RefusalReason = { reason: string; decline_code: string | null }

type Context = Pick<SettlementContext, 'ids' | 'acquirerOf' | 'world'>
/** `from`: the state in which the answer must find the operation. `at`: the time of everything that is written. */
type Expectation = { from: ExpectedState; at: Date }

/** The answer must be of the operation's kind. */
export function outcomeOf(context: Context, subject: SettleCase, answer: Answer, expected: Expectation): Outcome {
  switch (subject.kind) {
    case 'charge':
      return outcomeOfCharge(context, subject, answer as AuthoriseAnswer, expected)
    case 'decision':
      return outcomeOfDecision(context, subject, answer as SettleAnswer | NotSentAnswer, expected)
    case 'refund':
      return outcomeOfRefund(context, subject, answer as SettleAnswer | NotSentAnswer, expected)
    case 'reversal':
      return outcomeOfReversal(context, subject, answer as SettleAnswer, expected)
  }
}

function outcomeOfCharge(
  context: Context,
  charge: ChargeCase,
  theirs: AuthoriseAnswer,
  { from, at }: Expectation,
): Outcome {
  const { account, session, operation } = charge
  const { answer, orphan } = asAsked(context, charge, withExpiry(context, charge, theirs))
  const rules = holdRulesOf(integrationOf(account, session.integration_id), session.mode)
  const change = conclude(charge, answerTold(charge, answer), rules, at)
  return {
    ...chargeOutcome(context.ids, { ...charge, change, at }),
    operation: answered(operation, answer, from),
    orphan: orphan ?? givenUp(context, charge, answer.result !== 'approved'),
  }
}

/** An approval says when the acquirer lets the reservation go by itself, where the connector alone knows. */
function withExpiry(
  { acquirerOf }: Pick<Context, 'acquirerOf'>,
  { attempt, payment, operation }: ChargeCase,
  answer: AuthoriseAnswer,
): AuthoriseAnswer {
  if (answer.result !== 'approved' || answer.captured) return answer
  // One that was kept as JSON, as a notice is, has a text.
  if (answer.expires_at) return { ...answer, expires_at: new Date(answer.expires_at) }
  const { brand } = attempt
  const expires_at = acquirerOf(payment.mode, operation.acquirer).expiryOf?.({
    brand,
    authorised_at: operation.sent_at,
  })
  return expires_at ? { ...answer, expires_at } : answer
}

/** An error of the second acquirer must not hide the issuer's decline, which also counts against the payer. */
function answerTold({ declined_before }: ChargeCase, answer: AuthoriseAnswer): AuthoriseAnswer {
  if (answer.result !== 'failed' || !declined_before) return answer
  const { acquirer_transaction_id } = answer
  return { ...declined_before, acquirer_transaction_id }
}

/**
 * An approval of another amount, or from the other environment, is no approval: the acquirer's authorisation is reversed, and the
 * charge has failed.
 */
function asAsked(
  context: Context,
  { operation, payment }: ChargeCase,
  theirs: AuthoriseAnswer,
): { answer: AuthoriseAnswer; orphan: Orphan | null } {
  if (theirs.result !== 'approved') return { answer: theirs, orphan: null }
  const { operation_id: reference, handle, acquirer } = operation
  const { amount, currency, acquirer_transaction_id } = theirs
  const strange = strangeEnvironment(theirs, environmentOfMode[payment.mode])
  // A sandbox holds nothing. Its answer says so in a line of the log: see `tellOfCharge`.
  if (strange !== null && payment.mode === 'live') return { answer: failed(strange), orphan: null }
  if (strange === null && isAsAsked(payment, theirs)) return { answer: theirs, orphan: null }
  const answer = failed(strange ?? 'The acquirer approved another amount')
  const money = { amount, currency }
  const authorisation = { reference, handle, acquirer_transaction_id }
  return { answer, orphan: orphanOfCharge(context, { authorisation, acquirer, money, payment }) }
}

/** A refusal leaves the hold open. A void is done, too, where nothing is held any more. */
function outcomeOfDecision(
  context: Context,
  decision: DecisionCase,
  answer: SettleAnswer | NotSentAnswer,
  { from, at }: Expectation,
): Outcome {
  const { ids, world } = context
  const { operation, session, payment, hold, cause } = decision
  const { operation_id, kind, sequence } = operation
  const is_released = kind === 'void' && answer.result === 'refused' && isGone(answer)
  if (answer.result !== 'approved' && !is_released) {
    const detail = { operation_id, sequence, decline_code: answer.decline_code }
    return {
      kind: 'decision',
      operation: answered(operation, answer, from),
      session,
      payment,
      hold: refuseDecision(hold, operation, answer, { now: at, chance: chanceOf(world) }),
      event: null,
      compatible: null,
      orphan: null,
      journal: lineOf(ids, payment, cause, { change: `${kind}.refused`, detail, at }),
    }
  }
  return {
    kind: 'decision',
    ...decisionDone(context, takenBy(decision, answer), {
      at,
      holds_nothing: kind === 'void' && answer.result === 'approved',
    }),
    operation: { ...answered(operation, answer, from), state: 'approved' },
  }
}

/** A capture took what the acquirer says, or what was asked where it does not say. */
function takenBy(decision: DecisionCase, answer: SettleAnswer | NotSentAnswer): DecisionCase {
  const money = answer.result === 'approved' ? answer.money : undefined
  if (!money || decision.operation.kind !== 'capture') return decision
  return { ...decision, operation: { ...decision.operation, amount: money.amount } }
}

/** What a capture or void writes that is done. `found` says how that was learned where the operation has no answer of its own. */
export function decisionDone(
  context: Context,
  decision: Omit<DecisionCase, 'kind'>,
  { at, found, holds_nothing }: { at: Date; found?: string; holds_nothing: boolean },
) {
  const { operation, cause } = decision
  const { operation_id, kind, sequence, asked_by } = operation
  const change = decide(decision, operation, at)
  const { payment } = change
  const event = eventOf(change, { event_id: context.ids.event(at), sequence: 2, at })
  const source = found !== undefined && { found }
  return {
    ...change,
    event,
    compatible: paidEvent(context.ids, change, { ...toldBy(cause), at, is_decision: true }),
    orphan: givenUp(context, decision, holds_nothing),
    // As in `chargeOutcome`: the stream of events finds the event by this line.
    journal: lineOf(context.ids, payment, cause, {
      change: `payment.${payment.status}`,
      detail: { operation_id, kind, sequence, decided_by: asked_by, ...source, ...boundOutcome(payment, event) },
      at,
    }),
  }
}

/** An approved refund that is refused later has failed after all: the money came back. */
function outcomeOfRefund(
  { ids }: Context,
  { refund: before, operation, payment, cause }: RefundCase,
  answer: SettleAnswer | NotSentAnswer,
  { from, at }: Expectation,
): Outcome {
  const refund = settledRefund(before, answer, at)
  const sequence = from === 'approved' ? 2 : 1
  const event = refundEventOf(refund, { event_id: ids.event(at), sequence, at })
  const { refund_id, payment_id, failure } = refund
  const failureDetail = failure && { failure_code: failure.code }
  const detail = { payment_id, operation_id: operation.operation_id, ...failureDetail, ...boundRefund(refund, event) }
  return {
    kind: 'refund',
    operation: answered(operation, answer, from),
    refund,
    event,
    orphan: null,
    // As in `chargeOutcome`: the stream finds the event by this line, whose subject and change are the event's.
    journal: lineOf(ids, { ...payment, payment_id: refund_id }, cause, { change: event.type, detail, at }),
  }
}

/** After its reversal the charge is looked at again. It fails, unless its authorisation turned out to exist. */
function outcomeOfReversal(
  context: Context,
  reversal: ReversalCase,
  answer: SettleAnswer,
  { from, at }: Expectation,
): Outcome {
  const { ids, world } = context
  const { operation, payment, authorisation, cause } = reversal
  const { reference } = authorisation!
  const { operation_id, sequence } = operation
  const is_there = answer.result === 'refused' && !isGone(answer)
  // A charge that was not there may still arrive, unless its reference is fenced now.
  const is_unknown = answer.result === 'refused' && !answer.authorisation_known
  const watched = is_unknown ? orphanOf(context, reversal) : null
  const state = is_there ? 'unknown' : 'reversing'
  const next_check_at = is_there ? lookAfterRefusal(operation, { now: at, chance: chanceOf(world) }) : at
  return {
    kind: 'reversal',
    operation: answered(operation, answer, from),
    charge: { operation_id: reference, state, next_check_at },
    event: null,
    orphan: watched?.watched_until ? watched : givenUp(context, reversal, answer.result === 'approved'),
    journal: lineOf(ids, payment, cause, {
      change: `reverse.${answer.result}`,
      detail: { operation_id, sequence, authorisation: reference, authorisation_state: state },
      at,
    }),
  }
}

function answered(operation: Operation, answer: Answer, from: ExpectedState): Outcome['operation'] {
  const acquirer_transaction_id = 'acquirer_transaction_id' in answer ? answer.acquirer_transaction_id : null
  return { ...operation, state: answer.result, answer, from, acquirer_transaction_id }
}

/** A person may be wrong: a charge that they give up is reversed if the acquirer holds it after all. */
function givenUp(context: Context, { cause, ...subject }: OperationCase, holds_nothing: boolean): Orphan | null {
  return cause.by_person && holds_nothing ? orphanOf(context, subject) : null
}

function orphanOf(
  context: Context,
  { operation, payment, authorisation }: Pick<OperationCase, 'operation' | 'payment' | 'authorisation'>,
): Orphan {
  const { acquirer, amount, currency } = operation
  return orphanOfCharge(context, { authorisation: authorisation!, acquirer, money: { amount, currency }, payment })
}
