// The SQL of limits: a number of places, each taken for a time. A limit is one row, whose lock puts concurrent requests
// in order.

import { by, firstFromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'

/** A limit: its row's name, and how many places it has. */
export type Limit = { name: string; places: number }

/** A limit with its present use. */
export type LimitUsage = Limit & { used: number; is_full: boolean }

/** A use of a limit: each mark takes a place. The same mark again keeps its place. */
export type LimitUse = Limit & { marks: string[]; ends_at: Date }

/** A limit without enough places, and when they become free. */
export type ExhaustedLimit = { name: string; frees_at: Date }

/**
 * Takes places in each of the caller's own limits; then, where all of those had room, in each limit that it shares with
 * others: a caller that is refused must not use up what is theirs. Returns the limits that refused, in which nothing is
 * written; none where the request may go on. No two limits may have the same name.
 */
export async function reservePlaces(
  sql: Sql,
  merchant_id: string,
  { own, shared }: { own: LimitUse[]; shared: LimitUse[] },
  now: Date,
): Promise<ExhaustedLimit[]> {
  const uses = [...own.map((use) => rowOf(use, false)), ...shared.map((use) => rowOf(use, true))]
  const now_ms = now.getTime()
  const standing = sql`(
    select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(kept.uses)
    where value::bigint > ${now_ms})`
  const take = (whom: ReturnType<Sql>) => sql`
    insert into limit_uses as kept (merchant_id, name, uses, ends_at)
    select ${merchant_id}, name, uses, ends_at from asked where ${whom}
    -- In one order everywhere, so that two requests with the same limits never wait for each other.
    order by name
    on conflict (merchant_id, name) do update set
      uses = ${standing} || excluded.uses, ends_at = greatest(kept.ends_at, excluded.ends_at)
    where (select count(*) from jsonb_object_keys(${standing} || excluded.uses))
      <= (select places from asked where asked.name = excluded.name)
    returning name`
  const rows = await sql<{ name: string; ends_at: Date; frees_ms: number | null }[]>`
    with asked as materialized (
      select * from json_to_recordset(${uses as never}::json)
        as a (name text, places integer, uses jsonb, ends_at timestamptz, shared boolean)
    ), taken as (${take(sql`not shared`)}
    ), room as (
      select count(*) = (select count(*) from asked where not shared) as found from taken
    ), taken_of_shared as (${take(sql`shared and (select found from room)`)}
    )
    select name, ends_at, (
      select (array_agg(value::bigint order by value::bigint))[
        greatest(1, count(*) + (select count(*) from jsonb_object_keys(asked.uses)) - places)]
      from limit_uses k, jsonb_each(k.uses)
      where k.merchant_id = ${merchant_id} and k.name = asked.name and value::bigint > ${now_ms}
    ) as frees_ms
    from asked where (not shared or (select found from room))
      and name not in (select name from taken union all select name from taken_of_shared)`
  // Others filled the row while this statement waited for it, so it could not be read: no place of it lasts longer.
  return rows.map(({ name, ends_at, frees_ms }) => {
    return { name, frees_at: frees_ms === null ? ends_at : new Date(frees_ms) }
  })
}

function rowOf({ name, places, marks, ends_at }: LimitUse, shared: boolean) {
  // An object without a prototype is a plain table from the start: of others the engine keeps each new name's shape.
  const uses: Record<string, number> = Object.create(null)
  for (const mark of marks) uses[mark] = ends_at.getTime()
  return { name, places, ends_at, shared, uses }
}

/**
 * The limits of the payer of an attempt, how many places are taken, and whether that is all: the named limits and,
 * where the card is still held, the card's own, whose name is `any_card`'s with the fingerprint behind it.
 */
export async function limitsOfPayer(
  sql: Sql,
  { merchant_id, card_reference }: { merchant_id: string; card_reference: string },
  { named, any_card }: { named: Limit[]; any_card: Limit },
  now: Date,
): Promise<LimitUsage[]> {
  return sql<LimitUsage[]>`
    with counted as (
      select name, places from json_to_recordset(${named as never}::json) as n (name text, places integer)
      union all
      select ${any_card.name} || encode(fingerprint, 'hex'), ${any_card.places} from vault.cards
      where merchant_id = ${merchant_id} and card_reference = ${card_reference}
    )
    select name, places, used, used >= places as is_full
    from counted cross join lateral (
      select count(*)::integer as used from limit_uses k, jsonb_each(k.uses)
      where k.merchant_id = ${merchant_id} and k.name = counted.name
        and value::bigint > ${now.getTime()}
    ) taken`
}

/** The first merchants, by their ids, with one of these limits full. */
export async function listExhausted(
  whole: Sql,
  limits: Limit[],
  { now, limit }: { now: Date; limit: number },
): Promise<string[]> {
  type Row = { merchant_id: string }
  const compare = by<Row>(({ merchant_id }) => merchant_id)
  const rows = await firstFromCells(
    whole,
    { compare, limit },
    (sql) => sql<Row[]>`
    select m.merchant_id from merchants m where exists (
      select 1 from json_to_recordset(${limits as never}::json) as n (name text, places integer)
      join limit_uses k on k.merchant_id = m.merchant_id and k.name = n.name
      where (select count(*) from jsonb_each(k.uses) where value::bigint > ${now.getTime()}) >= n.places)
    order by m.merchant_id limit ${limit}`,
  )
  return rows.map(({ merchant_id }) => merchant_id)
}

/** How many rows of a limit are full, whosever they are: those of each of the first merchants, up to `limit`. */
export async function countFull(
  whole: Sql,
  { name, places }: Limit,
  { now, limit }: { now: Date; limit: number },
): Promise<{ merchant_id: string; count: number }[]> {
  type Row = { merchant_id: string; count: number }
  const compare = by<Row>(({ merchant_id }) => merchant_id)
  return firstFromCells(
    whole,
    { compare, limit },
    (sql) => sql<Row[]>`
    select merchant_id, count(*)::int from (
      select merchant_id from limit_uses k
      where k.ends_at > ${now} and starts_with(k.name, ${name})
        and (select count(*) from jsonb_each(k.uses) where value::bigint > ${now.getTime()}) >= ${places}
      order by k.ends_at desc limit ${limit}) full_ones
    group by merchant_id order by merchant_id limit ${limit}`,
  )
}

/** Releases the place of a limit's oldest use. */
export async function releasePlace(sql: Sql, merchant_id: string, name: string, now: Date): Promise<void> {
  await sql`
    update limit_uses set uses = uses - (
      select key from jsonb_each(uses) where value::bigint > ${now.getTime()}
      order by value::bigint, key limit 1)
    where merchant_id = ${merchant_id} and name = ${name} and exists (
      select 1 from jsonb_each(uses) where value::bigint > ${now.getTime()})`
}

const purge_batch = 5_000

/** Deletes limits that nobody uses any more; returns how many. */
export async function purgeLimits(sql: Sql, now: Date): Promise<number> {
  for (let total = 0; ; ) {
    // Skips rows that a request has locked: it may wait for another row, which a purge must not hold.
    const { count } = await sql`
      with over as materialized (
        select merchant_id, name from limit_uses
        where ends_at <= ${now} order by ends_at limit ${purge_batch} for update skip locked
      )
      delete from limit_uses using over
      where limit_uses.merchant_id = over.merchant_id and limit_uses.name = over.name`
    total += count
    if (count < purge_batch) return total
  }
}
