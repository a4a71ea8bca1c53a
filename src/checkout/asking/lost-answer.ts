// An answer that was not recorded, since the operation had already ended. Where the answer differs, money may have
// moved against our books.

import type { SettlementContext } from '../context.ts'
import type { Operation, OperationState } from '../operation.ts'
import { orphanLine } from '../orphan.ts'
import type { Payment } from '../payment.ts'
import { saveSurely } from './ask-acquirer.ts'
import { listOperations } from './operation-store.ts'
import { orphanOfCharge } from './orphan-of-charge.ts'
import { saveOrphans } from './orphan-rows-store.ts'

export type LostAnswer = {
  /** What would have been recorded. */
  state: OperationState
  /** For an approved charge: the amount at the acquirer. */
  money: ApprovedMoney | null
}

type ApprovedMoney = Pick<Operation, 'amount' | 'currency'> & { acquirer_transaction_id: string }

/** Reverses a charge that the acquirer approved and that ended otherwise here. Throws SaveError. */
export async function handleLostAnswer(
  context: SettlementContext,
  { operation, payment }: { operation: Operation; payment: Payment },
  { state, money }: LostAnswer,
): Promise<void> {
  const { operation_id, payment_id, kind, acquirer } = operation
  const recorded = await findState(context, operation)
  if (recorded === state) return
  const moved = state === 'approved' || recorded === 'approved'
  const told = { operation_id, payment_id, kind, acquirer, result: state, recorded }
  const { log } = context.world
  if (moved) log.error(told, 'an answer contradicts what was recorded before')
  else log.warn(told, 'an answer says otherwise than what was recorded')
  if (kind !== 'authorise' || money === null || recorded === null) return
  // An operation that the reconciler still looks up may yet end as approved.
  if (recorded === 'sent' || recorded === 'unknown') return
  await takeBack(context, { operation, payment }, money)
}

/** The recorded operation; null where the database cannot be reached: it then counts as different. */
async function findState(
  context: SettlementContext,
  operation: Operation,
): Promise<OperationState | null> {
  try {
    const operations = await listOperations(context.sql, operation)
    const found = operations.find(({ operation_id }) => operation_id === operation.operation_id)
    return found?.state ?? null
  } catch {
    return null
  }
}

async function takeBack(
  context: SettlementContext,
  { operation, payment }: { operation: Operation; payment: Payment },
  { acquirer_transaction_id, amount, currency }: ApprovedMoney,
): Promise<void> {
  const { operation_id: reference, handle, acquirer } = operation
  const authorisation = { reference, handle, acquirer_transaction_id }
  const money = { amount, currency }
  const orphan = orphanOfCharge(context, { authorisation, acquirer, money, payment })
  const at = orphan.found_at
  const line = orphanLine(context.ids, reference, {
    change: 'orphan.found',
    detail: { acquirer, ...money },
    actor: 'reconciler',
    at,
  })
  const lines = { settled_before: at, lines: [line] }
  const told = { operation_id: reference, result: 'approved', acquirer_transaction_id }
  const save = async () => (await saveOrphans(context.sql, [orphan], lines)).length > 0
  await saveSurely(context, save, told)
}
