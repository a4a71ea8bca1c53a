// The SQL of secret keys and publishable keys, and of when they were used.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import { journalOf } from '../audit/journal-store.ts'
import { rowIf, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { Permission } from '../http/access.ts'

export type SecretKeyRow = {
  key_id: string
  merchant_id: string
  /** What people call it; null for none. */
  name: string | null
  key_hash: Buffer
  publishable_key: string | null
  permissions: Permission[]
  mode: 'any' | 'test_only' | 'live_only'
  allowed_addresses: string[]
  allowed_origins: string[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  /** Within an hour; null for a key that was not used since this is noted. */
  last_used_at: Date | null
  /** The person who made it in the dashboard (`usr_…`); null if it was made elsewhere. */
  made_by: string | null
}

/** A publishable key that is not revoked, with the mode of the sessions it may create. */
export type PublishableKey = { merchant_id: string; key_mode: SecretKeyRow['mode'] }

/**
 * Finds a key that is not revoked. Its mode is the mode of the usable secret keys paired with it, if they all agree. If none is
 * usable, the pairs that ended last decide: a page must not turn live because its test-only key ended.
 */
export async function findPublishableKey(
  sql: Sql,
  publishable_key: string,
  now: Date,
): Promise<PublishableKey | undefined> {
  const [row] = await sql<PublishableKey[]>`
    with paired as (
      select mode, coalesce(least(revoked_at, expires_at), 'infinity') as ends_at,
        revoked_at is null and coalesce(expires_at > ${now}, true) as is_usable
      from api_keys where publishable_key = ${publishable_key}
    ), deciding as (
      select mode from paired where is_usable
        or (ends_at = (select max(ends_at) from paired) and not exists (select from paired where is_usable))
    )
    select merchant_id, (
      select case when bool_and(mode = 'test_only') then 'test_only'
        when bool_and(mode = 'live_only') then 'live_only' else 'any' end from deciding
    ) as key_mode
    from publishable_keys where publishable_key = ${publishable_key} and revoked_at is null`
  return row
}

/** The merchant's newest publishable key that is not revoked. */
export async function newestPublishableKey(sql: AnySql, merchant_id: string): Promise<string | null> {
  const [row] = await sql<{ publishable_key: string }[]>`
    select publishable_key from publishable_keys where merchant_id = ${merchant_id} and revoked_at is null
    order by created_at desc, publishable_key desc limit 1`
  return row?.publishable_key ?? null
}

export async function insertPublishableKey(
  sql: AnySql,
  row: { publishable_key: string; merchant_id: string; created_at: Date },
  line: JournalLine,
): Promise<void> {
  await sql`
    with key as (insert into publishable_keys ${rowValues(sql, row)} returning 1)
    insert into journal ${rowIf(sql, line, 'key')}`
}

export async function insertSecretKey(sql: AnySql, key: SecretKeyRow, line: JournalLine): Promise<void> {
  await sql`
    with key as (insert into api_keys ${rowValues(sql, key)} returning 1)
    insert into journal ${rowIf(sql, line, 'key')}`
}

/** Finds a secret key. A revoked publishable key is left out, because no page could load the sessions created with it. */
export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<SecretKeyRow | undefined> {
  const [row] = await sql<SecretKeyRow[]>`
    select k.*, case when p.revoked_at is null then k.publishable_key end as publishable_key
    from api_keys k left join publishable_keys p using (publishable_key) where k.key_hash = ${hash}`
  return row
}

/** A secret key, a publishable key, or a pair of both. */
export type KeySummary = Omit<SecretKeyRow, 'key_id' | 'key_hash'> & {
  /**
   * The first eight hex digits of the secret key's SHA-256, by which the holder of a secret finds its row. Null without
   * a secret key.
   */
  fingerprint: string | null
  /** Null for a publishable key without a paired secret key. */
  key_id: string | null
  publishable_key_revoked_at: Date | null
}

/** The keys of one merchant, or of all merchants for null, oldest first. */
export async function listKeys(sql: Sql, merchant_id: string | null): Promise<KeySummary[]> {
  const whose = merchant_id === null ? sql`true` : sql`merchant_id = ${merchant_id}`
  return sql<KeySummary[]>`
    select k.key_id, merchant_id, k.name, left(encode(k.key_hash, 'hex'), 8) as fingerprint, publishable_key, coalesce(k.permissions, '{}') as permissions,
      coalesce(k.mode, 'any') as mode, coalesce(k.allowed_addresses, '{}') as allowed_addresses,
      coalesce(k.allowed_origins, '{}') as allowed_origins, coalesce(k.created_at, p.created_at) as created_at,
      k.expires_at, k.revoked_at, k.last_used_at, k.made_by, p.revoked_at as publishable_key_revoked_at
    from api_keys k full join publishable_keys p using (merchant_id, publishable_key)
    where ${whose} order by merchant_id, created_at, key_id`
}

/** The names of a merchant's keys by their ids; a key without a name is left out. */
export async function keyNamesOf(sql: Sql, merchant_id: string, key_ids: string[]): Promise<Record<string, string>> {
  const rows = await sql<{ key_id: string; name: string }[]>`
    select key_id, name from api_keys
    where merchant_id = ${merchant_id} and key_id = any(${key_ids}) and name is not null`
  return Object.fromEntries(rows.map(({ key_id, name }) => [key_id, name]))
}

/** Writes that a key was used at `at`; false if a use since `before` is written already. */
export async function noteKeyUse(
  sql: Sql,
  { key_id, at, before }: { key_id: string; at: Date; before: Date },
): Promise<boolean> {
  const { count } = await sql`
    update api_keys set last_used_at = ${at}
    where key_id = ${key_id} and coalesce(last_used_at <= ${before}, true)`
  return count > 0
}

/** Revokes a key once, and writes the line then. Returns the row, or undefined if there is no such key. */
export async function revokeKey(sql: AnySql, key_id: string, line: OpenLine): Promise<SecretKeyRow | undefined> {
  const [row] = await sql<SecretKeyRow[]>`
    with found as (
      select * from api_keys where key_id = ${key_id} for update
    ), revoked as (
      update api_keys set revoked_at = ${line.at}
      where key_id = ${key_id} and revoked_at is null and exists (select 1 from found) returning *
    ), line as (${journalOf(sql, line, sql`select merchant_id, key_id as subject from revoked`)})
    select * from revoked union all select * from found where revoked_at is not null`
  return row
}

/** Revokes a publishable key in the same way. */
export async function revokePublishableKey(
  sql: AnySql,
  publishable_key: string,
  line: OpenLine,
): Promise<RevokedPublishableKey | undefined> {
  const [row] = await sql<RevokedPublishableKey[]>`
    with found as (
      select merchant_id, publishable_key, revoked_at from publishable_keys
      where publishable_key = ${publishable_key} for update
    ), revoked as (
      update publishable_keys set revoked_at = ${line.at}
      where publishable_key = ${publishable_key} and revoked_at is null and exists (select 1 from found)
      returning merchant_id, publishable_key, revoked_at
    ), line as (
      ${journalOf(sql, line, sql`select merchant_id, publishable_key as subject from revoked`)}
    )
    select * from revoked union all select * from found where revoked_at is not null`
  return row
}

export type RevokedPublishableKey = {
  merchant_id: string
  publishable_key: string
  revoked_at: Date
}

const hour_ms = 3_600_000
/** A key that is forgotten because of it is at worst written once more. */
const kept_max = 10_000

type KeyUse = { key_id: string; at: Date }

export type KeyUses = {
  note(use: KeyUse): void
  /** The uses to write, which are then no longer kept. */
  take(): KeyUse[]
}

/**
 * When secret keys were used last. Requests note it in memory; a job of the same process writes it down, for each
 * key once an hour at most, so that no request waits for a statement more.
 */
export function openKeyUses(): KeyUses {
  const notedMs = new Map<string, number>()
  let waiting = new Map<string, KeyUse>()
  return {
    note(use) {
      const { key_id, at } = use
      const age_ms = at.getTime() - (notedMs.get(key_id) ?? Number.NEGATIVE_INFINITY)
      // A time before the last one says that the clock was set back.
      if (age_ms >= 0 && age_ms < hour_ms) return
      if (notedMs.size >= kept_max) notedMs.clear()
      notedMs.set(key_id, at.getTime())
      waiting.set(key_id, use)
    },
    take() {
      const batch = [...waiting.values()]
      waiting = new Map()
      return batch
    },
  }
}

/** Returns how many keys were written. A use that could not be written is lost: the next one is written an hour later. */
export async function writeKeyUses({
  sql,
  key_uses,
}: {
  sql: Sql
  /** Left out in a process that answers no requests. */
  key_uses?: KeyUses
}): Promise<number> {
  let count = 0
  // One key a statement: their merchants differ, and two processes must not wait for each other.
  for (const { key_id, at } of key_uses?.take() ?? []) {
    if (await noteKeyUse(sql, { key_id, at, before: new Date(at.getTime() - hour_ms) })) count += 1
  }
  return count
}
