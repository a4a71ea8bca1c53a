// The SQL of recording an answer: as what its operation must be found, so that each is answered once, by what is about it.

import type { Sql } from '../../database/open.ts'

/**
 * `unanswered`: nobody knows yet what became of it. `reversing`: it was not found, and is being taken back. `sending`: it
 * was sent last at that time and nobody has looked for its answer since, so that the answer is about this very sending.
 */
export type From = 'unanswered' | 'reversing' | { sending: Date }

/** A condition on a row of `acquirer_operations`. */
export function isFoundAs(sql: Sql, from: From) {
  if (from === 'reversing') return sql`state = 'reversing'`
  if (from === 'unanswered') return sql`state in ('sent', 'unknown')`
  return sql`(state = 'sent' and last_sent_at = ${from.sending})`
}
