// The SQL that records an answer: only on an operation in the expected state, so that each is answered once.

import type { Fragment } from '../../database/driver/pool.ts'
import type { Sql } from '../../database/open.ts'
import type { ExpectedState, Operation, OperationState } from '../operation.ts'

/** The body of a CTE that ends an operation with its answer. It has a row if the operation was in the expected state. */
export function endOperation(
  sql: Sql,
  { merchant_id, operation_id }: Pick<Operation, 'merchant_id' | 'operation_id'>,
  end: {
    state: OperationState
    answer: object
    /** The acquirer's own id of the operation, or how the row gets it. */
    transaction_id: string | null | Fragment
    from: ExpectedState
    at: Date
  },
): Fragment {
  const { state, answer, transaction_id, from, at } = end
  return sql`
    update acquirer_operations set state = ${state}, answer = ${answer as never}, answered_at = ${at},
      acquirer_transaction_id = ${transaction_id}, next_check_at = null, waits_for_person_since = null
    where merchant_id = ${merchant_id} and operation_id = ${operation_id}
      and ${isInExpectedState(sql, from)} returning 1`
}

/** A condition on a row of `acquirer_operations`. */
export function isInExpectedState(sql: Sql, from: ExpectedState) {
  if (from === 'reversing' || from === 'approved') return sql`state = ${from}`
  if (from === 'unanswered') return sql`state in ('sent', 'unknown', 'accepted')`
  return sql`(state = 'sent' and last_sent_at = ${from.sending})`
}
