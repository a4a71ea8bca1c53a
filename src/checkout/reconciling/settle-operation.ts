// An operation's answer from the reconciler or a person is settled in the same way as an answer that came in time.

import { type Accepted, type AuthoriseAnswer, isGone, type SettleAnswer } from '../../acquirers/acquirer.ts'
import { chanceOf } from '../../kernel/world.ts'
import { findAccount } from '../../merchants/directory.ts'
import { listOperations, saveReversal } from '../asking/operation-store.ts'
import { orphanOfCharge } from '../asking/orphan-of-charge.ts'
import { noteOtherAmount } from '../asking/other-amount.ts'
import { noteAccepted } from '../asking/under-way.ts'
import { settleCharge } from '../charging/settle-charge.ts'
import type { SettlementContext } from '../context.ts'
import { heldOrRefuse } from '../holds/decide-hold.ts'
import { settleDecision } from '../holds/settle-decision.ts'
import { settleIfCaptured } from '../holds/settle-found-hold.ts'
import type { Payer } from '../limits/payer.ts'
import type { UnansweredOperation } from '../operation.ts'
import type { Orphan } from '../orphan.ts'
import { type Cause, type Declined, lineOf } from '../outcome.ts'
import { lookAfterRefusal } from '../reconciliation.ts'
import type { Refund } from '../refund.ts'
import { findRefundOfOperation } from '../refunds/refund-store.ts'
import { failRefundLate, settleRefund } from '../refunds/settle-refund.ts'
import type { WholePayment } from '../whole-payment.ts'

/** An unanswered operation with its payment, and the author of the search for its answer. */
export type OperationCase = WholePayment & { operation: UnansweredOperation; cause: Cause }

/**
 * False if it was answered meanwhile, or if the answer is of another amount and a person has to judge it. The answer must be of the
 * operation's kind. Its row remembers that a person gave it.
 */
export async function settleOperation(
  context: SettlementContext,
  found: OperationCase,
  given: AuthoriseAnswer | SettleAnswer | Accepted,
): Promise<boolean> {
  if (given.result === 'accepted') return noteAccepted(context, found, given)
  const { by_person } = found.cause
  const answer = by_person ? { ...given, by_person } : given
  if ((await noteOtherAmount(context, found, answer)) !== null) return false
  const { kind } = found.operation
  if (kind === 'authorise') return settleFoundCharge(context, found, answer as AuthoriseAnswer)
  if (kind === 'reverse') return settleReversal(context, found, answer as SettleAnswer)
  if (kind === 'refund') return settleFoundRefund(context, found, answer as SettleAnswer)
  const held = heldOrRefuse(found)
  const orphan = kind === 'void' ? givenUp(context, found, answer.result === 'approved') : null
  const sent = { ...found, ...held, orphan }
  const settled = await settleDecision(context, sent, answer as SettleAnswer)
  if (settled !== null && typeof settled !== 'string') {
    const asked_by = found.operation.asked_by!
    const asked = { asked_by, cause: found.cause, kind, key: null }
    await settleIfCaptured(context, found.payment, settled.refused, asked)
  }
  return settled !== null
}

async function settleFoundRefund(
  context: SettlementContext,
  found: OperationCase,
  answer: SettleAnswer,
): Promise<boolean> {
  const refund = await refundOf(context, found)
  return (await settleRefund(context, { ...found, refund }, answer)) !== null
}

/** A refund that had succeeded has failed since. False if that was recorded before. */
export async function failRefund(
  context: SettlementContext,
  approved: OperationCase,
  answer: Extract<SettleAnswer, { result: 'refused' }>,
): Promise<boolean> {
  const refund = await refundOf(context, approved)
  return (await failRefundLate(context, { ...approved, refund }, answer)) !== null
}

async function refundOf({ sql }: SettlementContext, { operation }: OperationCase): Promise<Refund> {
  const refund = await findRefundOfOperation(sql, operation)
  if (refund) return refund
  throw new Error(`operation ${operation.operation_id} has no refund`)
}

async function settleFoundCharge(
  context: SettlementContext,
  found: OperationCase,
  answer: AuthoriseAnswer,
): Promise<boolean> {
  const account = await findAccount(context.sql, found.payment.merchant_id)
  if (!account) throw new Error('a payment without a merchant')
  const payer = found.operation.payer as Payer | null
  const from = found.operation.state === 'reversing' ? 'reversing' : 'unanswered'
  const orphan = givenUp(context, found, answer.result !== 'approved')
  const decline = await declineBefore(context, found)
  const sent = { ...found, account, payer, orphan, declined_before: decline }
  return (await settleCharge(context, sent, answer, from)) !== null
}

/** The first acquirer's decline, if the charge is the second one's. The process that heard it may have died. */
async function declineBefore({ sql }: SettlementContext, { operation }: OperationCase): Promise<Declined | undefined> {
  if (operation.sequence === 1) return undefined
  const operations = await listOperations(sql, operation)
  const first = operations.find(({ kind, sequence }) => kind === 'authorise' && sequence === 1)
  return first?.state === 'declined' ? (first.answer as Declined) : undefined
}

/** A person may be wrong: a charge that they give up is reversed if the acquirer holds it after all. */
function givenUp(context: SettlementContext, found: OperationCase, holds_nothing: boolean): Orphan | null {
  return found.cause.by_person && holds_nothing ? orphanOf(context, found) : null
}

function orphanOf(context: SettlementContext, { operation, payment, authorisation }: OperationCase): Orphan {
  const { acquirer, ...money } = operation
  return orphanOfCharge(context, { authorisation: authorisation!, acquirer, money, payment })
}

/** After its reversal the charge is looked at again. It fails, unless its authorisation turned out to exist. */
async function settleReversal(
  context: SettlementContext,
  found: OperationCase,
  answer: SettleAnswer,
): Promise<boolean> {
  const { sql, ids, world } = context
  const { operation, payment, cause } = found
  const { reference: authorisation } = found.authorisation!
  const { operation_id, sequence } = operation
  const at = world.clock.now()
  const result = answer.result
  const is_there = answer.result === 'refused' && !isGone(answer)
  // A charge that was not there may still arrive, unless its reference is fenced now.
  const unknown = answer.result === 'refused' && !answer.authorisation_known
  const watched = unknown ? orphanOf(context, found) : null
  const state = is_there ? 'unknown' : 'reversing'
  const next_check_at = is_there ? lookAfterRefusal(operation, { now: at, chance: chanceOf(world) }) : at
  return saveReversal(sql, operation, {
    state: result,
    answer,
    charge: { operation_id: authorisation, state, next_check_at },
    orphan: watched?.watched_until ? watched : givenUp(context, found, result === 'approved'),
    at,
    journal: lineOf(ids, payment, cause, {
      change: `reverse.${result}`,
      detail: {
        operation_id,
        sequence,
        authorisation,
        authorisation_state: state,
      },
      at,
    }),
  })
}
