// The SQL that finds what bears an id of the acquirer's already.

import { fromCells, wholeOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Operation } from '../operation.ts'

/**
 * Whether the id is that of another payment, of another operation that is still open, or of an orphan. Connections of several
 * merchants may lead to one account of an acquirer, so all merchants' rows at that kind of acquirer are looked at.
 */
export async function isBorneElsewhere(
  own: Sql,
  { operation_id, payment_id, acquirer }: Pick<Operation, 'operation_id' | 'payment_id' | 'acquirer'>,
  transaction_id: string,
): Promise<boolean> {
  const whole = wholeOf(own)
  const [connector] = acquirer.split(':')
  const payments = await fromCells(
    whole,
    (sql) => sql<{ payment_id: string }[]>`
      select found.payment_id from merchants m cross join lateral (
        select payment_id, acquirer from payments
        where merchant_id = m.merchant_id and acquirer_transaction_id = ${transaction_id} offset 0) found
      where found.payment_id <> ${payment_id} and split_part(found.acquirer, ':', 1) = ${connector!}
      union all
      select payment_id from acquirer_operations
      where state in ('sent', 'unknown', 'reversing', 'accepted') and payment_id <> ${payment_id}
        and ${transaction_id} in (acquirer_transaction_id, handle) and split_part(acquirer, ':', 1) = ${connector!}
      limit 1`,
  )
  if (payments.length > 0) return true
  const orphans = await whole`
    select 1 from orphan_authorisations
    where reference <> ${operation_id} and (payment_id is null or payment_id <> ${payment_id})
      and ${transaction_id} in (acquirer_transaction_id, handle) and split_part(acquirer, ':', 1) = ${connector!}
    limit 1`
  return orphans.length > 0
}
