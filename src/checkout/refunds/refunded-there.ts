// A refund that the acquirer has carried out although it failed here, perhaps by a person's word. The money is gone while our
// books leave it to refund again, so a person must hear of it.

import { noteFinding } from '../asking/note-finding.ts'
import { findingOfRefund } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import type { Operation } from '../operation.ts'
import { findRefundOfOperation, hasSucceeded } from './refund-store.ts'

/**
 * Keeps a finding until a person closes it, and logs it once. False where nothing is wrong: the refund has not failed, or it
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
