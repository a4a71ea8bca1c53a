// Logs answers that came when nobody waited for them any more.

import type { SettlementContext } from '../context.ts'
import type { Operation } from '../operation.ts'

/** `settle` records the answer, unless another one was recorded before; it returns whether it did. */
export function tellOfLate(
  { world: { log } }: SettlementContext,
  { operation_id, payment_id }: Operation,
  { result }: { result: string },
  settle: () => Promise<boolean>,
): void {
  const told = { operation_id, payment_id, result }
  settle().then(
    (counted) => log.warn({ ...told, counted }, 'late answer'),
    (error: Error) => log.error({ ...told, error: error.message }, 'late answer lost'),
  )
}
