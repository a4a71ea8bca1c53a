// The table of refused requests has a partition for each day, and keeps them for a month.

import { keepPartitionsOf, type PartitionContext, type RetainedTable } from '../database/partitions/keep-partitions.ts'

export const refusals_kept_ms = 30 * 24 * 3600 * 1000

const table: RetainedTable = {
  name: 'request_log',
  id: 'entry_id',
  rest: 'request_log_other',
  kept_ms: refusals_kept_ms,
}

export function keepRefusals(context: PartitionContext): Promise<number> {
  return keepPartitionsOf(context, [table])
}
