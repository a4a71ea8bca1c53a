// The SQL of accounts and integrations. Few rows, written by operators, read into every process's directory.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import { journalOf } from '../audit/journal-store.ts'
import type { AnySql, Sql } from '../database/open.ts'
import { assignments, rowIf, rowValues } from '../database/rows.ts'
import type { Integration } from './integration.ts'
import type { Merchant } from './merchant.ts'

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

export async function insertMerchant(
  sql: Sql,
  merchant: Merchant,
  line: JournalLine,
): Promise<void> {
  await sql`
    with merchant as (insert into merchants ${rowValues(sql, merchant)} returning 1)
    insert into journal ${rowIf(sql, line, 'merchant')}`
}

export async function updateMerchant(
  sql: AnySql,
  merchant: Merchant,
  line: JournalLine,
): Promise<void> {
  const changed = assignments(
    sql,
    merchant,
    'name',
    'status',
    'live',
    'live_enabled',
    'acquiring_profile',
  )
  await sql`
    with merchant as (
      update merchants set ${changed} where merchant_id = ${merchant.merchant_id} returning 1
    )
    insert into journal ${rowIf(sql, line, 'merchant')}`
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

/** The lines of a new integration and of those that lose a role to it, where there are any. */
export type IntegrationLines = {
  created: JournalLine
  no_longer_default: OpenLine
  no_longer_hosted_page: OpenLine
}

/** Inserts an integration; a new default or hosted-page one takes that role from the one that had it. */
export async function insertIntegration(
  sql: Sql,
  integration: Integration,
  lines: IntegrationLines,
): Promise<void> {
  const { merchant_id } = integration
  await sql.begin(async (tx) => {
    const loser = tx`select merchant_id, integration_id as subject from loser`
    if (integration.is_default) {
      await tx`
        with loser as (
          update integrations set is_default = false where merchant_id = ${merchant_id} and is_default
          returning merchant_id, integration_id
        ) ${journalOf(tx, lines.no_longer_default, loser)}`
    }
    if (integration.is_hosted_page) {
      await tx`
        with loser as (
          update integrations set is_hosted_page = false where merchant_id = ${merchant_id} and is_hosted_page
          returning merchant_id, integration_id
        ) ${journalOf(tx, lines.no_longer_hosted_page, loser)}`
    }
    await tx`
      with integration as (insert into integrations ${rowValues(tx, integration)} returning 1)
      insert into journal ${rowIf(tx, lines.created, 'integration')}`
    await tell(tx, merchant_id)
  })
}

export async function listAllowedOrigins(sql: Sql): Promise<string[]> {
  const rows = await sql<{ origin: string }[]>`
    select distinct unnest(allowed_origins) as origin from integrations`
  return rows.map(({ origin }) => origin)
}

/** Locks a merchant's integrations that do not allow an origin. */
export async function lockIntegrationsWithout(
  sql: AnySql,
  { merchant_id, origin }: { merchant_id: string; origin: string },
): Promise<string[]> {
  const rows = await sql<{ integration_id: string }[]>`
    select integration_id from integrations
    where merchant_id = ${merchant_id} and not ${origin} = any(allowed_origins)
    order by integration_id for update`
  return rows.map(({ integration_id }) => integration_id)
}

/** Puts an origin of one's own machine in the place of such others. */
export async function replaceLoopbackOrigins(
  sql: AnySql,
  of: { merchant_id: string; integration_id: string; origin: string },
  line: JournalLine,
): Promise<void> {
  await sql`
    with integration as (
      update integrations set allowed_origins = array_append(array(
        select allowed from unnest(allowed_origins) as allowed
        where allowed !~ '^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?$'), ${of.origin})
      where merchant_id = ${of.merchant_id} and integration_id = ${of.integration_id} returning 1
    )
    insert into journal ${rowIf(sql, line, 'integration')}`
}

/** Tells every process to forget what it read of a merchant. */
export async function tell(sql: AnySql, merchantId: string): Promise<void> {
  await sql`select pg_notify(${settings_channel}, ${merchantId})`
}
