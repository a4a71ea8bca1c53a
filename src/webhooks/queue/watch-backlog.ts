// A job that reports to the metrics how many deliveries wait, and since when.

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
  for (const { class: queue_class, depth, oldest_due_at } of await readBacklog(context.sql, now)) {
    const oldest_due_seconds = oldest_due_at ? (now.getTime() - oldest_due_at.getTime()) / 1000 : 0
    const name = queue_class === 0 ? 'first' : 'retry'
    context.metrics.webhookBacklog(name, { depth, oldest_due_seconds })
  }
  return 0
}
