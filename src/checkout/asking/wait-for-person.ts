// Leaves an operation to a person: no job looks it up or sends it again.

import type { SettlementContext } from '../context.ts'
import type { UnansweredOperation } from '../operation.ts'
import { type Cause, lineOf } from '../outcome.ts'
import type { WholePayment } from '../whole-payment.ts'
import { markForPerson } from './operation-store.ts'

const cause: Cause = { actor: 'reconciler', request_id: null }

export async function waitForPerson(
  { sql, ids, world }: Pick<SettlementContext, 'sql' | 'ids' | 'world'>,
  { operation, payment }: Pick<WholePayment, 'payment'> & { operation: UnansweredOperation },
): Promise<void> {
  const { operation_id, kind, acquirer } = operation
  const since = world.clock.now()
  const journal = lineOf(ids, payment, cause, {
    change: 'operation.waits_for_person',
    detail: { operation_id, kind },
    at: since,
  })
  if (!(await markForPerson(sql, operation, { since, journal }))) return
  const { payment_id } = payment
  world.log.error({ operation_id, kind, acquirer, payment_id }, 'operation waits for a person')
}
