// The SQL of limits that all processes share: places of an address in a minute, taken in advance.

import type { Sql } from '../database/open.ts'

/** `name` is a digest; `places` is the limit. */
export type PlacesAsked = { name: string; places: number; wanted: number }

/** Takes as many places as are left, but for each name not more than `wanted`. Returns how many it got, by name. */
export async function takePlaces(sql: Sql, window_at: Date, requests: PlacesAsked[]): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; given: number }[]>`
    insert into gateway_counts as kept (window_at, name, places, taken, given)
    select ${window_at}::timestamptz, name, places, least(wanted, places), least(wanted, places)
    from unnest(${requests.map(({ name }) => name)}::text[], ${requests.map(({ places }) => places)}::int[],
      ${requests.map(({ wanted }) => wanted)}::int[]) as a (name, places, wanted)
    -- In one order everywhere, so that two processes never wait for each other.
    order by name
    on conflict (window_at, name) do update set
      given = least(excluded.given, greatest(0, excluded.places - kept.taken)),
      taken = kept.taken + least(excluded.given, greatest(0, excluded.places - kept.taken))
    returning name, given`
  return new Map(rows.map(({ name, given }) => [name, given]))
}

/** Deletes minutes that are over; returns how many rows. */
export async function purgeCounts(sql: Sql, now: Date): Promise<number> {
  const before = new Date(now.getTime() - kept_ms)
  const { count } = await sql`delete from gateway_counts where window_at < ${before}`
  return count
}

/** A minute, and the most by which clocks may differ. */
const kept_ms = 120_000
