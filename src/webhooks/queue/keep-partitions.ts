// The tables of deliveries have a partition for each day.

import {
  keepPartitionsOf,
  type PartitionContext,
  type RetainedTable,
} from '../../database/partitions/keep-partitions.ts'
import { replay_window_ms } from '../delivery.ts'

const day_ms = 24 * 3600 * 1000

const tables: RetainedTable[] = [
  {
    name: 'webhook_attempts',
    id: 'attempt_id',
    rest: 'webhook_attempts_other',
    kept_ms: replay_window_ms,
  },
  {
    name: 'webhook_deliveries',
    id: 'delivery_id',
    rest: 'webhook_deliveries_other',
    // A week longer: meanwhile a replay is refused because its window is over, not because the delivery is unknown.
    kept_ms: replay_window_ms + 7 * day_ms,
  },
]

export function keepPartitions(context: PartitionContext): Promise<number> {
  return keepPartitionsOf(context, tables)
}
