// Tells of answers that came when nobody waited for them any more.

import type { Desk } from './desk.ts'
import type { Operation } from './operation.ts'
import { listOperations } from './operation-store.ts'

/**
 * `settle` says whether the answer counted. One that did not, and says something else than what was recorded meanwhile,
 * is for a person to look at: money moved or did not, against our books. A charge that is being taken back has no outcome
 * yet, and its reversal sees to it.
 */
export function tellOfLate(
  { sql, world: { log } }: Desk,
  operation: Operation,
  { result }: { result: string },
  settle: () => Promise<boolean>,
): void {
  const { operation_id, payment_id } = operation
  const told = { operation_id, payment_id, result }
  const settled = async () => {
    const counted = await settle()
    const operations = counted ? [] : await listOperations(sql, operation)
    const recorded = operations.find((each) => each.operation_id === operation_id)?.state ?? result
    const level = recorded === result || recorded === 'reversing' ? 'warn' : 'error'
    log[level]({ ...told, counted, recorded }, 'late answer')
  }
  settled().catch((error: Error) =>
    log.error({ ...told, error: error.message }, 'late answer lost'),
  )
}
