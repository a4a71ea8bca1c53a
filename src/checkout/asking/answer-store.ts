// The SQL of recording an answer: as what its operation must be found, so that each is answered once, by what is about it.

import type { Sql } from '../../database/open.ts'
import type { FoundAs } from '../operation.ts'

/** A condition on a row of `acquirer_operations`. */
export function isFoundAs(sql: Sql, from: FoundAs) {
  if (from === 'reversing') return sql`state = 'reversing'`
  if (from === 'unanswered') return sql`state in ('sent', 'unknown', 'accepted')`
  return sql`(state = 'sent' and last_sent_at = ${from.sending})`
}
