// The SQL of saved filters.

import type { AnySql, Sql } from '../../database/open.ts'

export const filteredLists = ['payments', 'holds', 'refunds', 'sessions', 'deliveries'] as const
export type FilteredList = (typeof filteredLists)[number]

/** Of one person, of a list; the CHECK on `place` says the same. */
export const saved_filters_max = 20

export type FilterOwner = { merchant_id: string; user_id: string }
/** `filters` is the query of the list's address. */
export type SavedFilter = { list: FilteredList; name: string; filters: string }

/** By list and name. */
export async function listSavedFilters(sql: Sql, { merchant_id, user_id }: FilterOwner): Promise<SavedFilter[]> {
  return sql<SavedFilter[]>`
    select list, name, filters from saved_filters
    where merchant_id = ${merchant_id} and user_id = ${user_id} order by list, name`
}

/** One of the same name is replaced. Returns false where no place is free, or where another window has just taken it. */
export async function saveFilter(
  tx: AnySql,
  { merchant_id, user_id, list, name, filters }: FilterOwner & SavedFilter,
): Promise<boolean> {
  const rows = await tx`
    with kept as (
      update saved_filters set filters = ${filters}
      where merchant_id = ${merchant_id} and user_id = ${user_id} and list = ${list} and name = ${name} returning 1
    ), added as (
      insert into saved_filters (merchant_id, user_id, list, place, name, filters)
      select ${merchant_id}, ${user_id}, ${list}, place, ${name}, ${filters}
      from generate_series(1, ${saved_filters_max}::int) place
      where not exists (select 1 from kept) and place not in (
        select place from saved_filters
        where merchant_id = ${merchant_id} and user_id = ${user_id} and list = ${list})
      order by place limit 1
      on conflict do nothing returning 1
    )
    select 1 from kept union all select 1 from added`
  return rows.length > 0
}

export async function dropFilter(
  tx: AnySql,
  { merchant_id, user_id, list, name }: FilterOwner & Omit<SavedFilter, 'filters'>,
): Promise<void> {
  await tx`
    delete from saved_filters
    where merchant_id = ${merchant_id} and user_id = ${user_id} and list = ${list} and name = ${name}`
}
