// The SQL that takes deliveries out of the queue: settles attempts, and ends deliveries that get no more.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { EndpointKey } from '../endpoint.ts'
import type { ClaimedDelivery } from './claimed-delivery.ts'

/** How an attempt ended. */
export type Settlement = Pick<
  ClaimedDelivery,
  | 'merchant_id'
  | 'delivery_id'
  | 'endpoint_id'
  | 'attempt_id'
  | 'attempt_number'
  | 'last_attempt_id'
  | 'pending_id'
  | 'payment_id'
  | 'replay_of'
  | 'root_created_at'
  | 'event_type'
  | 'endpoint_url'
> & {
  status: 'succeeded' | 'failed' | 'dead_lettered'
  occurred_at: Date
  duration_ms: number
  response_status_code: number | null
  response_body: string | null
  failure: string | null
  /** Null if this attempt settles the delivery. */
  next_retry_at: Date | null
}

/**
 * Writes how attempts ended, each once. It also writes for a delivery that another process took over, because the
 * request was made. Returns the attempts that still had their lease; the other deliveries are left to the new process.
 */
export async function settleAttempts(sql: Sql, settlements: Settlement[], now: Date): Promise<Set<string>> {
  const settledColumns = {
    status: sql`(select status from settlement s where s.attempt_id = ended.attempt_id)`,
    last_attempt_id: sql`attempt_id`,
    attempt_count: sql`attempt_number`,
  }
  // These parts would read every day's partition, so they are left out if there is nothing to find.
  const replays = settlements.some(({ replay_of }) => replay_of !== null)
    ? sql`${freed(sql, sql`ended`)}, heard as (
      delete from webhook_attempts
      where merchant_id = any(array(select merchant_id from settlement where pending_id is not null))
        and attempt_id = any(array(select pending_id from settlement where pending_id is not null))
    ),`
    : sql``
  const rows = await sql<{ attempt_id: string }[]>`
    with settlement as materialized (
      select * from json_to_recordset(${settlements as never}::json) as s (
        merchant_id text, delivery_id text, endpoint_id text, attempt_id text, attempt_number integer,
        last_attempt_id text, pending_id text, payment_id text, replay_of text, root_created_at timestamptz,
        event_type text, endpoint_url text, status text, occurred_at timestamptz, duration_ms integer,
        response_status_code integer, response_body text, failure text, next_retry_at timestamptz)
    ), leased as materialized (
      select s.attempt_id, s.next_retry_at, q.row
      from (select * from settlement order by delivery_id collate "C") s cross join lateral (
        select ctid as row from webhook_queue q
        where q.merchant_id = s.merchant_id and q.delivery_id = s.delivery_id and q.attempt_id = s.attempt_id
        for update) q
    ), ended as (
      delete from webhook_queue
      where ctid = any(array(select row from leased where next_retry_at is null)) returning *
    ), postponed as (
      update webhook_queue q set class = 1, attempt_id = null, last_attempt_id = attempt_id, pending_id = null,
        due_at = (select next_retry_at from leased where leased.attempt_id = q.attempt_id)
      where q.ctid = any(array(select row from leased where next_retry_at is not null))
      returning q.last_attempt_id as attempt_id
    ), settled as (
      insert into webhook_deliveries ${settledRow(sql, settledColumns, now)} from ended
    ), ${replays} told as (
      insert into webhook_attempts as a
        (merchant_id, attempt_id, delivery_id, endpoint_id, endpoint_url, payment_id, event_type, attempt_number,
         previous_attempt_id, replay_of, root_created_at, status, occurred_at, duration_ms, response_status_code,
         response_body, failure, next_retry_at)
      select merchant_id, attempt_id, delivery_id, endpoint_id, endpoint_url, payment_id, event_type, attempt_number,
        last_attempt_id, replay_of, root_created_at, status, occurred_at, duration_ms, response_status_code,
        response_body, failure, next_retry_at
      from settlement
      -- The attempt was counted as lost, or its endpoint was deleted. Its result is written anyway.
      on conflict (merchant_id, attempt_id) do update set
        status = case when excluded.status = 'succeeded' then 'succeeded' else a.status end,
        next_retry_at = case when excluded.status = 'succeeded' then null else a.next_retry_at end,
        duration_ms = excluded.duration_ms, response_status_code = excluded.response_status_code,
        response_body = excluded.response_body, failure = excluded.failure
    )
    select attempt_id from ended union all select attempt_id from postponed`
  return new Set(rows.map(({ attempt_id }) => attempt_id))
}

/** Which deliveries to end: an endpoint's, with or without claimed ones, or single ones that were claimed for this. */
export type EndingDeliveries =
  | { merchant_id: string; endpoint_id: string; but_claimed?: boolean }
  | { merchant_id: string; delivery_ids: string[] }

const end_batch = 5_000

/**
 * Gives up unsettled deliveries, about a batch at most. The newest row of each becomes `dead_lettered`; a delivery
 * without an attempt leaves no row. An attempt under way at a deleted endpoint gets its row now, and its answer later.
 */
export async function endDeliveries(sql: AnySql, which: EndingDeliveries, now: Date): Promise<number> {
  for (let total = 0; ; ) {
    const { chosen_count, ended_count } = await endBatch(sql, which, now)
    total += ended_count
    // A row that changed while this statement waited for it is locked, but only the next statement sees the change.
    if (ended_count === chosen_count) return total
  }
}

async function endBatch(sql: AnySql, which: EndingDeliveries, now: Date) {
  const { merchant_id } = which
  const is_by_endpoint = 'endpoint_id' in which
  const unclaimed = is_by_endpoint && which.but_claimed ? sql`and attempt_id is null` : sql``
  const candidates = is_by_endpoint
    ? sql`
      select q.delivery_id from (values (0), (1)) k (class) cross join lateral (
        select delivery_id from webhook_queue
        where merchant_id = ${merchant_id} and class = k.class and endpoint_id = ${which.endpoint_id} ${unclaimed}
        order by class, endpoint_id, due_at limit ${end_batch}) q limit ${end_batch}`
    : sql`select unnest(${which.delivery_ids}::text[]) as delivery_id`
  const underWay = is_by_endpoint ? sql`gone.attempt_id` : sql`null::text`
  const newest = sql`coalesce(${underWay}, gone.last_attempt_id, gone.pending_id)`
  const givenUp = {
    // The answer of an attempt that counted as lost may still have come.
    status: sql`coalesce((
      select a.status from webhook_attempts a
      where a.merchant_id = gone.merchant_id and a.attempt_id = ${newest} and a.status = 'succeeded'), 'dead_lettered')`,
    last_attempt_id: newest,
    // A process claims single deliveries in order to give them up: the attempt is not made.
    attempt_count: is_by_endpoint ? sql`attempt_number` : sql`attempt_number - (attempt_id is not null)::int`,
  }
  const [counts] = await sql<{ chosen_count: number; ended_count: number }[]>`
    with chosen as materialized (
      select q.row from (select delivery_id from (${candidates}) c order by delivery_id collate "C") c cross join lateral (
        select ctid as row from webhook_queue
        where merchant_id = ${merchant_id} and delivery_id = c.delivery_id ${unclaimed} for update) q
    ), gone as (
      delete from webhook_queue where ctid = any(array(select row from chosen)) returning *
    ), settled as (
      insert into webhook_deliveries ${settledRow(sql, givenUp, now)} from gone where ${newest} is not null
    ), ${freed(sql, sql`gone`)}, newest as (
      update webhook_attempts set status = 'dead_lettered', next_retry_at = null
      where merchant_id = ${merchant_id} and attempt_id = any(array(select ${newest} from gone))
        and status <> 'succeeded'
    ), heard as (
      delete from webhook_attempts where merchant_id = ${merchant_id}
        and attempt_id = any(array(select pending_id from gone where pending_id <> ${newest}))
    ), cut as (
      insert into webhook_attempts ${unanswered(sql, sql`'dead_lettered'`, sql`null::timestamptz`)}
      from (select * from gone where ${is_by_endpoint} and attempt_id is not null) p
      ${eventAndEndpoint(sql, sql`p`)}
      on conflict do nothing
    )
    select (select count(*) from chosen)::int as chosen_count, (select count(*) from gone)::int as ended_count`
  return counts!
}

/** When a delivery is due whose endpoint is disabled until its owner enables it again. */
export const not_due = new Date('9999-12-31T00:00:00Z')

/**
 * Lets claimed deliveries of a disabled endpoint wait until it is enabled again. Their attempts are not made and do not
 * count. Its lock on the endpoint comes before or after the one of enabling it: after that, they are due at once.
 */
export async function keepDeliveries(
  sql: AnySql,
  { merchant_id, endpoint_id, ...ids }: EndpointKey & { delivery_ids: string[]; attempt_ids: string[] },
  now: Date,
): Promise<void> {
  await sql`
    with off as materialized (
      select 1 from webhook_endpoints
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and may_return for share
    )
    update webhook_queue set attempt_id = null, attempt_number = attempt_number - 1,
      due_at = case when exists (select 1 from off) then ${not_due}::timestamptz else ${now}::timestamptz end
    where merchant_id = ${merchant_id} and delivery_id = any(${ids.delivery_ids}) and attempt_id = any(${ids.attempt_ids})`
}

/** The start of an insert of attempts that ended without a known answer. */
export function unanswered(sql: AnySql, status: Fragment, nextRetryAt: Fragment) {
  return sql`
    (merchant_id, attempt_id, delivery_id, endpoint_id, endpoint_url, payment_id, event_type, attempt_number,
     previous_attempt_id, replay_of, root_created_at, status, occurred_at, failure, next_retry_at)
    select p.merchant_id, p.attempt_id, p.delivery_id, p.endpoint_id, e.url, p.payment_id, ev.type, p.attempt_number,
      p.last_attempt_id, p.replay_of, p.root_created_at, ${status}, p.attempted_at, 'lost', ${nextRetryAt}`
}

/** Joins the event and the endpoint of a queue row, each looked up by its key. */
export function eventAndEndpoint(sql: AnySql, row: Fragment) {
  return sql`
    left join lateral (
      select url, status, may_return, event_format, compatible_version, standard_webhooks, sealed_secret, previous_sealed_secret,
        previous_secret_until from webhook_endpoints e
      where e.merchant_id = ${row}.merchant_id and e.endpoint_id = ${row}.endpoint_id offset 0) e on true
    left join lateral (
      select event_id, type, body from events ev
      where ev.merchant_id = ${row}.merchant_id and ev.payment_id = ${row}.payment_id
        and ev.sequence = ${row}.sequence offset 0) ev on true`
}

/** The start of an insert of settled deliveries from queue rows. */
function settledRow(sql: AnySql, row: Record<'status' | 'last_attempt_id' | 'attempt_count', Fragment>, now: Date) {
  return sql`
    (merchant_id, delivery_id, endpoint_id, payment_id, sequence, status, attempt_count, last_attempt_id, replay_of,
     root_id, root_created_at, created_at, settled_at)
    select merchant_id, delivery_id, endpoint_id, payment_id, sequence, ${row.status}, ${row.attempt_count},
      ${row.last_attempt_id}, replay_of, root_id, root_created_at, created_at, ${now}`
}

/** Once a replay is settled, its original may be replayed again. */
function freed(sql: AnySql, endedTable: Fragment) {
  return sql`freed as (
    update webhook_deliveries set active_replay = null
    where merchant_id = any(array(select merchant_id from ${endedTable} where replay_of is not null))
      and delivery_id = any(array(select replay_of from ${endedTable} where replay_of is not null))
      and active_replay = any(array(select delivery_id from ${endedTable}))
  )`
}
