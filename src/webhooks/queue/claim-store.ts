// The SQL that claims due deliveries and counts waiting ones. A row's attempt_id is its lease: a claim sets it,
// settling names it, and after a while the row is due again.

import type { Sql } from '../../database/open.ts'
import type { ClaimedDelivery } from './claimed-delivery.ts'
import { eventAndEndpoint, unanswered } from './queue-store.ts'

/** 0: a first attempt, or one that a person moved to the front; 1: a retry or replay. */
export type QueueClass = 0 | 1

/**
 * `trusted`: it answers well, so it may use any free slot. `new`: it never had an attempt; unlisted endpoints count as
 * new. `shut`: its breaker is open, or it requested a rest, so only overdue deliveries pass, and those that a person
 * moved to the front.
 */
export type Standing = 'trusted' | 'new' | 'other' | 'shut'

/** How many deliveries of an endpoint may be claimed. */
export type EndpointCapacity = {
  endpoint_id: string
  room: number
  standing: Standing
}

export type ClaimOrder = {
  class: QueueClass
  rooms: EndpointCapacity[]
  /** For an endpoint that `rooms` does not list. */
  room: number
  /** How many in all, and how many of trusted, new and all other endpoints. */
  slots: number
  trusted_slots: number
  /** Of new and all other endpoints together. */
  untrusted_slots: number
  new_slots: number
  other_slots: number
  /** Reads only endpoints after this one, and at most this many. */
  after_endpoint: string
  endpoints_max: number
  /** Endpoints after these come first when slots are few. */
  after_trusted: string
  after_other: string
  now: Date
  lease_until: Date
  /** Deliveries created before this time are overdue. */
  overdue_before: Date
}

export type Claim = {
  deliveries: ClaimedDelivery[]
  /** The last endpoint of the claim, and how many it read. */
  last_endpoint: string | null
  endpoints: number
  /** The next time at which one of their rows is due. */
  next_due_at: Date | null
}

/**
 * Leases due deliveries. Attempts whose lease has run out get a row that says so. PostgreSQL may plan the statement
 * while a table is empty, so the statement leaves it no choice that would be wrong later: rows are changed by their
 * place (ctid), and looked up in subqueries that `offset 0` separates.
 */
export async function claim(sql: Sql, order: ClaimOrder): Promise<Claim> {
  const { rooms, now } = order
  type Row = ClaimedDelivery & Pick<Claim, 'last_endpoint' | 'endpoints' | 'next_due_at'>
  // The index leads from each endpoint to the next, so that no endpoint's rows must be read to get past it.
  const rows = await sql<Row[]>`
    with recursive rooms as materialized (
      select * from unnest(${rooms.map((each) => each.endpoint_id)}::text[],
        ${rooms.map((each) => each.room)}::int[], ${rooms.map((each) => each.standing)}::text[]
      ) as r (endpoint_id, room, standing)
    ), chain as (
      (select endpoint_id, due_at from webhook_queue
        where class = ${order.class} and endpoint_id > ${order.after_endpoint}
        order by class, endpoint_id, due_at limit 1)
      union all
      select next.endpoint_id, next.due_at from chain c cross join lateral (
        select q.endpoint_id, q.due_at from webhook_queue q
        where q.class = ${order.class} and q.endpoint_id > c.endpoint_id
        order by q.class, q.endpoint_id, q.due_at limit 1) next
    ), walked as materialized (
      select * from chain limit ${order.endpoints_max}
    ), ready as materialized (
      select w.endpoint_id, coalesce(r.room, ${order.room}) as room,
        coalesce(r.standing, 'new') as standing
      from walked w left join rooms r using (endpoint_id)
      where w.due_at <= ${now} and coalesce(r.room, ${order.room}) > 0
        -- Checked before the row is locked, because a lock is a write.
        and (r.standing is distinct from 'shut' or (
          select ${passesShut(sql, order, 'q')} from webhook_queue q
          where q.class = ${order.class} and q.endpoint_id = w.endpoint_id
          order by q.class, q.endpoint_id, q.due_at limit 1))
    ), picked as materialized (
      select * from (
        (select * from ${dueOf(sql, order, 'trusted')} limit ${order.trusted_slots})
        union all
        (select * from (
          (select * from ${dueOf(sql, order, 'new')} limit ${order.new_slots})
          union all
          (select * from ${dueOf(sql, order, 'other')} limit ${order.other_slots})
        ) untrusted limit ${order.untrusted_slots})
      ) found limit ${order.slots}
    ), claimed as (
      update webhook_queue q set attempt_number = q.attempt_number + 1, attempted_at = ${now},
        due_at = ${order.lease_until}, last_attempt_id = coalesce(q.attempt_id, q.last_attempt_id),
        attempt_id = webhook_id(${now}, q.delivery_id || '#' || (q.attempt_number + 1))
      where q.ctid = any(array(select row from picked)) returning q.*
    ), lost as (
      insert into webhook_attempts ${unanswered(sql, sql`'failed'`, sql`${now}`)}
      from (select * from picked where attempt_id is not null) p ${eventAndEndpoint(sql, sql`p`)}
      on conflict do nothing
    )
    select s.*, c.*, ev.event_id, ev.type as event_type, ev.body, e.url as endpoint_url,
      e.status as endpoint_status, e.may_return, e.event_format, e.compatible_version, e.standard_webhooks, e.sealed_secret, e.previous_sealed_secret, e.previous_secret_until,
      h.changed_at as breaker_changed_at, h.open_until, h.reopen_count,
      coalesce(c.last_attempt_id = any(array(select attempt_id from picked)), false) as was_lost
    from (
      select max(endpoint_id) as last_endpoint, count(*)::int as endpoints,
        min(due_at) filter (where due_at > ${now}) as next_due_at from walked
    ) s left join claimed c on true
    ${eventAndEndpoint(sql, sql`c`)}
    left join lateral (
      select changed_at, open_until, reopen_count from webhook_endpoint_health h
      where h.merchant_id = c.merchant_id and h.endpoint_id = c.endpoint_id offset 0) h on true
    order by c.endpoint_id, c.created_at, c.delivery_id`
  const [first] = rows
  const { last_endpoint, endpoints, next_due_at } = first!
  const deliveries = first!.delivery_id === null ? [] : rows
  return { deliveries, last_endpoint, endpoints, next_due_at }
}

/** If many endpoints have due deliveries, each gets at most an equal share of the slots, but not less than this. */
export const share_min = 4

/** The first rows of each ready endpoint. An event's second delivery waits until the first was attempted. */
function dueOf(sql: Sql, order: ClaimOrder, group: 'trusted' | 'new' | 'other') {
  const standing = group === 'other' ? sql`standing in ('other', 'shut')` : sql`standing = ${group}`
  const slots = { trusted: order.trusted_slots, new: order.new_slots, other: order.other_slots }
  const mark = { trusted: order.after_trusted, new: '', other: order.after_other }[group]
  return sql`(
    select x.* from (
      select *, least(room, greatest(${share_min}, ceil(${slots[group]}::numeric / count(*) over ()))) as share
      from ready where ${standing} order by endpoint_id <= ${mark}, endpoint_id
    ) r cross join lateral (
      select q.ctid as row, q.merchant_id, q.delivery_id, q.endpoint_id, q.payment_id, q.sequence, q.replay_of,
        q.root_created_at, q.created_at, q.due_at, q.attempt_number, q.attempt_id, q.attempted_at, q.last_attempt_id
      from webhook_queue q
      where q.class = ${order.class} and q.endpoint_id = r.endpoint_id and q.due_at <= ${order.now}
        and (q.after_id is null or (
          select first.class from webhook_queue first
          where first.merchant_id = q.merchant_id and first.delivery_id = q.after_id) is distinct from 0)
      order by q.class, q.endpoint_id, q.due_at limit r.share for update skip locked) x
    where (r.standing <> 'shut' or ${passesShut(sql, order, 'x')})
  ) ${sql(group)}`
}

/**
 * Overdue deliveries, and those that a person moved to the front: only `expediteDelivery` makes a delivery due before
 * it was created.
 */
function passesShut(sql: Sql, { overdue_before }: ClaimOrder, row: 'q' | 'x') {
  return sql`(${sql(row)}.created_at <= ${overdue_before} or ${sql(row)}.due_at < ${sql(row)}.created_at)`
}

/** How many wait, up to a limit, and since when the oldest one is due. */
export type Backlog = { class: QueueClass; depth: number; oldest_due_at: Date | null }

const depth_max = 100_000

/** Endpoints whose breaker is open do not count towards the age: they have a metric of their own. */
export async function readBacklog(sql: Sql, now: Date): Promise<Backlog[]> {
  return Promise.all(
    ([0, 1] as const).map(async (queue_class) => {
      const [row] = await sql<Omit<Backlog, 'class'>[]>`
        with recursive chain as (
          (select merchant_id, endpoint_id, due_at from webhook_queue where class = ${queue_class}
            order by class, endpoint_id, due_at limit 1)
          union all
          select next.* from chain c cross join lateral (
            select q.merchant_id, q.endpoint_id, q.due_at from webhook_queue q
            where q.class = ${queue_class} and q.endpoint_id > c.endpoint_id
            order by q.class, q.endpoint_id, q.due_at limit 1) next
        )
        select (select count(*) from (
            select 1 from webhook_queue where class = ${queue_class} limit ${depth_max}) counted)::int as depth,
          (select min(c.due_at) from chain c left join webhook_endpoint_health h using (merchant_id, endpoint_id)
            where c.due_at <= ${now} and h.open_until is null) as oldest_due_at`
      return { class: queue_class, ...row! }
    }),
  )
}
