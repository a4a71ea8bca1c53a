// Repeats a statement whose prepared form no longer fits its tables, for example because a migration added a column.
//
// The driver would repeat it at once, between statements that are already on their way on the same connection. They would
// then receive each other's answers. So the statement fails here instead, and its pool repeats it like a new one.

import type postgres from 'postgres'
import type { DriverQuery } from './driver-query.ts'

/** More than a pool has connections, each of which may still have the old form. */
export const repeats_max = 200

const outdated = new WeakSet<object>()

/** Whether a statement failed only because its prepared form was outdated. It changed nothing, and may be repeated. */
export function isOutdatedPlan(error: unknown): boolean {
  return typeof error === 'object' && error !== null && outdated.has(error)
}

/** Makes the driver's statements fail with an outdated plan instead of being repeated between others. */
export function fenceRepeats(sql: postgres.Sql): void {
  const statements = Object.getPrototypeOf(sql``)
  if (Object.hasOwn(statements, 'retried')) return
  Object.defineProperty(statements, 'retried', {
    get: () => undefined,
    /** The driver sets this right before it sends the statement again. It does not send what counts as cancelled. */
    set(this: RepeatedQuery, error: object) {
      outdated.add(error)
      this.cancelled = true
      queueMicrotask(() => {
        this.cancelled = null
        this.reject(error)
      })
    },
  })
}

type RepeatedQuery = DriverQuery & { cancelled: true | null }
