// The SQL of connections. Operators write these few rows; every process keeps their public members in its directory.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import { journalOf } from '../audit/journal-store.ts'
import { rowIf, rowValues } from '../database/driver/rows.ts'
import type { AnySql, Sql } from '../database/open.ts'
import type { Keyring } from '../kernel/keyring.ts'
import {
  type Connection,
  type ConnectionKey,
  type ConnectionRow,
  type Credentials,
  openCredentials,
  type SealedCredentials,
} from './connection.ts'

const shownColumns = [
  ...(['merchant_id', 'connection_id', 'kind', 'connector', 'label', 'mode', 'state'] as const),
  ...(['created_at', 'rotated_at', 'disabled_at'] as const),
]

/** Throws a unique violation if the merchant has a connection with this label. */
export async function insertConnection(
  sql: AnySql,
  connection: Connection & Pick<SealedCredentials, 'sealed_credentials'>,
  line: JournalLine,
): Promise<void> {
  await sql`
    with connection as (insert into connections ${rowValues(sql, connection)} returning 1)
    insert into journal ${rowIf(sql, line, 'connection')}`
}

/** The connections of one merchant, or of all for null, oldest first; disabled ones are included. */
export async function listConnections(sql: Sql, merchant_id: string | null): Promise<Connection[]> {
  const whose = merchant_id === null ? sql`true` : sql`merchant_id = ${merchant_id}`
  return sql<Connection[]>`
    select ${sql(shownColumns)} from connections where ${whose} order by created_at, connection_id`
}

/** The connection with its sealed credentials, by its id and the routing numbers that the id may contain. */
export async function findConnection(
  sql: Sql,
  connection_id: string,
  routings: number[],
): Promise<ConnectionRow | undefined> {
  const [row] = await sql<ConnectionRow[]>`
    select c.* from merchants m join connections c using (merchant_id)
    where m.routing = any(${routings}) and c.connection_id = ${connection_id}`
  return row
}

/** Until `previous_until`, the replaced credentials still count for notices. False if there is no such connection. */
export async function replaceCredentials(
  sql: AnySql,
  { merchant_id, connection_id }: ConnectionKey,
  next: { sealed_credentials: Buffer; previous_until: Date },
  line: OpenLine,
): Promise<boolean> {
  const rows = await sql`
    with rotated as (
      update connections set previous_sealed_credentials = sealed_credentials,
        sealed_credentials = ${next.sealed_credentials}, previous_until = ${next.previous_until},
        rotated_at = ${line.at}
      where merchant_id = ${merchant_id} and connection_id = ${connection_id}
      returning merchant_id, connection_id as subject
    ), line as (${journalOf(sql, line, sql`select * from rotated`)})
    select from rotated`
  return rows.length > 0
}

/** Disables a connection once, and writes the line. False if it was disabled already. */
export async function disableConnectionRow(
  sql: AnySql,
  { merchant_id, connection_id }: ConnectionKey,
  line: OpenLine,
): Promise<boolean> {
  const rows = await sql`
    with disabled as (
      update connections set state = 'disabled', disabled_at = ${line.at}
      where merchant_id = ${merchant_id} and connection_id = ${connection_id} and state = 'active'
      returning merchant_id, connection_id as subject
    ), line as (${journalOf(sql, line, sql`select * from disabled`)})
    select from disabled`
  return rows.length > 0
}

/**
 * Connections with credentials under another master key, in the order of their keys, after `after`. The key id follows
 * the version byte.
 */
export async function credentialsUnderOtherKeys(
  sql: Sql,
  current_key_id: string,
  { after, limit }: { after: { merchant_id: string; connection_id: string }; limit: number },
): Promise<SealedCredentials[]> {
  const current = Buffer.from(current_key_id, 'hex')
  return sql<SealedCredentials[]>`
    select merchant_id, connection_id, sealed_credentials, previous_sealed_credentials from connections
    where (merchant_id, connection_id) > (${after.merchant_id}, ${after.connection_id})
      and (substring(sealed_credentials from 2 for 4) <> ${current}
        or substring(previous_sealed_credentials from 2 for 4) <> ${current})
    order by merchant_id, connection_id limit ${limit}`
}

/** Replaces the sealed credentials that were read; false if a rotation has changed them. */
export async function replaceSealedCredentials(
  sql: Sql,
  before: SealedCredentials,
  next: Omit<SealedCredentials, keyof ConnectionKey>,
): Promise<boolean> {
  const { count } = await sql`
    update connections set sealed_credentials = ${next.sealed_credentials},
      previous_sealed_credentials = ${next.previous_sealed_credentials}
    where merchant_id = ${before.merchant_id} and connection_id = ${before.connection_id}
      and sealed_credentials = ${before.sealed_credentials}
      and previous_sealed_credentials is not distinct from ${before.previous_sealed_credentials}`
  return count > 0
}

/** Deletes replaced credentials that no longer count; returns how many. */
export async function forgetOldCredentials(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    update connections set previous_sealed_credentials = null, previous_until = null
    where previous_until <= ${now}`
  return count
}

/** The sets of credentials that count for notices now, the current set first. Throws if one does not open. */
export function credentialsThatCount(keyring: Keyring, row: ConnectionRow, now: Date): [Credentials, ...Credentials[]] {
  const { sealed_credentials, previous_sealed_credentials, previous_until } = row
  const current = openCredentials(keyring, row, sealed_credentials)
  if (previous_sealed_credentials === null || previous_until! <= now) return [current]
  return [current, openCredentials(keyring, row, previous_sealed_credentials)]
}
