// The SQL that finds the mode of what a request is about: for keys that are bound to one, and for the permissions of people. Whoever
// calls has judged the form of the ids.

import type { Sql } from '../../database/open.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import type { Mode } from '../../kernel/values.ts'

type Place = Pick<ObjectPlace, 'merchant_id' | 'params'>

/** The mode of the payment that the path names; null where there is none. */
export async function modeOfPayment(
  sql: Sql,
  { merchant_id, params: { payment_id = '' } }: Place,
): Promise<Mode | null> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from payments where merchant_id = ${merchant_id} and payment_id = ${payment_id}`
  return row?.mode ?? null
}

/** The mode of the refund that the path names; null where there is none. */
export async function modeOfRefund(sql: Sql, { merchant_id, params: { refund_id = '' } }: Place): Promise<Mode | null> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from refunds where merchant_id = ${merchant_id} and refund_id = ${refund_id}`
  return row?.mode ?? null
}

/** The mode of the session that the path names; null where there is none. */
export function modeOfSessionAt(sql: Sql, { merchant_id, params: { session_id = '' } }: Place): Promise<Mode | null> {
  return modeOfSession(sql, { merchant_id, session_id })
}

/** The mode of a session; null where there is none. */
export async function modeOfSession(
  sql: Sql,
  { merchant_id, session_id }: { merchant_id: string; session_id: string },
): Promise<Mode | null> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from sessions where merchant_id = ${merchant_id} and session_id = ${session_id}`
  return row?.mode ?? null
}
