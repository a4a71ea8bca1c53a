// How the lists of sessions and events go back along the journal, whose key is in the order of time: it costs a create nothing.

import type { AnySql, Fragment } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { looks_max, type SpanFilters } from './list-filters.ts'

/** So many lines are looked at by one request: each may lead to one row more. */
export const lines_max = looks_max / 2

/** The condition on a line's id that a span of time and the page before make. Ids are hexadecimal. */
export function lineSpan(
  sql: AnySql,
  { created_from, created_before }: Partial<SpanFilters>,
  behind: string | null,
): Fragment {
  const bounds = [behind, created_before && idsFrom(created_before)].filter((id) => id != null)
  const below = bounds.sort()[0] ?? above_all_ids
  const from = created_from ? sql`and entry_id >= ${idsFrom(created_from)}` : sql``
  return sql`and entry_id < ${below} ${from}`
}

const above_all_ids = 'g'

/** Where a look ended that found lines up to its limit; `place` counts the lines that were looked at. */
export function endOf(last: { place: number; entry_id: string } | undefined): string | null {
  return last?.place === lines_max ? last.entry_id : null
}
