// Answers that differ from what was recorded before, or from what was asked for: money may have moved against our books.

import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import { isAsAsked, isPartTaken } from '../bound-money.ts'
import { type AcquirerCharge, findingOfRefund, type NewFinding } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { isOpen, type Operation, type OperationState } from '../operation.ts'
import { orphanLine } from '../orphan.ts'
import { type Cause, lineOf } from '../outcome.ts'
import { type Payment, takenOf } from '../payment.ts'
import { findRefundOfOperation, hasSucceeded } from '../reading/refund-store.ts'
import type { WholePayment } from '../whole-payment.ts'
import { noteFinding } from './finding-store.ts'
import { listOperations, markForPerson, type OperationWithAnswer } from './operation-store.ts'
import { orphanOfCharge, type UnwantedCharge } from './orphan-of-charge.ts'
import { isChargeSettled, saveOrphan } from './orphan-rows-store.ts'
import { saveSurely } from './save-surely.ts'

export type SecondAnswer = {
  /** What would have been recorded. */
  state: OperationState
  /** For an approved charge: the amount at the acquirer. */
  money: ApprovedMoney | null
}

type ApprovedMoney = Pick<Operation, 'amount' | 'currency'> & {
  acquirer_transaction_id: string
  liability_shifted?: false
}

/** `taken_back`: a charge that the acquirer approved and that ended otherwise here will be reversed. */
export type Difference = 'nothing_new' | 'contradicts' | 'taken_back'

/**
 * An answer that was not recorded, since the operation had already ended. `rows`: the payment's operations, where a caller that can come
 * again has read them. Throws SaveError.
 */
export async function handleSecondAnswer(
  context: SettlementContext,
  { operation, payment }: { operation: Operation; payment: Payment },
  { state, money }: SecondAnswer,
  rows?: OperationWithAnswer[],
): Promise<Difference> {
  const { operation_id, payment_id, kind, acquirer } = operation
  const operations = rows ?? (await listRecorded(context, operation))
  const recorded = operations.find((each) => each.operation_id === operation_id)?.state ?? null
  if (recorded === state) {
    if (money) await noteRefusedShift(context, { operation, payment }, money)
    return 'nothing_new'
  }
  const { learned_by } = context.acquirerOf(payment.mode, acquirer)
  // Where only notices tell, a second reversal would be refused in words that do not say whether money is still held.
  if (learned_by === 'notice' && wasReversed(operations, operation)) return 'nothing_new'
  const transaction_id = learned_by === 'notice' ? money?.acquirer_transaction_id : undefined
  // What ended it came before its approval: notices come in any order.
  if (transaction_id && (await isSettled(context, { acquirer, transaction_id }))) {
    return 'nothing_new'
  }
  const moved = state === 'approved' || recorded === 'approved'
  const fields = { operation_id, payment_id, kind, acquirer, result: state, recorded }
  const { log } = context.world
  if (moved) log.error(fields, 'an answer contradicts what was recorded before')
  else log.warn(fields, 'an answer says otherwise than what was recorded')
  if (kind !== 'authorise' || money === null || recorded === null) return 'contradicts'
  // An operation that the reconciler still looks up may yet end as approved.
  if (recorded === 'sent' || recorded === 'unknown') return 'contradicts'
  // The acquirer may confuse the payment's two charges where both connections lead to one account.
  if (isOfAnother(operations, operation, money)) {
    log.error(fields, 'an answer names the authorisation of another charge: nothing is taken back')
    return 'contradicts'
  }
  const { acquirer_transaction_id, amount, currency } = money
  const authorisation = {
    reference: operation_id,
    handle: operation.handle,
    acquirer_transaction_id,
  }
  await takeBack(context, { authorisation, acquirer, money: { amount, currency }, payment })
  return 'taken_back'
}

/** Whether the charge is an orphan whose money went back; false where the database cannot be reached. */
function isSettled({ sql }: SettlementContext, charge: Parameters<typeof isChargeSettled>[1]): Promise<boolean> {
  return isChargeSettled(sql, charge).catch(() => false)
}

/** The payment's operations; none where the database cannot be reached: the answer then counts as different. */
async function listRecorded(context: SettlementContext, operation: Operation): Promise<OperationWithAnswer[]> {
  try {
    return await listOperations(context.sql, operation)
  } catch {
    return []
  }
}

/**
 * Whether a charge failed because the acquirer reversed it when we asked for that. Only a payment's last charge is reversed. A
 * reversal counts if the acquirer itself has answered it: a person who said so may have been wrong.
 */
function wasReversed(operations: readonly OperationWithAnswer[], { kind, operation_id, acquirer }: Operation): boolean {
  const last = operations.findLast((each) => each.kind === 'authorise')
  if (kind !== 'authorise' || last?.operation_id !== operation_id || last.state !== 'failed') return false
  return operations.some(
    (each) =>
      each.kind === 'reverse' && each.acquirer === acquirer && each.state === 'approved' && !wasGivenByPerson(each),
  )
}

/** What `settle` has noted in the answer. */
function wasGivenByPerson({ answer }: OperationWithAnswer): boolean {
  return answer !== null && 'by_person' in answer
}

/** Whether the payment stands on this authorisation, or may yet do so, by another charge. */
function isOfAnother(
  operations: readonly OperationWithAnswer[],
  { operation_id }: Operation,
  { acquirer_transaction_id }: ApprovedMoney,
): boolean {
  return operations.some(
    (each) =>
      each.kind === 'authorise' &&
      each.operation_id !== operation_id &&
      each.acquirer_transaction_id === acquirer_transaction_id &&
      (each.state === 'approved' || isOpen(each)),
  )
}

/** Makes the charge an orphan that is due, whether or not it was one before. Throws SaveError. */
export async function takeBack(context: SettlementContext, unwanted: UnwantedCharge): Promise<void> {
  const { acquirer, money } = unwanted
  const { reference, acquirer_transaction_id } = unwanted.authorisation
  const orphan = orphanOfCharge(context, unwanted)
  const at = orphan.found_at
  const line = orphanLine(context.ids, reference, {
    change: 'orphan.found',
    detail: { acquirer, ...money },
    actor: 'reconciler',
    at,
  })
  const lines = { settled_before: at, lines: [line] }
  const fields = { operation_id: reference, result: 'approved', acquirer_transaction_id }
  await saveSurely(context, () => saveOrphan(context.sql, orphan, lines), fields)
}

/**
 * A refund that the acquirer has carried out although it failed here, perhaps by a person's word: the money is gone while our books
 * leave it to refund again. Keeps a finding until a person closes it, and logs it once. False where nothing is wrong: the refund has not failed, or it
 * failed after the success that was heard of only now.
 */
export async function noteRefundedThere(
  { sql, world }: Pick<SettlementContext, 'sql' | 'world'>,
  operation: Pick<Operation, 'merchant_id' | 'operation_id' | 'acquirer'>,
): Promise<boolean> {
  const refund = await findRefundOfOperation(sql, operation)
  if (refund?.status !== 'failed' || (await hasSucceeded(sql, refund))) return false
  const { acquirer, operation_id } = operation
  const { payment_id, refund_id } = refund
  const finding = findingOfRefund(refund, acquirer, world.clock.now())
  if (await noteFinding({ sql }, finding)) {
    world.log.error(
      { operation_id, payment_id, refund_id, acquirer },
      'the acquirer has carried out a refund that failed here: ripper reconcile findings shows it',
    )
  }
  return true
}

/**
 * The acquirer's word that liability has not shifted, where the approval was recorded without it: notices of some accounts leave it out,
 * and the answer that has it comes later. Takes the shift away from the payment that stands on the charge. Throws SaveError.
 */
export async function noteRefusedShift(
  context: SettlementContext,
  { operation, payment }: { operation: Operation; payment: Payment },
  answer: { liability_shifted?: false; acquirer_transaction_id: string },
): Promise<void> {
  if (answer.liability_shifted !== false) return
  const { operation_id } = operation
  const { acquirer_transaction_id } = answer
  const cause = { actor: 'reconciler', request_id: null } as const
  const line = lineOf(context.ids, payment, cause, {
    change: 'charge.shift_refused',
    detail: { operation_id },
    at: context.world.clock.now(),
  })
  const fields = { operation_id, result: 'approved', acquirer_transaction_id }
  await saveSurely(context, () => takeShiftAway(context.sql, operation, line), fields)
}

/** Locks the payment alone. False where it claims no shift, or stands on another charge. */
async function takeShiftAway(
  sql: Sql,
  { merchant_id, payment_id, operation_id }: Operation,
  line: JournalLine,
): Promise<boolean> {
  const rows = await sql`
    with gate as (
      update payments p set authentication = (authentication::jsonb || '{"liability_shifted": false}')::json
      from acquirer_operations o
      where p.merchant_id = ${merchant_id} and p.payment_id = ${payment_id}
        and p.authentication->>'liability_shifted' = 'true'
        and o.merchant_id = ${merchant_id} and o.operation_id = ${operation_id}
        and o.kind = 'authorise' and o.state = 'approved'
      returning 1
    ), journal as (insert into journal ${rowIf(sql, line, 'gate')})
    select 1 from gate`
  return rows.length > 0
}

type AnsweredCase = Pick<WholePayment, 'payment' | 'authorisation'> & { operation: Operation }

/**
 * An acquirer that carried out an operation in another amount or currency than was asked for. That is no approval, and nothing may be
 * sent again, since a part has moved already: a person has to complete it at the acquirer, or to take it back there.
 *
 * Null if the answer is of the amount that was asked for or is recorded, or names none, or is of an open charge: its approval is taken back
 * instead. Null, too, if a capture took another part: that is what was captured, and the finding alone tells a person. Otherwise
 * there is a finding now, and an operation whose outcome was open waits for a person. `later`: the operation is still being sent.
 */
export async function noteOtherAmount(
  context: Pick<SettlementContext, 'sql' | 'ids' | 'world'>,
  answered: AnsweredCase,
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<'contradicts' | 'later' | null> {
  const { operation } = answered
  if (answer.result !== 'approved' || (operation.kind === 'authorise' && isOpen(operation))) {
    return null
  }
  const money = 'captured' in answer ? answer : answer.money
  if (!money || isAsAsked(bookedOf(answered), money)) return null
  const is_taken = isPartTaken(answered, money)
  if (operation.state === 'sent' && !is_taken) return 'later'
  const { amount, currency } = money
  const { operation_id, payment_id, kind, acquirer } = operation
  const { log, clock } = context.world
  const theirs = { state: stateThere(answered, answer), amount, currency }
  if (await noteFinding(context, findingOf(answered, theirs, clock.now()))) {
    const fields = { operation_id, payment_id, kind, acquirer, amount, currency }
    log.error(
      { ...fields, asked: operation.amount },
      'the acquirer carried out another amount than was asked for: ripper reconcile findings shows it',
    )
  }
  if (is_taken) return null
  await waitForPerson(context, answered)
  return 'contradicts'
}

/** The amount of an operation in our books: what was asked for, or what a capture took that is recorded. */
function bookedOf({ operation, payment }: AnsweredCase): { amount: number; currency: string } {
  const { kind, state, amount, currency } = operation
  return { amount: kind === 'capture' && state === 'approved' ? takenOf(payment) : amount, currency }
}

function findingOf(answered: AnsweredCase, theirs: AcquirerCharge, at: Date): NewFinding {
  const { operation, payment, authorisation } = answered
  const { operation_id, kind, acquirer } = operation
  const { amount, currency } = bookedOf(answered)
  const { merchant_id, payment_id, mode, status } = payment
  const is_refund = kind === 'refund'
  const refund_state = isOpen(operation) ? 'pending' : 'refunded'
  return {
    acquirer,
    mode,
    merchant_id,
    payment_id,
    theirs,
    // A comparison looks at charges, and may end the finding. A refund is known by its own reference.
    reference: is_refund ? operation_id : authorisation!.reference,
    kind: theirs.currency === currency ? 'amount_differs' : 'currency_differs',
    ours: { state: is_refund ? refund_state : status, amount, currency },
    found_at: at,
    seen_at: at,
  }
}

const statesThere = {
  capture: 'captured',
  void: 'voided',
  reverse: 'reversed',
  refund: 'refunded',
} as const

function stateThere(
  { operation: { kind }, payment }: AnsweredCase,
  answer: AuthoriseAnswer | SettleAnswer,
): AcquirerCharge['state'] {
  if (kind !== 'authorise') return statesThere[kind]
  const is_reserved = 'captured' in answer && payment.status === 'held'
  return is_reserved ? 'reserved' : 'captured'
}

/** Leaves an operation to a person: no job looks it up or sends it again. */
export async function waitForPerson(
  { sql, ids, world }: Pick<SettlementContext, 'sql' | 'ids' | 'world'>,
  { operation, payment }: Pick<AnsweredCase, 'operation' | 'payment'>,
): Promise<void> {
  const { operation_id, kind, acquirer } = operation
  const since = world.clock.now()
  const cause: Cause = { actor: 'reconciler', request_id: null }
  const change = 'operation.waits_for_person'
  const journal = lineOf(ids, payment, cause, { change, detail: { operation_id, kind }, at: since })
  if (!(await markForPerson(sql, operation, { since, journal }))) return
  const { payment_id } = payment
  world.log.error({ operation_id, kind, acquirer, payment_id }, 'operation waits for a person')
}
