// The SQL that records an answer: only on an operation in the expected state, so that each is answered once.

import type { Sql } from '../../database/open.ts'
import type { ExpectedState } from '../operation.ts'

/** A condition on a row of `acquirer_operations`. */
export function isInExpectedState(sql: Sql, from: ExpectedState) {
  if (from === 'reversing' || from === 'approved') return sql`state = ${from}`
  if (from === 'unanswered') return sql`state in ('sent', 'unknown', 'accepted')`
  return sql`(state = 'sent' and last_sent_at = ${from.sending})`
}
