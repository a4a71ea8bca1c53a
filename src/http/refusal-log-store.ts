// The SQL of refused requests: written together, read by page.

import type { Sql } from '../database/open.ts'
import type { FoundRows } from './list-page.ts'

/** A refused request with a merchant's secret key, or of a shopper's page. It has neither body nor query. */
export type RefusedRequest = {
  merchant_id: string
  entry_id: string
  request_id: string
  /** The secret key's id; for a shopper's page, its session's id. The column is called `key_id`. */
  asker_id: string
  at: Date
  method: string
  path: string
  route: string
  status: number
  code: string | null
  field: string | null
  duration_ms: number
}

/** All rows belong to one merchant. */
export async function insertRefusedRequests(sql: Sql, rows: RefusedRequest[]): Promise<void> {
  await sql`
    insert into request_log
      (merchant_id, entry_id, request_id, key_id, at, method, path, route, status, code, field, duration_ms)
    select merchant_id, entry_id, request_id, asker_id, at, method, path, route, status, code, field, duration_ms
    from json_to_recordset(${rows as never}::json) as r (
      merchant_id text, entry_id text, request_id text, asker_id text, at timestamptz, method text, path text, route text,
      status integer, code text, field text, duration_ms double precision)
    on conflict do nothing`
}

/** Who was refused: servers, with a secret key, or shoppers, whose requests have their session in its place. */
export const askers = ['servers', 'shoppers'] as const

/** What is asked for; undefined is any, but of the askers it means servers, unless one asker or request is named. */
export type RefusalFilters = {
  merchant_id: string
  askers?: (typeof askers)[number] | undefined
  asker_id?: string | undefined
  route?: string | undefined
  code?: string | undefined
  request_id?: string | undefined
  from: string
  below: string
}

/** However rare the matches are, no request reads more rows. */
const looked_at_max = 5_000
/** Nor passes more of other askers: what shoppers were refused must not hide what servers were, nor the other way round. */
const passed_max = 20_000

/** Newest first. */
export async function listRefusedRequests(
  sql: Sql,
  { merchant_id, askers = 'servers', asker_id, route, code, request_id, from, below }: RefusalFilters,
  limit: number,
): Promise<FoundRows<RefusedRequest>> {
  const is = (column: 'key_id' | 'route' | 'code' | 'request_id', value: string | undefined) =>
    value === undefined ? sql`` : sql`and ${sql(column)} = ${value}`
  const is_named = asker_id !== undefined || request_id !== undefined
  const isOfAskers = sql`and starts_with(key_id, 'cs_') = ${askers === 'shoppers'}`
  const asker = is_named ? sql`${is('key_id', asker_id)} ${is('request_id', request_id)}` : isOfAskers
  const span = sql`merchant_id = ${merchant_id} and entry_id >= ${from} and entry_id < ${below}`
  const rows = await sql<(RefusedRequest & { fits: boolean })[]>`
    with looked as materialized (
      select * from (
        select * from request_log where ${span} order by entry_id desc limit ${passed_max}) passed
      where true ${asker} order by entry_id desc limit ${looked_at_max}
    ), last as (
      select greatest(
        (select min(entry_id) from looked having count(*) = ${looked_at_max}),
        (select entry_id from request_log where ${span} order by entry_id desc offset ${passed_max - 1} limit 1)
      ) as entry_id
    )
    select f.*, key_id as asker_id from (
      (select l.*, true as fits from looked l
        where true ${is('route', route)} ${is('code', code)}
        order by entry_id desc limit ${limit})
      union all
      select l.*, false from request_log l join last using (entry_id) where l.merchant_id = ${merchant_id}
    ) f
    order by fits desc, entry_id desc`
  const last = rows.find(({ fits }) => !fits)
  return { rows: rows.filter(({ fits }) => fits), ended_at: last?.entry_id ?? null }
}
