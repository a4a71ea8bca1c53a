// The SQL of webhook endpoints.

import type { JournalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import type { Mode } from '../../kernel/values.ts'
import { type Endpoint, type EndpointKey, endpoints_max } from '../endpoint.ts'
import { not_due } from '../queue/queue-store.ts'

/**
 * Writes an endpoint and its line, with the row of its idempotency key if there is one. Returns false and writes
 * nothing if the merchant has the maximum of endpoints; two simultaneous creates may both get the last place. Throws
 * KeyTakenError if the key is stored already.
 */
export async function insertEndpoint(
  sql: AnySql,
  { endpoint, line }: { endpoint: Endpoint; line: JournalLine },
  key: KeyRow | null,
): Promise<boolean> {
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 where (
        select count(*) from webhook_endpoints
        where merchant_id = ${endpoint.merchant_id} and (status = 'active' or may_return)) < ${endpoints_max}
    ), key as (${insertKeyIfOpen(sql, key)}
    ), endpoint as (insert into webhook_endpoints ${rowIf(sql, endpoint, 'key')}
    ), line as (insert into journal ${rowIf(sql, line, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

export type EndpointRow = Omit<Endpoint, 'sealed_secret'>

/** The columns of an EndpointRow. */
export function endpointColumns(sql: AnySql) {
  return sql`
    merchant_id, endpoint_id, url, event_format, event_filter, extension_events, mode, compatible_version, description,
    metadata, standard_webhooks, status, may_return, created_at`
}

/** The endpoints of a merchant that are not deleted, oldest first. */
export async function listEndpointRows(sql: Sql, merchant_id: string): Promise<EndpointRow[]> {
  return sql<EndpointRow[]>`
    select ${endpointColumns(sql)} from webhook_endpoints
    where merchant_id = ${merchant_id} and (status = 'active' or may_return)
    order by created_at, endpoint_id`
}

/** False if there is no such endpoint, or it was deleted. Throws KeyTakenError and changes nothing if the key is stored already. */
export async function disableEndpoint(
  sql: AnySql,
  { merchant_id, endpoint_id }: EndpointKey,
  key: KeyRow | null,
  line: JournalLine,
): Promise<boolean> {
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 from webhook_endpoints
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and (status = 'active' or may_return)
      for update
    ), key as (${insertKeyIfOpen(sql, key)}
    ), disabled as (
      update webhook_endpoints set status = 'disabled', may_return = false, disabled_at = ${line.at}
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and exists (select 1 from key)
    ), line as (insert into journal ${rowIf(sql, line, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

/** Makes all that waited for the endpoint due, in the transaction that enables it. */
export async function wakeDeliveries(sql: AnySql, { merchant_id, endpoint_id }: EndpointKey, now: Date): Promise<void> {
  await sql`
    update webhook_queue set due_at = ${now}
    where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and class in (0, 1) and due_at = ${not_due}`
}

/**
 * Which events the endpoint in the path gets: those of one mode, or of both. Null if there is no such endpoint.
 */
export async function modeOfEndpoint(
  sql: Sql,
  { merchant_id, params: { endpoint_id = '' } }: Pick<ObjectPlace, 'merchant_id' | 'params'>,
): Promise<Mode | 'both' | null> {
  const [row] = await sql<{ mode: Mode | null }[]>`
    select mode from webhook_endpoints
    where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and (status = 'active' or may_return)`
  return row ? (row.mode ?? 'both') : null
}

/** The merchant of an endpoint that is not deleted, for a caller that knows only the endpoint. */
export async function findEndpointKey(
  sql: Sql,
  endpoint_id: string,
): Promise<(EndpointKey & Pick<Endpoint, 'event_format' | 'standard_webhooks'>) | undefined> {
  const [row] = await sql<(EndpointKey & Pick<Endpoint, 'event_format' | 'standard_webhooks'>)[]>`
    select merchant_id, endpoint_id, event_format, standard_webhooks from webhook_endpoints
    where endpoint_id = ${endpoint_id} and (status = 'active' or may_return)`
  return row
}

/** An active endpoint with its sealed secrets. */
export async function findEndpointWithSecrets(
  sql: Sql,
  { merchant_id, endpoint_id }: EndpointKey,
): Promise<EndpointWithSecrets | undefined> {
  const [row] = await sql<EndpointWithSecrets[]>`
    select merchant_id, endpoint_id, url, event_format, compatible_version, standard_webhooks, mode, sealed_secret,
      previous_sealed_secret, previous_secret_until
    from webhook_endpoints
    where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and status = 'active'`
  return row
}

export type EndpointWithSecrets = Pick<
  Endpoint,
  | 'merchant_id'
  | 'endpoint_id'
  | 'url'
  | 'event_format'
  | 'compatible_version'
  | 'standard_webhooks'
  | 'mode'
  | 'sealed_secret'
> & {
  previous_sealed_secret: Buffer | null
  previous_secret_until: Date | null
}

/**
 * Replaces the signing secret; the old one also signs until the given time. False if the endpoint is gone. Throws
 * KeyTakenError and changes nothing if the key is stored already.
 */
export async function replaceSecret(
  sql: AnySql,
  { merchant_id, endpoint_id }: EndpointKey,
  next: {
    sealed_secret: Buffer
    previous_secret_until: Date
    line: JournalLine
    key: KeyRow | null
  },
): Promise<boolean> {
  const rows = await sql<GateResult[]>`
    with gate as (
      select 1 from webhook_endpoints
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and (status = 'active' or may_return)
      for update
    ), key as (${insertKeyIfOpen(sql, next.key)}
    ), rotated as (
      update webhook_endpoints set sealed_secret = ${next.sealed_secret},
        previous_sealed_secret = sealed_secret, previous_secret_until = ${next.previous_secret_until}
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and exists (select 1 from key)
    ), line as (insert into journal ${rowIf(sql, next.line, 'key')})
    ${gateResult(sql)}`
  return hasPassed(rows)
}

export type SealedSecrets = EndpointKey & {
  sealed_secret: Buffer
  previous_sealed_secret: Buffer | null
}

/**
 * Endpoints with a secret under an old master key, in the order of their keys, after `after`. The key id follows the
 * version byte.
 */
export async function secretsUnderOtherKeys(
  sql: Sql,
  current_key_id: string,
  { after, limit }: { after: EndpointKey; limit: number },
): Promise<SealedSecrets[]> {
  const current = Buffer.from(current_key_id, 'hex')
  return sql<SealedSecrets[]>`
    select merchant_id, endpoint_id, sealed_secret, previous_sealed_secret from webhook_endpoints
    where (merchant_id, endpoint_id) > (${after.merchant_id}, ${after.endpoint_id})
      and (substring(sealed_secret from 2 for 4) <> ${current}
        or substring(previous_sealed_secret from 2 for 4) <> ${current})
    order by merchant_id, endpoint_id limit ${limit}`
}

/** Replaces sealed secrets that were read; false if a rotation has changed them since. */
export async function replaceSealedSecrets(
  sql: Sql,
  before: SealedSecrets,
  next: Pick<SealedSecrets, 'sealed_secret' | 'previous_sealed_secret'>,
): Promise<boolean> {
  const { count } = await sql`
    update webhook_endpoints
    set sealed_secret = ${next.sealed_secret}, previous_sealed_secret = ${next.previous_sealed_secret}
    where merchant_id = ${before.merchant_id} and endpoint_id = ${before.endpoint_id}
      and sealed_secret = ${before.sealed_secret}
      and previous_sealed_secret is not distinct from ${before.previous_sealed_secret}`
  return count > 0
}

/** Deletes replaced secrets that no longer sign; returns how many. */
export async function clearPreviousSecrets(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    update webhook_endpoints set previous_sealed_secret = null, previous_secret_until = null
    where previous_secret_until <= ${now}`
  return count
}
