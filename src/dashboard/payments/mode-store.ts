// The SQL that finds the mode of what an act is about, so that its door knows whether money is real.

import type { Context } from '../../context.ts'
import type { Mode } from '../../kernel/values.ts'

/** Null where there is no such payment: the act then counts as live. */
export async function modeOfPayment(
  { sql }: Pick<Context, 'sql'>,
  ids: Record<string, string>,
): Promise<Mode | null> {
  const { merchant_id = '', payment_id = '' } = ids
  if (!/^pay_[0-9a-f]{24}$/.test(payment_id)) return null
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from payments where merchant_id = ${merchant_id} and payment_id = ${payment_id}`
  return row?.mode ?? null
}
