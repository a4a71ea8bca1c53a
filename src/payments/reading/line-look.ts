// How the lists of sessions and events go along the journal, whose key is in the order of time: it costs a create nothing.

import type { AnySql, Fragment } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { looks_max, type SpanFilters } from './list-filters.ts'

/** So many lines are looked at by one request: each may lead to one row more. */
export const lines_max = looks_max / 2

/** Where a page lies from the one before: most lists only go back. */
export type Direction = 'older' | 'newer'

/**
 * The condition on a line's id that a span of time makes, and the page at whose end the look begins. Ids are hexadecimal.
 */
export function lineSpan(
  sql: AnySql,
  { created_from, created_before }: Partial<Pick<SpanFilters, 'created_from' | 'created_before'>>,
  behind: string | null,
  direction: Direction = 'older',
): Fragment {
  const [above, under] = direction === 'older' ? [null, behind] : [behind, null]
  const bounds = [under, created_before && idsFrom(created_before)].filter((id) => id != null)
  const below = bounds.sort()[0] ?? above_all_ids
  const from = created_from ? sql`and entry_id >= ${idsFrom(created_from)}` : sql``
  const after = above === null ? sql`` : sql`and entry_id > ${above}`
  return sql`and entry_id < ${below} ${from} ${after}`
}

const above_all_ids = 'g'

/** The lines nearest to where the look begins. */
export function lineOrder(sql: AnySql, direction: Direction): Fragment {
  return direction === 'older' ? sql`order by entry_id desc` : sql`order by entry_id`
}

/** Where a look ended that found lines up to its limit; `place` counts the lines that were looked at. */
export function endOf(last: { place: number; entry_id: string } | undefined): string | null {
  return last?.place === lines_max ? last.entry_id : null
}
