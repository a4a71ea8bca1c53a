// The SQL of `ripper doctor`: what may be wrong with the accounts and the work of all merchants.

import { installation_id } from '../../audit/journal.ts'
import { last_age_seconds } from '../../audit/seal-journal.ts'
import type { ConnectionRow } from '../../connections/connection.ts'
import { by, firstFromCells, fromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Integration } from '../../merchants/integration.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import type { Endpoint } from '../../webhooks/endpoint.ts'

/** The most of a kind that the doctor looks at. An operator with more already knows that something is wrong. */
export const rows_max = 1_000

export async function countMerchants(sql: Sql): Promise<{ active: number; suspended: number }> {
  const [row] = await sql<{ active: number; suspended: number }[]>`
    select count(*) filter (where status = 'active')::int as active,
      count(*) filter (where status = 'suspended')::int as suspended from merchants`
  return row!
}

/** Active merchants that take live payments. */
export async function listLiveMerchants(sql: Sql): Promise<Pick<Merchant, 'merchant_id' | 'acquiring_profile'>[]> {
  return sql<Pick<Merchant, 'merchant_id' | 'acquiring_profile'>[]>`
    select merchant_id, acquiring_profile from merchants
    where live and live_enabled and status = 'active' order by merchant_id limit ${rows_max}`
}

/** Keys of active merchants that are not revoked. */
export async function listEndingKeys(
  sql: Sql,
  between: { from: Date; until: Date },
): Promise<{ key_id: string; expires_at: Date }[]> {
  return sql<{ key_id: string; expires_at: Date }[]>`
    select k.key_id, k.expires_at from api_keys k join merchants m using (merchant_id)
    where k.revoked_at is null and k.expires_at between ${between.from} and ${between.until}
      and m.status = 'active'
    order by k.expires_at, k.key_id limit ${rows_max}`
}

/** Merchants whose usable keys may create payments, but none of whose keys has a usable publishable key. */
export async function listWithoutPair(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql<{ merchant_id: string }[]>`
    select k.merchant_id from api_keys k join merchants m using (merchant_id)
    left join publishable_keys p on p.publishable_key = k.publishable_key and p.revoked_at is null
    where m.status = 'active' and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
      and 'create_payments' = any(k.permissions)
    group by k.merchant_id having count(p.publishable_key) = 0 order by k.merchant_id limit ${rows_max}`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** The signing secrets of active endpoints, the newest first. */
export async function listSealedSecrets(
  whole: Sql,
): Promise<Pick<Endpoint, 'merchant_id' | 'endpoint_id' | 'sealed_secret'>[]> {
  const rows = await fromCells(
    whole,
    (sql) => sql<Pick<Endpoint, 'merchant_id' | 'endpoint_id' | 'sealed_secret'>[]>`
      select merchant_id, endpoint_id, sealed_secret from webhook_endpoints where status = 'active'
      order by created_at desc, endpoint_id limit ${rows_max}`,
  )
  return rows.slice(0, rows_max)
}

/** Connections with their credentials, the newest first. */
export async function listSealedConnections(sql: Sql): Promise<ConnectionRow[]> {
  return sql<ConnectionRow[]>`
    select * from connections order by created_at desc, connection_id limit ${rows_max}`
}

/** Rows of a kind that a key has sealed. */
export type SealedRows = { what: string; count: number }

/** The most of a kind that is counted. */
export const sealed_max = 100_000

/** Of answers kept for replays, only the oldest are looked at: those of an old key are among them. */
export async function countSealedRows(whole: Sql, key_id: string): Promise<SealedRows[]> {
  const key = Buffer.from(key_id, 'hex')
  const shared = await whole<SealedRows[]>`
    select what, count(*)::int as count from (
      (select 'credentials' as what from connections
        where substring(sealed_credentials from 2 for 4) = ${key} limit ${sealed_max})
      union all (select 'credentials' from connections
        where substring(previous_sealed_credentials from 2 for 4) = ${key} limit ${sealed_max})
      union all (select 'one-time codes' from users
        where substring(totp_sealed from 2 for 4) = ${key} limit ${sealed_max})
      union all (select 'one-time codes' from users
        where substring(totp_pending from 2 for 4) = ${key} limit ${sealed_max})
    ) sealed_values group by what`
  const own = await fromCells(
    whole,
    (sql) => sql<SealedRows[]>`
      select what, count(*)::int as count from (
        (select 'card numbers' as what from vault.cards
          where substring(sealed_number from 2 for 4) = ${key} limit ${sealed_max})
        union all (select 'security codes' from vault.security_codes
          where substring(sealed_code from 2 for 4) = ${key} limit ${sealed_max})
        union all (select 'signing secrets' from webhook_endpoints
          where substring(sealed_secret from 2 for 4) = ${key} limit ${sealed_max})
        union all (select 'signing secrets' from webhook_endpoints
          where substring(previous_sealed_secret from 2 for 4) = ${key} limit ${sealed_max})
        union all select 'answers kept for replays' from (
          select answer from idempotency_keys order by created_at limit ${sealed_max}) oldest
          where substring(answer from 2 for 4) = ${key}
      ) sealed_values group by what`,
  )
  return [...shared, ...own]
}

/** People whose password an older master key peppers, by key. */
export async function countOldPasswords(sql: Sql): Promise<{ key_id: string; count: number }[]> {
  return sql<{ key_id: string; count: number }[]>`
    select split_part(password_hash, '$', 2) as key_id, count(*)::int as count from users
    where password_hash is not null and disabled_at is null group by key_id`
}

export type TestingIntegration = Pick<Integration, 'merchant_id' | 'name' | 'test_connections'>

/** The integrations of active merchants whose test sessions go to a connection. */
export async function listTesting(sql: Sql): Promise<TestingIntegration[]> {
  return sql<TestingIntegration[]>`
    select merchant_id, i.name, test_connections
    from integrations i join merchants m using (merchant_id)
    where m.status = 'active' and i.deleted_at is null and test_connections <> '{}'
    order by i.created_at desc, integration_id limit ${rows_max}`
}

export async function countEndpoints(whole: Sql): Promise<{ active: number; deleted: number }> {
  const rows = await fromCells(
    whole,
    (sql) => sql<{ active: number; deleted: number }[]>`
      select count(*) filter (where status = 'active')::int as active,
        count(*) filter (where status = 'disabled')::int as deleted from webhook_endpoints`,
  )
  return rows.reduce((sum, { active, deleted }) => {
    return { active: sum.active + active, deleted: sum.deleted + deleted }
  })
}

export type EndpointTrouble = {
  endpoint_id: string
  breaker_is_open: boolean
  last_failure: string | null
  /** Failures of the past hour, and whether an attempt has succeeded since. */
  failed: number
  has_recovered: boolean
  /** Null if its breaker is open, because its deliveries then have a reason to wait. */
  oldest_due_at: Date | null
}

/** Active endpoints of active merchants. Ids of the past hour begin with `from`. */
export async function listEndpointTroubles(
  whole: Sql,
  { now, from }: { now: Date; from: string },
): Promise<EndpointTrouble[]> {
  const rows = await fromCells(
    whole,
    (sql) => sql<EndpointTrouble[]>`
    select e.endpoint_id, h.open_until is not null as breaker_is_open, h.last_failure,
      f.failed, f.last_id is not null and exists (
        select 1 from webhook_attempts a
        where a.merchant_id = e.merchant_id and a.attempt_id > f.last_id
          and a.endpoint_id = e.endpoint_id and a.status = 'succeeded') as has_recovered,
      case when h.open_until is null then least(${oldest(sql, 0, now)}, ${oldest(sql, 1, now)}) end as oldest_due_at
    from webhook_endpoints e join merchants m on m.merchant_id = e.merchant_id and m.status = 'active'
    left join webhook_endpoint_health h on h.merchant_id = e.merchant_id and h.endpoint_id = e.endpoint_id
    cross join lateral (
      select count(*)::int as failed, max(attempt_id) as last_id from (
        select attempt_id from webhook_attempts a
        where a.merchant_id = e.merchant_id and a.status = 'failed' and a.attempt_id >= ${from}
          and a.endpoint_id = e.endpoint_id
        order by a.attempt_id desc limit ${rows_max}) recent) f
    where e.status = 'active' order by e.created_at, e.endpoint_id limit ${rows_max}`,
  )
  return rows.slice(0, rows_max)
}

function oldest(sql: Sql, queue_class: 0 | 1, now: Date) {
  return sql`(
    select q.due_at from webhook_queue q
    where q.class = ${queue_class} and q.endpoint_id = e.endpoint_id and q.due_at <= ${now}
    order by q.class, q.endpoint_id, q.due_at limit 1)`
}

/** Since when the first operation has waited for the reconciler. */
export async function oldestLookDue(whole: Sql, now: Date): Promise<Date | null> {
  type Row = { next_check_at: Date }
  const compare = by<Row>(({ next_check_at }) => next_check_at)
  const [row] = await firstFromCells(
    whole,
    { compare, limit: 1 },
    (sql) => sql<Row[]>`
      select next_check_at from acquirer_operations
      where state in ('sent', 'unknown', 'reversing', 'accepted') and next_check_at <= ${now}
      order by next_check_at limit 1`,
  )
  return row?.next_check_at ?? null
}

export async function listOverdueHolds(whole: Sql, before: Date): Promise<string[]> {
  const rows = await fromCells(
    whole,
    (sql) => sql<{ payment_id: string }[]>`
    select h.payment_id from merchants m cross join lateral (
      select payment_id, deadline from holds
      where merchant_id = m.merchant_id and decided_at is null and deadline < ${before}
      order by deadline limit ${rows_max}) h
    order by h.deadline, h.payment_id limit ${rows_max}`,
  )
  return rows.slice(0, rows_max).map(({ payment_id }) => payment_id)
}

/** Merchants with lines below an id that were not scanned for the chain as often as they have to be. */
export async function listUnsealed(whole: Sql, below: string): Promise<string[]> {
  type Row = { merchant_id: string }
  const compare = by<Row>(({ merchant_id }) => merchant_id)
  const rows = await firstFromCells(
    whole,
    { compare, limit: rows_max },
    (sql) => sql<Row[]>`
    select m.merchant_id from (select merchant_id from merchants union all select ${installation_id}) m
    cross join lateral (
      select coalesce(max(until), '') as until from audit_looks k
      where k.merchant_id = m.merchant_id and k.age_seconds = ${last_age_seconds}) looked
    where exists (
      select 1 from journal j
      where j.merchant_id = m.merchant_id and j.entry_id > looked.until and j.entry_id < ${below})
    order by m.merchant_id limit ${rows_max}`,
  )
  return rows.map(({ merchant_id }) => merchant_id)
}

/** People who are not disabled. */
export async function countPeople(sql: Sql): Promise<{ people: number; operators: number }> {
  const [row] = await sql<{ people: number; operators: number }[]>`
    select count(*)::int as people, count(*) filter (where is_operator)::int as operators
    from users where disabled_at is null`
  return row!
}

/** Addresses of people who have no passkey or no password, unless a provider signs them in. */
export async function listWithoutBoth(sql: Sql): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`
    select u.email from users u
    where u.disabled_at is null
      and (u.password_hash is null or not exists (select from passkeys p where p.user_id = u.user_id))
      and not exists (select from user_identities i where i.user_id = u.user_id)
    order by u.email limit ${rows_max}`
  return rows.map(({ email }) => email)
}

/** Addresses of people of live merchants who have shown that a password is all they have. */
export async function listWithoutSecondFactor(sql: Sql): Promise<string[]> {
  const rows = await sql<{ email: string }[]>`
    select u.email from users u
    where u.disabled_at is null and u.totp_sealed is null
      and exists (
        select from memberships m join merchants a using (merchant_id)
        where m.user_id = u.user_id and a.live)
      and not exists (select from passkeys p where p.user_id = u.user_id)
    order by u.email limit ${rows_max}`
  return rows.map(({ email }) => email)
}
