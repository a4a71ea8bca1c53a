// An answer that was not recorded, since the operation had already ended. Where the answer differs, money may have
// moved against our books.

import type { SettlementContext } from '../context.ts'
import { isOpen, type Operation, type OperationState } from '../operation.ts'
import { orphanLine } from '../orphan.ts'
import type { Payment } from '../payment.ts'
import { saveSurely } from './ask-acquirer.ts'
import { listOperations, type OperationWithAnswer } from './operation-store.ts'
import { orphanOfCharge, type UnwantedCharge } from './orphan-of-charge.ts'
import { saveOrphan } from './orphan-rows-store.ts'
import { isChargeSettled } from './orphans-of-charge-store.ts'
import { noteRefusedShift } from './refused-shift.ts'

export type LostAnswer = {
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

/** `known`: the payment's operations, where a caller that can come again has read them. Throws SaveError. */
export async function handleLostAnswer(
  context: SettlementContext,
  { operation, payment }: { operation: Operation; payment: Payment },
  { state, money }: LostAnswer,
  known?: OperationWithAnswer[],
): Promise<Difference> {
  const { operation_id, payment_id, kind, acquirer } = operation
  const operations = known ?? (await listRecorded(context, operation))
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
  const told = { operation_id, payment_id, kind, acquirer, result: state, recorded }
  const { log } = context.world
  if (moved) log.error(told, 'an answer contradicts what was recorded before')
  else log.warn(told, 'an answer says otherwise than what was recorded')
  if (kind !== 'authorise' || money === null || recorded === null) return 'contradicts'
  // An operation that the reconciler still looks up may yet end as approved.
  if (recorded === 'sent' || recorded === 'unknown') return 'contradicts'
  // The acquirer may confuse the payment's two charges where both connections lead to one account.
  if (isOfAnother(operations, operation, money)) {
    log.error(told, 'an answer names the authorisation of another charge: nothing is taken back')
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
function isSettled({ sql }: SettlementContext, named: Parameters<typeof isChargeSettled>[1]): Promise<boolean> {
  return isChargeSettled(sql, named).catch(() => false)
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

/** What `settleOperation` has noted in the answer. */
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
  const told = { operation_id: reference, result: 'approved', acquirer_transaction_id }
  await saveSurely(context, () => saveOrphan(context.sql, orphan, lines), told)
}
