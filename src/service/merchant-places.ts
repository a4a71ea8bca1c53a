// Where requests of a merchant run, if the database is spread: a context for each cell, which differs from the common one in its pool.

import type { Context } from '../checkout/context.ts'
import { openSessionInserts } from '../checkout/sessions/insert-sessions.ts'
import { cellOf, cellsOf } from '../database/cells/cells.ts'
import type { Kernel } from '../http/run-route.ts'
import type { Tracing } from '../kernel/tracing.ts'
import { tracedInserts } from './traced-ports.ts'

/** Undefined where all rows are in one place. */
export function placesOf(context: Context, tracing: Tracing | null | undefined): Kernel<Context>['placeOf'] {
  const { sql: whole } = context
  const cells = cellsOf(whole).filter(({ sql }) => sql !== whole)
  if (cells.length === 0) return undefined
  const places = new Map(
    cells.map(({ sql }) => {
      const insertSession = tracedInserts(tracing, openSessionInserts(sql))
      return [sql, { sql, context: { ...context, sql, insertSession } }] as const
    }),
  )
  return async (merchant_id) => places.get(await cellOf(whole, merchant_id))!
}
