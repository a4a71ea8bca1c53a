// Of which time refused requests are looked for: no further back than they are kept.

import { refusals_kept_ms } from '../../http/keep-refusals.ts'
import { idsFrom } from '../../kernel/ids.ts'

export function refusalSpan(
  { created_from, created_before }: { created_from?: Date | undefined; created_before?: Date | undefined },
  now: Date,
): { from: string; below: string } {
  const oldest = new Date(now.getTime() - refusals_kept_ms)
  const from = idsFrom(created_from && created_from > oldest ? created_from : oldest)
  return { from, below: created_before ? idsFrom(created_before) : above_all_ids }
}

/** Ids are hexadecimal. */
const above_all_ids = 'g'
