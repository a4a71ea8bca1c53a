// An answer that was not recorded, since the operation had ended before. Where it says something else, money may have moved
// against our books.

import type { AuthoriseAnswer, SettleAnswer } from '../../acquirers/acquirer.ts'
import { orphanLine } from '../orphans/orphan.ts'
import { orphanOfCharge } from '../orphans/orphan-of-charge.ts'
import { saveOrphans } from '../orphans/orphan-store.ts'
import type { Payment } from '../payment.ts'
import type { Desk } from './desk.ts'
import type { Operation } from './operation.ts'
import { listOperations } from './operation-store.ts'

/** A charge that the acquirer approved, and that counts as something else here, is taken back. */
export async function heedLostAnswer(
  desk: Desk,
  { operation, payment }: { operation: Operation; payment: Payment },
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<void> {
  const { operation_id, payment_id, kind, acquirer } = operation
  const operations = await listOperations(desk.sql, operation)
  const recorded = operations.find((each) => each.operation_id === operation_id)?.state
  const { result } = answer
  if (recorded === result) return
  const moved = result === 'approved' || recorded === 'approved'
  const told = { operation_id, payment_id, kind, acquirer, result, recorded }
  const { log } = desk.world
  if (moved) log.error(told, 'an answer contradicts what was recorded before')
  else log.warn(told, 'an answer says otherwise than what was recorded')
  if (kind === 'authorise' && result === 'approved') {
    await takeBack(desk, { operation, payment }, answer as AuthoriseAnswer & { result: 'approved' })
  }
}

async function takeBack(
  desk: Desk,
  { operation, payment }: { operation: Operation; payment: Payment },
  { amount, currency }: AuthoriseAnswer & { result: 'approved' },
): Promise<void> {
  const { operation_id: reference, acquirer } = operation
  const money = { amount, currency }
  const orphan = orphanOfCharge(desk, { reference, acquirer, money, payment })
  const at = orphan.found_at
  const line = orphanLine(desk.ids, reference, {
    change: 'orphan.found',
    detail: { acquirer, ...money },
    ...{ actor: 'reconciler', at },
  })
  await saveOrphans(desk.sql, [orphan], { settled_before: at, lines: [line] })
}
