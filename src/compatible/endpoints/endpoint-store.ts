// The SQL of webhook endpoints that are told in the other platform's words.

import type { JournalLine } from '../../audit/journal.ts'
import { assignments, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { type GateResult, gateResult, hasPassed, insertKeyIfOpen } from '../../http/key-gate.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Endpoint, EndpointKey } from '../../webhooks/endpoint.ts'
import { type EndpointRow, endpointColumns, modeOfEndpoint } from '../../webhooks/endpoints/endpoint-store.ts'
import type { CompatibleEndpoint } from './endpoint.ts'

export type ListedEndpoint = EndpointRow & CompatibleEndpoint

/** Without a mode of its own it is shown in that of its merchant. */
const livemode = (sql: AnySql) => sql`
  coalesce(e.mode = 'live', (select live from merchants m where m.merchant_id = e.merchant_id)) as livemode`

/** The endpoint of the key `k`, as JSON. */
export const endpointFacts = (sql: AnySql) => sql`
  select row_to_json(f) from (
    select endpoint_id, url, event_filter, compatible_version, description, metadata, status, created_at, ${livemode(sql)}
    from webhook_endpoints e where e.merchant_id = k.merchant_id and e.endpoint_id = k.endpoint_id offset 0) f`

/** All of a merchant in a mode, or of both; newest first. There are few. */
export async function listCompatibleEndpoints(
  sql: Sql,
  { merchant_id, mode }: { merchant_id: string; mode: Mode | null },
): Promise<ListedEndpoint[]> {
  return sql<ListedEndpoint[]>`
    select ${endpointColumns(sql)}, ${livemode(sql)} from webhook_endpoints e
    where merchant_id = ${merchant_id} and event_format = 'stripe' and (status = 'active' or may_return)
      ${mode === null ? sql`` : sql`and mode = ${mode}`}
    order by created_at desc, endpoint_id desc`
}

/** Undefined for one that is told in our own words, too. `lock` keeps it as it is until the transaction ends. */
export async function findCompatibleEndpoint(
  sql: AnySql,
  { merchant_id, endpoint_id }: EndpointKey,
  lock: 'for update' | null = null,
): Promise<ListedEndpoint | undefined> {
  const [row] = await sql<ListedEndpoint[]>`
    select ${endpointColumns(sql)}, ${livemode(sql)} from webhook_endpoints e
    where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and event_format = 'stripe'
      and (status = 'active' or may_return) ${lock ? sql`for update` : sql``}`
  return row
}

/** The mode of the endpoint in the path, as `modeOfEndpoint` gives it. */
export function modeOfCompatibleEndpoint(
  sql: Sql,
  { merchant_id, params }: ObjectPlace,
): Promise<Mode | 'both' | null> {
  return modeOfEndpoint(sql, { merchant_id, params: { endpoint_id: params.webhook_endpoint_id ?? '' } })
}

export type EndpointChange = Pick<
  Endpoint,
  'url' | 'event_filter' | 'description' | 'metadata' | 'status' | 'may_return'
>

/** Changes an endpoint that the caller has locked. Throws KeyTakenError and changes nothing if the key is stored already. */
export async function changeEndpoint(
  sql: AnySql,
  { merchant_id, endpoint_id }: EndpointKey,
  change: EndpointChange & { disabled_at: Date | null },
  { key, line }: { key: KeyRow | null; line: JournalLine },
): Promise<void> {
  const rows = await sql<GateResult[]>`
    with gate as (select 1), key as (${insertKeyIfOpen(sql, key)}
    ), changed as (
      update webhook_endpoints set ${assignments(sql, change)}
      where merchant_id = ${merchant_id} and endpoint_id = ${endpoint_id} and exists (select 1 from key)
    ), line as (insert into journal ${rowIf(sql, line, 'key')})
    ${gateResult(sql)}`
  hasPassed(rows)
}
