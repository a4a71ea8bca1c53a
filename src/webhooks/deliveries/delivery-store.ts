// The SQL of deliveries as merchants see them: the list of attempts, and replays.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import type { Mode } from '../../kernel/values.ts'
import type { DeliveryAttempt, DeliveryKey, DeliveryStatus, ReplayStanding, SettledDelivery } from '../delivery.ts'

export type AttemptFilters = {
  merchant_id: string
  status: DeliveryStatus | undefined
  /** Only attempts about events of this mode; null for both. */
  only_mode: Mode | null
  /** Null if no row can have the type in the filter. */
  event_type: string | null | undefined
  /** Only these attempts. */
  attempt_ids?: string[] | undefined
  /** Attempts from this id on, */
  from: string
  /** up to but without this one. */
  below: string
}

/** How many attempts a request reads at most if it shows only those of one mode. */
const looks_max = 5_000

type ListedAttempt = DeliveryAttempt & ReplayStanding & { endpoint_mode: Mode | null }

/**
 * The newest attempts that match, newest first. Facts about dead letters are looked up by key, because PostgreSQL might
 * answer an `exists` from a table that it reads whole beforehand.
 */
export async function listAttempts(
  sql: Sql,
  filters: AttemptFilters,
  limit: number,
): Promise<FoundRows<ListedAttempt>> {
  const { merchant_id, event_type, from, below, only_mode } = filters
  const typeFilter = event_type === undefined ? sql`` : sql`and event_type = ${event_type}`
  const { attempt_ids } = filters
  const attemptFilter = attempt_ids === undefined ? sql`` : sql`and attempt_id = any(${attempt_ids})`
  const condition = sql`
    merchant_id = ${merchant_id} and attempt_id >= ${from} and attempt_id < ${below}
      ${filters.status === undefined ? sql`` : isOf(sql, filters.status)} ${typeFilter} ${attemptFilter}`
  const ofEndpoint = sql`(
    select e.mode from webhook_endpoints e
    where e.merchant_id = a.merchant_id and e.endpoint_id = a.endpoint_id) as endpoint_mode, place, is_match`
  const attempts = await sql<(ListedAttempt & { place: number; is_match: boolean })[]>`
    select a.merchant_id, attempt_id, delivery_id, endpoint_id, endpoint_url, payment_id, event_type,
      attempt_number, replay_of, root_created_at, status, occurred_at, response_status_code,
      response_body, next_retry_at,
      status = 'dead_lettered' and coalesce((
        select e.status = 'active' from webhook_endpoints e
        where e.merchant_id = a.merchant_id and e.endpoint_id = a.endpoint_id
      ), false) as endpoint_is_active,
      status = 'dead_lettered' and coalesce((
        select d.active_replay is not null from webhook_deliveries d
        where d.merchant_id = a.merchant_id and d.delivery_id = a.delivery_id
      ), false) as is_being_replayed,
      ${only_mode === null ? sql`null as endpoint_mode, 0 as place, true as is_match` : ofEndpoint}
    from ${only_mode === null ? sql`webhook_attempts a where ${condition}` : ofMode(sql, condition, only_mode)}
    order by attempt_id desc limit ${limit}`
  const last = attempts.at(-1)
  const ended_at = last?.place === looks_max ? last.attempt_id : null
  return { rows: attempts.filter(({ is_match }) => is_match), ended_at }
}

/** The attempts about events of a mode, and the last attempt that was read. */
function ofMode(sql: AnySql, condition: Fragment, mode: Mode): Fragment {
  const window = sql`
    select l.*, row_number() over (order by attempt_id desc)::int as place from (
      select * from webhook_attempts where ${condition} order by attempt_id desc limit ${looks_max}) l`
  return sql`(
    select n.*, ${modeOfEvent(sql, sql`n`)} = ${mode} as is_match from (${window}) n
  ) a where is_match or place = ${looks_max}`
}

/** The mode of the event of an attempt or a delivery, which only the event itself has. */
function modeOfEvent(sql: AnySql, of: Fragment): Fragment {
  return sql`(
    select ev.body::json->'data'->>'mode' from events ev
    where ev.merchant_id = ${of}.merchant_id and ev.payment_id = ${of}.payment_id and ev.sequence = 1 offset 0)`
}

/** The mode of the event of the delivery in the path; null if there is no such delivery. */
export async function modeOfDelivery(
  sql: Sql,
  { merchant_id, params: { delivery_id = '' } }: Pick<ObjectPlace, 'merchant_id' | 'params'>,
): Promise<Mode | null> {
  const which = sql`merchant_id = ${merchant_id} and delivery_id = ${delivery_id}`
  const [row] = await sql<{ mode: Mode }[]>`
    select ${modeOfEvent(sql, sql`d`)} as mode from (
      select merchant_id, payment_id from webhook_deliveries where ${which}
      union all
      select merchant_id, payment_id from webhook_queue where ${which}
    ) d limit 1`
  return row?.mode ?? null
}

/** The status is part of the text: the partial index serves only a statement that names a status. */
function isOf(sql: AnySql, status: DeliveryStatus): Fragment {
  switch (status) {
    case 'succeeded':
      return sql`and status = 'succeeded'`
    case 'failed':
      return sql`and status = 'failed'`
    case 'dead_lettered':
      return sql`and status = 'dead_lettered'`
    case 'pending':
      return sql`and status = 'pending'`
  }
}

/** A delivery as it was at one moment; undefined if there is none. */
export async function findDelivery(
  sql: AnySql,
  { merchant_id, delivery_id }: DeliveryKey,
): Promise<SettledDelivery | 'unsettled' | undefined> {
  const [row] = await sql<{ is_queued: boolean; settled: Stored | null }[]>`
    with recursive chain as (
      select replay_of from webhook_deliveries
      where merchant_id = ${merchant_id} and delivery_id = ${delivery_id}
      union all
      select d.replay_of from chain cross join lateral (
        select replay_of from webhook_deliveries
        where merchant_id = ${merchant_id} and delivery_id = chain.replay_of offset 0) d
    )
    select exists (
      select 1 from webhook_queue where merchant_id = ${merchant_id} and delivery_id = ${delivery_id}
    ) as is_queued, (
      select row_to_json(found) from (
        select d.merchant_id, d.delivery_id, d.endpoint_id, d.payment_id, d.sequence, d.status, d.root_id,
          d.root_created_at, d.active_replay, ev.type as event_type, e.url as endpoint_url,
          exists (select 1 from chain where replay_of is null) as chain_is_whole
        from webhook_deliveries d
        join events ev on ev.merchant_id = d.merchant_id and ev.payment_id = d.payment_id
          and ev.sequence = d.sequence
        left join webhook_endpoints e on e.merchant_id = d.merchant_id and e.endpoint_id = d.endpoint_id
          and e.status = 'active'
        where d.merchant_id = ${merchant_id} and d.delivery_id = ${delivery_id}
      ) found
    ) as settled`
  const { is_queued, settled } = row!
  if (settled) return { ...settled, root_created_at: new Date(settled.root_created_at) }
  return is_queued ? 'unsettled' : undefined
}

type Stored = Omit<SettledDelivery, 'root_created_at'> & { root_created_at: string }

/** A replay that is not stored yet. */
export type Replay = {
  delivery_id: string
  /** The attempt's row that stands for the replay until its first attempt has ended. */
  pending_id: string
  created_at: Date
  line: JournalLine
}

/**
 * Accepts a replay if none is under way and the endpoint still exists. The original names the replay, which is queued
 * and listed. Returns false and writes nothing if another request was faster. Throws KeyTakenError if the key is stored
 * already.
 */
export async function insertReplay(
  sql: AnySql,
  of: SettledDelivery & { endpoint_url: string },
  replay: Replay,
  key: KeyRow | null,
): Promise<boolean> {
  const { merchant_id, endpoint_id, payment_id, root_id, root_created_at } = of
  const { delivery_id, pending_id, created_at, line } = replay
  const members = { merchant_id, delivery_id, endpoint_id, payment_id, root_created_at }
  const queueRow = {
    ...members,
    class: 1,
    due_at: created_at,
    attempt_number: 0,
    pending_id,
    sequence: of.sequence,
    replay_of: of.delivery_id,
    root_id,
    created_at,
  }
  const attempt = {
    ...members,
    attempt_id: pending_id,
    endpoint_url: of.endpoint_url,
    event_type: of.event_type,
    attempt_number: 0,
    replay_of: of.delivery_id,
    status: 'pending',
    occurred_at: created_at,
  }
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 from webhook_deliveries d
      join webhook_endpoints e on e.merchant_id = d.merchant_id and e.endpoint_id = d.endpoint_id
      where d.merchant_id = ${merchant_id} and d.delivery_id = ${of.delivery_id}
        and d.status = 'dead_lettered' and d.active_replay is null and e.status = 'active'
      for update of d for share of e
    ), key as (${insertKeyIfOpen(sql, key)}
    ), original as (
      update webhook_deliveries set active_replay = ${delivery_id}
      where merchant_id = ${merchant_id} and delivery_id = ${of.delivery_id} and exists (select 1 from key)
    ), queued as (insert into webhook_queue ${rowIf(sql, queueRow, 'key')}
    ), listed as (insert into webhook_attempts ${rowIf(sql, attempt, 'key')}
    ), line as (insert into journal ${rowIf(sql, line, 'key')}
    ), ${probed(sql, 'key', { merchant_id, endpoint_id, at: created_at })}
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** A person who sends by hand expects that the endpoint is back, so one delivery tries it. */
function probed(
  sql: AnySql,
  gate: 'key' | 'due',
  { merchant_id, endpoint_id, at }: { merchant_id: string; endpoint_id: string; at: Date },
): Fragment {
  return sql`probed as (
      update webhook_endpoint_health set open_until = ${at}, changed_at = ${at}
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and state = 'open'
        and changed_at < ${at} and exists (select 1 from ${sql(gate)})
    )`
}

/**
 * Makes a waiting delivery due before all others of its endpoint, so that it is the one that tries a paused endpoint.
 * `claim` lets it pass a rest as well, because it is due before it was created. Returns false if it no longer waits. A
 * delivery whose attempt is under way stays as it is.
 */
export async function expediteDelivery(
  sql: AnySql,
  { merchant_id, delivery_id, endpoint_id }: DeliveryKey & { endpoint_id: string },
  line: JournalLine,
): Promise<boolean> {
  const { at } = line
  const rows = await sql`
    with waiting as (
      select 1 from webhook_queue where merchant_id = ${merchant_id} and delivery_id = ${delivery_id} for update
    ), due as (
      -- The class of first attempts is claimed first, and by the time that they are due.
      update webhook_queue q set class = 0, due_at = least(${at}, q.created_at, (
        select first.due_at from webhook_queue first where first.class = 0 and first.endpoint_id = ${endpoint_id}
        order by first.class, first.endpoint_id, first.due_at limit 1)) - interval '1 millisecond'
      where q.merchant_id = ${merchant_id} and q.delivery_id = ${delivery_id} and q.attempt_id is null
        and exists (select 1 from waiting)
      returning q.last_attempt_id
    ), listed as (
      update webhook_attempts set next_retry_at = ${at}
      where merchant_id = ${merchant_id} and attempt_id = any(array(select last_attempt_id from due))
        and status = 'failed'
    ), line as (insert into journal ${rowIf(sql, line, 'due')}
    ), ${probed(sql, 'due', { merchant_id, endpoint_id, at })}
    select 1 from waiting`
  return rows.length > 0
}
