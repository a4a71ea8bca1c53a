// The SQL of accounts and integrations. The rows are few, operators write them, and every process keeps them in its directory.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import { journalOf } from '../audit/journal-store.ts'
import { assignments, rowIf, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { Mode } from '../kernel/values.ts'
import type { AccountConnection } from './account-connection.ts'
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
  'capture',
  'test_connections',
  'appearance',
  'deleted_at',
  'terms_url',
  'support_url',
  'back_url',
  'created_at',
] as const

export async function insertMerchant(sql: AnySql, merchant: Merchant, line: JournalLine): Promise<void> {
  await sql`
    with merchant as (insert into merchants ${rowValues(sql, merchant)} returning 1)
    insert into journal ${rowIf(sql, line, 'merchant')}`
}

/** What an operator may change of a merchant. */
export type MerchantChange = Partial<Omit<Merchant, 'merchant_id' | 'routing' | 'created_at'>>

/**
 * Updates the given columns that differ, and writes a line. The line records new states, and for all other columns only their
 * names. Returns the merchant before the update and the columns that differed; undefined if there is no such merchant.
 */
export async function updateMerchant(
  sql: AnySql,
  merchant_id: string,
  change: MerchantChange,
  { entry_id, change: what, detail, actor, at }: OpenLine,
): Promise<{ before: Merchant; differing: string[] } | undefined> {
  const told_whole = ['status', 'live', 'live_enabled']
  const [row] = await sql<(Merchant & { differing: string[] })[]>`
    with before as materialized (
      select m.*, array(
        select key from jsonb_each(${change as never}::jsonb)
        where value is distinct from to_jsonb(m) -> key order by key
      ) as differing
      from merchants m where merchant_id = ${merchant_id} for no key update
    ), changed as (
      update merchants m set ${assignments(sql, change)} from before
      where m.merchant_id = before.merchant_id and differing <> '{}'
      returning differing
    ), parts as (
      select jsonb_object_agg(key, value) filter (where key = any(${told_whole})) as whole,
        jsonb_agg(key order by key) filter (where key <> all(${told_whole})) as others
      from jsonb_each(${change as never}::jsonb), changed where key = any(differing)
    ), line as (
      insert into journal (merchant_id, subject, entry_id, change, detail, actor, at)
      select ${merchant_id}, ${merchant_id}, ${entry_id}, ${what}, (
          coalesce(whole, '{}')
          || case when others is null then '{}' else jsonb_build_object('changed', others) end
          || ${detail as never}::jsonb
        )::json, ${actor}, ${at}
      from parts where exists (select from changed)
    )
    select * from before`
  if (!row) return undefined
  const { differing, ...before } = row
  return { before, differing }
}

export async function findMerchant(sql: Sql, merchant_id: string): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`select * from merchants where merchant_id = ${merchant_id}`
  return row
}

/** The merchant with its connections, here without their secrets. */
export async function findConnectedMerchant(
  sql: AnySql,
  merchant_id: string,
): Promise<{ merchant: Merchant; connections: AccountConnection[] } | undefined> {
  const [row] = await sql<(Merchant & { connections: AccountConnection[] })[]>`
    select m.*, (
      select coalesce(json_agg(to_jsonb(c) - 'created_at' order by created_at, connection_id), '[]') from (
        select connection_id, kind, connector, label, mode, state, created_at from connections
        where merchant_id = ${merchant_id}
      ) c
    ) as connections
    from merchants m where merchant_id = ${merchant_id}`
  if (!row) return undefined
  const { connections, ...merchant } = row
  return { merchant, connections }
}

/** The oldest merchants, with their names. */
export async function firstMerchants(sql: Sql, limit: number): Promise<Pick<Merchant, 'merchant_id' | 'name'>[]> {
  return sql<Pick<Merchant, 'merchant_id' | 'name'>[]>`
    select merchant_id, name from merchants order by created_at, merchant_id limit ${limit}`
}

export async function findMerchantByRouting(sql: Sql, routing: number): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`select * from merchants where routing = ${routing}`
  return row
}

/** The merchant whose hosted page has this handle. */
export async function findMerchantByHandle(sql: Sql, handle: string): Promise<Merchant | undefined> {
  const [row] = await sql<Merchant[]>`
    select m.* from merchants m join integrations i using (merchant_id) where i.handle = ${handle}`
  return row
}

/** All merchants, the newest last. */
export async function listMerchants(sql: Sql): Promise<Merchant[]> {
  return sql<Merchant[]>`select * from merchants order by created_at, merchant_id`
}

export async function listNewestMerchants(sql: Sql, limit: number): Promise<Merchant[]> {
  return sql<Merchant[]>`
    select * from merchants order by created_at desc, merchant_id desc limit ${limit}`
}

export async function liveMerchantExists(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from merchants where live limit 1`
  return rows.length > 0
}

/** The mode in which a merchant can be charged. It stays the same until the transaction ends. */
export async function lockModeOf(tx: AnySql, merchant_id: string): Promise<Mode> {
  const [row] = await tx<Pick<Merchant, 'live'>[]>`
    select live from merchants where merchant_id = ${merchant_id} for share`
  return row!.live ? 'live' : 'test'
}

/** All integrations of a merchant, including deleted ones. */
export async function listIntegrations(sql: Sql, merchant_id: string): Promise<Integration[]> {
  return sql<Integration[]>`select ${sql(integrationColumns)} from integrations
    where merchant_id = ${merchant_id} order by created_at, integration_id`
}

/** A role that at most one integration of a merchant has at a time. */
export type IntegrationRole = 'is_default' | 'is_hosted_page'

/** The line of an integration's change, and the lines of the integrations that lose a role by it. */
export type IntegrationLines<Line = JournalLine> = {
  changed: Line
  loses: Record<IntegrationRole, OpenLine>
}

/** An integration that lost a role. */
export type RoleTransfer = { role: IntegrationRole; integration_id: string; name: string }

/** Inserts an integration. Roles named in the call are taken from their holders; any other role must be free. */
export async function insertIntegration(
  tx: AnySql,
  integration: Integration,
  lines: IntegrationLines,
  takenRoles: IntegrationRole[],
): Promise<RoleTransfer[]> {
  const { merchant_id } = integration
  if (takenRoles.length > 0) await lockIntegrations(tx, merchant_id)
  const losers = await assignRoles(tx, integration, lines.loses, takenRoles)
  await tx`
    with integration as (insert into integrations ${rowValues(tx, integration)} returning 1)
    insert into journal ${rowIf(tx, lines.changed, 'integration')}`
  await notifyOfChange(tx, merchant_id)
  return losers
}

/** All of a merchant's integrations, always locked in the same order. */
export async function lockIntegrations(tx: AnySql, merchant_id: string): Promise<Integration[]> {
  return tx<Integration[]>`select ${tx(integrationColumns)} from integrations
    where merchant_id = ${merchant_id} order by integration_id for update`
}

/** Takes roles from the integrations that have them. */
export async function assignRoles(
  tx: AnySql,
  { merchant_id, integration_id }: Pick<Integration, 'merchant_id' | 'integration_id'>,
  lines: Record<IntegrationRole, OpenLine>,
  roles: IntegrationRole[],
): Promise<RoleTransfer[]> {
  const losers: RoleTransfer[] = []
  for (const role of roles) {
    const column = role === 'is_default' ? tx`is_default` : tx`is_hosted_page`
    const loser = tx`select merchant_id, integration_id as subject from loser`
    const rows = await tx<Omit<RoleTransfer, 'role'>[]>`
      with loser as (
        update integrations set ${column} = false
        where merchant_id = ${merchant_id} and ${column} and integration_id <> ${integration_id}
        returning merchant_id, integration_id, name
      ), line as (${journalOf(tx, lines[role], loser)})
      select integration_id, name from loser`
    losers.push(...rows.map((each) => ({ role, ...each })))
  }
  return losers
}

/** The merchant of an integration, which may be deleted; undefined if there is no such integration. */
export async function findMerchantOfIntegration(sql: Sql, integration_id: string): Promise<string | undefined> {
  const [row] = await sql<{ merchant_id: string }[]>`
    select merchant_id from integrations where integration_id = ${integration_id}`
  return row?.merchant_id
}

export async function updateIntegration(tx: AnySql, integration: Integration, line: JournalLine): Promise<void> {
  const { merchant_id, integration_id, created_at: _, ...rules } = integration
  await tx`
    with integration as (
      update integrations set ${assignments(tx, rules)}
      where merchant_id = ${merchant_id} and integration_id = ${integration_id} returning 1
    )
    insert into journal ${rowIf(tx, line, 'integration')}`
}

/** The origins of all integrations. Deleted ones count too, because pages open in browsers continue their sessions. */
export async function listAllowedOrigins(sql: Sql): Promise<string[]> {
  const rows = await sql<{ origin: string }[]>`
    select distinct unnest(allowed_origins) as origin from integrations`
  return rows.map(({ origin }) => origin)
}

/** Locks the merchant until the transaction ends. Rows that refer to it can still be written. */
export async function lockMerchant(tx: AnySql, merchant_id: string): Promise<void> {
  await tx`select 1 from merchants where merchant_id = ${merchant_id} for no key update`
}

/** Makes every process forget what it has read about a merchant, and check what all merchants share. */
export async function notifyOfChange(sql: AnySql, merchant_id: string): Promise<void> {
  await sql`select pg_notify(${settings_channel}, ${merchant_id})`
}
