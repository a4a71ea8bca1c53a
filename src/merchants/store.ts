// The SQL of accounts, keys and integrations. Few rows, written by operators, read into every process's directory.

import type { AnySql, Sql } from '../database/open.ts'
import { assignments, rowValues } from '../database/rows.ts'
import type { Permission } from '../http/access.ts'
import type { Integration } from './integration.ts'
import type { Merchant } from './merchant.ts'

export type KeyRow = {
  key_id: string
  merchant_id: string
  key_hash: Buffer
  publishable_key: string | null
  permissions: Permission[]
  mode: 'any' | 'test_only' | 'live_only'
  allowed_addresses: string[]
  allowed_origins: string[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

/** A publishable key that is not revoked, and which sessions it may make. */
export type PublishableKey = { merchant_id: string; key_mode: KeyRow['mode'] }

/** The channel on which every process hears that an account, key or integration changed. */
export const settings_channel = 'ripper_settings'

const integrationColumns = [
  'merchant_id',
  'integration_id',
  'name',
  'is_default',
  'is_hosted_page',
  'handle',
  'mode_setting',
  'allowed_origins',
  'confirmation_url',
  'default_amount',
  'default_currency',
  'price_list',
  'require_verified_amount',
  'order_reference_metadata_key',
  'on_3ds_unavailable',
  'review_window_seconds',
  'at_deadline',
  'escalate_after_seconds',
  'capture_below',
  'appearance',
  'created_at',
] as const

export async function insertMerchant(sql: Sql, merchant: Merchant): Promise<void> {
  await sql`insert into merchants ${rowValues(sql, merchant)}`
}

export async function updateMerchant(sql: AnySql, merchant: Merchant): Promise<void> {
  const changed = assignments(
    sql,
    merchant,
    'name',
    'status',
    'live',
    'live_enabled',
    'acquiring_profile',
  )
  await sql`update merchants set ${changed}
    where merchant_id = ${merchant.merchant_id}`
}

export async function findMerchant(sql: Sql, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`select * from merchants where merchant_id = ${merchantId}`
  return row
}

/** The first merchants that were made, with their names. */
export async function firstMerchants(
  sql: Sql,
  limit: number,
): Promise<Pick<Merchant, 'merchant_id' | 'name'>[]> {
  return sql<Pick<Merchant, 'merchant_id' | 'name'>[]>`
    select merchant_id, name from merchants order by created_at, merchant_id limit ${limit}`
}

export async function findMerchantByRouting(
  sql: Sql,
  routing: number,
): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`select * from merchants where routing = ${routing}`
  return row
}

/** The merchant whose hosted page a handle names. */
export async function findMerchantByHandle(
  sql: Sql,
  handle: string,
): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`
    select m.* from merchants m join integrations i using (merchant_id) where i.handle = ${handle}`
  return row
}

export async function liveMerchantExists(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from merchants where live limit 1`
  return rows.length > 0
}

export async function listIntegrations(sql: Sql, merchantId: string): Promise<Integration[]> {
  return sql<Integration[]>`select ${sql(integrationColumns)} from integrations
    where merchant_id = ${merchantId} order by created_at, integration_id`
}

/** Inserts an integration; a new default or hosted-page one takes that role from the one that had it. */
export async function insertIntegration(sql: Sql, integration: Integration): Promise<void> {
  const { merchant_id } = integration
  await sql.begin(async (tx) => {
    if (integration.is_default) {
      await tx`update integrations set is_default = false where merchant_id = ${merchant_id} and is_default`
    }
    if (integration.is_hosted_page) {
      await tx`update integrations set is_hosted_page = false where merchant_id = ${merchant_id} and is_hosted_page`
    }
    await tx`insert into integrations ${rowValues(tx, integration)}`
    await tell(tx, merchant_id)
  })
}

export async function listAllowedOrigins(sql: Sql): Promise<string[]> {
  const rows = await sql<{ origin: string }[]>`
    select distinct unnest(allowed_origins) as origin from integrations`
  return rows.map(({ origin }) => origin)
}

/**
 * The key, where it is not revoked. Its mode is that of the usable secret keys paired with it, where they all agree. Where
 * none is usable, those decide that were the last to be: what ends a test-only key must not make its page live.
 */
export async function findPublishableKey(
  sql: Sql,
  publishableKey: string,
  now: Date,
): Promise<PublishableKey | undefined> {
  const [row] = await sql<PublishableKey[]>`
    with paired as (
      select mode, coalesce(least(revoked_at, expires_at), 'infinity') as ends_at
      from api_keys where publishable_key = ${publishableKey}
    ), deciding as (
      select mode from paired
      where ends_at > ${now} or ends_at = (select max(ends_at) from paired)
    )
    select merchant_id, (
      select case when bool_and(mode = 'test_only') then 'test_only'
        when bool_and(mode = 'live_only') then 'live_only' else 'any' end from deciding
    ) as key_mode
    from publishable_keys where publishable_key = ${publishableKey} and revoked_at is null`
  return row
}

/** The merchant's newest publishable key that is not revoked. */
export async function newestPublishableKey(sql: Sql, merchantId: string): Promise<string | null> {
  const [row] = await sql<{ publishable_key: string }[]>`
    select publishable_key from publishable_keys where merchant_id = ${merchantId} and revoked_at is null
    order by created_at desc, publishable_key desc limit 1`
  return row?.publishable_key ?? null
}

export async function insertPublishableKey(
  sql: Sql,
  row: { publishable_key: string; merchant_id: string; created_at: Date },
): Promise<void> {
  await sql`insert into publishable_keys ${rowValues(sql, row)}`
}

export async function insertKey(sql: AnySql, key: KeyRow): Promise<void> {
  await sql`insert into api_keys ${rowValues(sql, key)}`
}

/** The key; without its publishable key where that was revoked, so that it makes no session that no page can load. */
export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    select k.*, case when p.revoked_at is null then k.publishable_key end as publishable_key
    from api_keys k left join publishable_keys p using (publishable_key) where k.key_hash = ${hash}`
  return row
}

/** Revokes a key once; returns its row, or undefined where there is none. */
export async function revokeKey(sql: AnySql, keyId: string, at: Date): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${at}) where key_id = ${keyId} returning *`
  return row
}

/** The same for a publishable key. */
export async function revokePublishableKey(
  sql: AnySql,
  publishableKey: string,
  at: Date,
): Promise<RevokedPublishableKey | undefined> {
  const [row] = await sql<RevokedPublishableKey[]>`
    update publishable_keys set revoked_at = coalesce(revoked_at, ${at})
    where publishable_key = ${publishableKey} returning merchant_id, publishable_key, revoked_at`
  return row
}

export type RevokedPublishableKey = {
  merchant_id: string
  publishable_key: string
  revoked_at: Date
}

/** Puts an origin of one's own machine in the place of such others; returns whether it was missing anywhere. */
export async function replaceLoopbackOrigins(
  sql: AnySql,
  { merchant_id, origin }: { merchant_id: string; origin: string },
): Promise<boolean> {
  const { count } = await sql`
    update integrations set allowed_origins = array_append(array(
      select allowed from unnest(allowed_origins) as allowed
      where allowed !~ '^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?$'), ${origin})
    where merchant_id = ${merchant_id} and not ${origin} = any(allowed_origins)`
  return count > 0
}

/** Tells every process to forget what it read of a merchant. */
export async function tell(sql: AnySql, merchantId: string): Promise<void> {
  await sql`select pg_notify(${settings_channel}, ${merchantId})`
}
