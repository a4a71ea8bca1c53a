// The bank's checks that a shopper did not finish: of an open or expired session the list says so, as it says what was declined.

import type { Context } from '../../payments/context.ts'
import { authenticationFailureOf } from '../../payments/history/payment-history.ts'
import { listNewestAttempts } from './unfinished-checks-store.ts'

type Row = { id: string; status: string; attempt_count: number }

/** With why 3-D Secure failed at the newest card, in the codes of declines; null where it did not. */
export async function withUnfinishedChecks<Listed extends Row>(
  sql: Context['sql'],
  { merchant_id, now }: { merchant_id: string; now: Date },
  rows: Listed[],
): Promise<(Listed & { authentication_failure: string | null })[]> {
  const candidates = rows.filter(({ attempt_count, status }) => attempt_count > 0 && status !== 'succeeded')
  const ids = candidates.map(({ id }) => id)
  const attempts = ids.length === 0 ? [] : await listNewestAttempts(sql, merchant_id, ids)
  const codes = new Map(attempts.map((each) => [each.session_id, authenticationFailureOf(each, now)?.code ?? null]))
  return rows.map((row) => ({ ...row, authentication_failure: codes.get(row.id) ?? null }))
}
