// The SQL of endpoints' states for operators: breaker, waiting deliveries, results of the last attempts.

import type { AnySql, Sql } from '../../database/open.ts'
import type { EndpointKey } from '../endpoint.ts'
import { type EndpointRow, endpointColumns } from '../endpoints/endpoint-store.ts'
import type { QueueClass } from '../queue/claim-store.ts'
import type { EndpointHealth } from '../sending/health-store.ts'

/** Every endpoint of a merchant, deleted ones included, oldest first. */
export async function listAllEndpoints(
  sql: Sql,
  merchant_id: string,
): Promise<(EndpointRow & { disabled_at: Date | null })[]> {
  return sql<(EndpointRow & { disabled_at: Date | null })[]>`
    select ${endpointColumns(sql)}, disabled_at
    from webhook_endpoints where merchant_id = ${merchant_id} order by created_at, endpoint_id`
}

/** Waiting deliveries of an endpoint are counted up to this number. */
export const deliveries_waiting_max = 10_000
/** More than the attempts that all workers make at one endpoint at once. */
const under_way_max = 1_000

/** Counts up to `deliveries_waiting_max`, without attempts that are under way. */
export type EndpointStanding = EndpointKey & {
  url: string
  first_attempts: number
  retries: number
  under_way: number
  /** Since when the oldest one could have been sent. */
  oldest_due_at: Date | null
  breaker: Pick<EndpointHealth, 'open_until' | 'reopen_count' | 'last_failure' | 'changed_at'> | null
}

/** The active endpoints of a merchant, or one of them, oldest first. */
export async function readStandings(
  sql: Sql,
  { merchant_id, endpoint_id }: { merchant_id: string; endpoint_id: string | null },
  now: Date,
): Promise<EndpointStanding[]> {
  type Row = Omit<EndpointStanding, 'breaker'> & EndpointHealth
  const rows = await sql<(Row | (Row & { changed_at: null }))[]>`
    select e.merchant_id, e.endpoint_id, e.url, first.waiting as first_attempts, retry.waiting as retries,
      first.under_way + retry.under_way as under_way, least(first.oldest_due_at, retry.oldest_due_at) as oldest_due_at,
      h.open_until, h.reopen_count, h.last_failure, h.changed_at
    from webhook_endpoints e
    cross join lateral ${waitingOf(sql, 0, now)} first
    cross join lateral ${waitingOf(sql, 1, now)} retry
    left join webhook_endpoint_health h on h.merchant_id = e.merchant_id and h.endpoint_id = e.endpoint_id
    where e.merchant_id = ${merchant_id} and e.status = 'active'
      ${endpoint_id === null ? sql`` : sql`and e.endpoint_id = ${endpoint_id}`}
    order by e.created_at, e.endpoint_id`
  return rows.map(({ open_until, reopen_count, last_failure, changed_at, ...standing }) => ({
    ...standing,
    breaker: changed_at && { open_until, reopen_count, last_failure, changed_at },
  }))
}

function waitingOf(sql: AnySql, queue_class: QueueClass, now: Date) {
  return sql`(
    select least(count(*) - count(attempt_id), ${deliveries_waiting_max})::int as waiting, count(attempt_id)::int as under_way,
      min(due_at) filter (where due_at <= ${now}) as oldest_due_at
    from (
      select attempt_id, due_at from webhook_queue q
      where q.class = ${queue_class} and q.endpoint_id = e.endpoint_id
      order by q.class, q.endpoint_id, q.due_at limit ${deliveries_waiting_max + under_way_max}) counted)`
}

/** How many of a merchant's newest attempts are read. */
const attempts_max = 50_000

/** How attempts at an endpoint ended: how many with one status, and the newest of them. */
export type RecentOutcome = {
  endpoint_id: string
  status: 'succeeded' | 'failed' | 'dead_lettered'
  count: number
  /** Null if no attempt got an answer or a time-out. */
  median_duration_ms: number | null
  occurred_at: Date
  response_status_code: number | null
  failure: string | null
}

/** `since`: the start of the first attempt that was read, if there were too many to read all. */
export async function readRecentOutcomes(
  sql: Sql,
  { merchant_id, from }: { merchant_id: string; from: string },
): Promise<{ since: Date | null; outcomes: RecentOutcome[] }> {
  type Row = RecentOutcome & { looked_at: number; first_at: Date }
  const rows = await sql<Row[]>`
    with recent as materialized (
      select attempt_id, endpoint_id, status, duration_ms, occurred_at from webhook_attempts
      where merchant_id = ${merchant_id} and attempt_id >= ${from} and status <> 'pending'
      order by attempt_id desc limit ${attempts_max}
    ), outcomes as materialized (
      select endpoint_id, status, count(*)::int as count, max(attempt_id) as attempt_id,
        percentile_disc(0.5) within group (order by duration_ms) as median_duration_ms
      from recent group by endpoint_id, status
    )
    select o.endpoint_id, o.status, o.count, o.median_duration_ms, newest.*,
      (select count(*)::int from recent) as looked_at, (select min(occurred_at) from recent) as first_at
    from outcomes o cross join lateral (
      select occurred_at, response_status_code, failure from webhook_attempts a
      where a.merchant_id = ${merchant_id} and a.attempt_id = o.attempt_id offset 0) newest`
  const [first] = rows
  const since = first && first.looked_at >= attempts_max ? first.first_at : null
  return { since, outcomes: rows }
}
