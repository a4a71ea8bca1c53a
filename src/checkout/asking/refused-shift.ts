// The acquirer's word that liability has not shifted, where the approval was recorded without it: notices of some accounts leave it
// out, and the answer that has it comes later.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import type { SettlementContext } from '../context.ts'
import type { Operation } from '../operation.ts'
import { lineOf } from '../outcome.ts'
import type { Payment } from '../payment.ts'
import { saveSurely } from './ask-acquirer.ts'

/** Takes the shift away from the payment that stands on the charge. Throws SaveError. */
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
  const told = { operation_id, result: 'approved', acquirer_transaction_id }
  await saveSurely(context, () => takeShiftAway(context.sql, operation, line), told)
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
