// What an acquirer says of an operation that has ended. If it has it otherwise than we recorded, money may have moved against our
// books.

import type { AuthorisationStanding, AuthoriseAnswer, Notice, SettleAnswer } from '../../acquirers/acquirer.ts'
import { type AcquirerCharge, findingElsewhere } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { endOfDecision } from '../hold.ts'
import {
  type Difference,
  handleSecondAnswer,
  noteOtherAmount,
  noteRefundedThere,
  noteRefusedShift,
  takeBack,
} from './differing-answer.ts'
import { noteFinding } from './finding-store.ts'
import { listOperations } from './operation-store.ts'
import { lookUp } from './reconcile.ts'
import { type BookedCase, failRefund } from './record-answer.ts'

/** `later`: the acquirer does not know yet. `settled`: a refund that had succeeded has failed, which happens in order. */
export type Contradiction = Difference | 'settled' | 'later'

/** What made us ask: a notice, or nothing but time. */
type Hint = Pick<Notice, 'about' | 'answer'>

/** Asks an acquirer that can be asked, but only if the hint may say otherwise than we recorded. */
export async function askIfContradicted(
  context: SettlementContext,
  ended: BookedCase,
  hint: Hint,
): Promise<Contradiction> {
  if (!mayContradict(ended, hint)) return 'nothing_new'
  const look = await lookUp(context, ended)
  if (look.result === 'no_answer' || look.result === 'in_progress') return 'later'
  if (look.result !== 'found' || look.kind !== ended.operation.kind) return 'nothing_new'
  if (look.kind !== 'authorise') return contradiction(context, ended, look.answer)
  const present = presentAnswer(look.answer, look.standing)
  if (hint.about === 'capture' && present?.result === 'approved' && !present.captured) {
    return noteTakenBack(context, ended)
  }
  return present ? contradiction(context, ended, present) : 'nothing_new'
}

/** Compares the acquirer's answer with the recorded end of the operation. */
export async function contradiction(
  context: SettlementContext,
  ended: BookedCase,
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<Contradiction> {
  const { operation, payment } = ended
  const was_approved = operation.state === 'approved'
  if (was_approved === (answer.result === 'approved')) {
    if (was_approved && 'captured' in answer) await noteRefusedShift(context, ended, answer)
    return (was_approved && (await noteOtherAmount(context, ended, answer))) || 'nothing_new'
  }
  if (was_approved && operation.kind === 'refund' && answer.result === 'refused') {
    return (await failRefund(context, ended, answer)) ? 'settled' : 'nothing_new'
  }
  const gave_back = operation.kind === 'reverse' || operation.kind === 'void'
  if (was_approved && gave_back) return reverseAgain(context, ended)
  if (was_approved) return noteTakenBack(context, ended)
  if (operation.kind === 'refund') {
    return (await noteRefundedThere(context, operation)) ? 'contradicts' : 'nothing_new'
  }
  const money = 'captured' in answer ? answer : null
  const approval = { state: 'approved', money } as const
  // Nothing is concluded where the database cannot be reached: a notice that was taken in, or a comparison, comes again.
  const operations = await listOperations(context.sql, operation)
  const difference = await handleSecondAnswer(context, { operation, payment }, approval, operations)
  if (difference === 'contradicts') await noteDoneAfterAll(context, ended)
  return difference
}

/**
 * A notice about a refund need not say its outcome. A refund may fail days after it succeeded, and one that a person gave up may
 * succeed. A reversal may have been a refund.
 */
function mayContradict({ operation }: BookedCase, { answer }: Hint): boolean {
  if (answer?.result !== 'suggested') {
    return operation.kind === 'refund' || operation.kind === 'reverse'
  }
  const was_approved = operation.state === 'approved'
  return (answer.outcome === 'approved') !== was_approved
}

/** The charge has failed or was voided here, and the acquirer holds its money again: it becomes an orphan, which is reversed. */
async function reverseAgain(
  context: SettlementContext,
  { operation, payment, authorisation }: BookedCase,
): Promise<Contradiction> {
  const { acquirer, operation_id, payment_id, kind, amount, currency } = operation
  const fields = { operation_id, payment_id, kind, acquirer }
  context.world.log.error(fields, 'a void or reversal has failed since, the charge is reversed again')
  const money = { amount, currency }
  await takeBack(context, { authorisation: authorisation!, acquirer, money, payment })
  return 'taken_back'
}

/** A capture or void that was refused here was carried out, and the hold may still wait. */
async function noteDoneAfterAll(context: Pick<SettlementContext, 'sql' | 'world'>, ended: BookedCase): Promise<void> {
  const { kind } = ended.operation
  if (kind !== 'capture' && kind !== 'void') return
  const state = endOfDecision[kind]
  if (ended.payment.status !== state) await note(context, ended, state)
}

/**
 * Goods may have been sent for money that never comes. Where the acquirer can be asked, the next comparison judges the finding by its
 * books; elsewhere a person does.
 */
async function noteTakenBack(
  context: Pick<SettlementContext, 'sql' | 'world'>,
  ended: BookedCase,
): Promise<Contradiction> {
  const { operation_id, payment_id, kind, acquirer } = ended.operation
  const fields = { operation_id, payment_id, kind, acquirer }
  context.world.log.error(fields, 'the acquirer has taken back what it approved')
  await note(context, ended, 'declined')
  return 'contradicts'
}

/** About the payment's authorisation, so that a comparison may end it. */
async function note(
  { sql, world }: Pick<SettlementContext, 'sql' | 'world'>,
  { payment, authorisation }: BookedCase,
  state: AcquirerCharge['state'],
): Promise<void> {
  const { reference } = authorisation!
  const theirs = { state, amount: null, currency: null }
  const at = world.clock.now()
  await noteFinding({ sql }, findingElsewhere({ payment, reference, theirs, at }))
}

/** Null for an approval that holds nothing any more: it was voided, reversed, or has lapsed. */
function presentAnswer(answer: AuthoriseAnswer, standing: AuthorisationStanding | null): AuthoriseAnswer | null {
  if (answer.result !== 'approved' || standing === null) return answer
  return standing.state === 'reserved' || standing.state === 'captured' ? answer : null
}
