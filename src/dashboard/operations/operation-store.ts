// The SQL that finds the payment of an operation, and its mode.

import type { Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'

export async function findOperation(
  sql: Sql,
  { merchant_id, operation_id }: { merchant_id: string; operation_id: string },
): Promise<{ payment_id: string; mode: Mode } | undefined> {
  const [row] = await sql<{ payment_id: string; mode: Mode }[]>`
    select o.payment_id, p.mode from (
      select merchant_id, payment_id from acquirer_operations
      where merchant_id = ${merchant_id} and operation_id = ${operation_id} offset 0) o
    join payments p on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id`
  return row
}
