// A job that reports to the metrics how many deliveries wait, and since when.

import { cellsOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { World } from '../../kernel/world.ts'
import { readBacklog } from './claim-store.ts'

export async function watchBacklog(context: {
  sql: Sql
  world: Pick<World, 'clock'>
  metrics: Metrics
}): Promise<number> {
  const now = context.world.clock.now()
  const of_cells = await Promise.all(cellsOf(context.sql).map(({ sql }) => readBacklog(sql, now)))
  for (const queue_class of [0, 1] as const) {
    const all = of_cells.flat().filter((each) => each.class === queue_class)
    const depth = all.reduce((sum, each) => sum + each.depth, 0)
    const ages_ms = all.map(({ oldest_due_at: at }) => (at ? now.getTime() - at.getTime() : 0))
    const oldest_due_seconds = Math.max(...ages_ms) / 1000
    const name = queue_class === 0 ? 'first' : 'retry'
    context.metrics.webhookBacklog(name, { depth, oldest_due_seconds })
  }
  return 0
}
