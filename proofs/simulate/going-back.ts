// Takes a world's database back to an earlier moment, as a failover does that loses the last commits.

import type { Sql } from '../../src/database/open.ts'
import { namesOf } from './database.ts'

/** What was changed or made since that moment. */
export type Lost = {
  session_ids: string[]
  /** All ids of those sessions, of reversals that were under way, and the keys that requests were made under. */
  names: string[]
  /** Charges that the database had and has no more. */
  charges: { reference: string; payment_id: string }[]
}

/** What people set up stays: they would notice, and do it again. */
const kept =
  /^public\.(merchants|publishable_keys|integrations|api_keys|installation|sealing_keys|service_clock|webhook_endpoints|page_assets|three_ds_ranges)$/

/** Copies all rows aside, to which `goBack` returns. */
export async function keepAside(sql: Sql): Promise<void> {
  const names = (await namesOf(sql)).filter((name) => !kept.test(name))
  const copies = names.map((name) => `create unlogged table ${asideOf(name)} as table ${name}`)
  await sql.unsafe(['drop schema if exists aside cascade', 'create schema aside', ...copies].join('; '))
}

/** Returns what is lost by it. */
export async function goBack(sql: Sql): Promise<Lost> {
  const lost = await findLost(sql)
  const names = (await namesOf(sql)).filter((name) => !kept.test(name))
  const returns = names.map((name) => `delete from ${name}; insert into ${name} select * from ${asideOf(name)}`)
  await sql.unsafe(
    `begin; set local session_replication_role = replica; ${returns.join('; ')}; commit; drop schema aside cascade`,
  )
  return lost
}

/** Every id of these sessions. */
export async function namesOfSessions(sql: Sql, session_ids: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select session_id as name from sessions where session_id = any(${session_ids}::text[])
    union select attempt_id from attempts where session_id = any(${session_ids}::text[])
    union select payment_id from payments where session_id = any(${session_ids}::text[])
    union select refund_id from refunds where session_id = any(${session_ids}::text[])
    union select operation_id from acquirer_operations join payments using (merchant_id, payment_id)
      where session_id = any(${session_ids}::text[])`
  return rows.map(({ name }) => name)
}

async function findLost(sql: Sql): Promise<Lost> {
  const isNew = (table: string) => sql.unsafe(`t::text not in (select a::text from aside.public_${table} a)`)
  const touched = await sql<{ session_id: string }[]>`
    with paid as (
      select payment_id from acquirer_operations t where ${isNew('acquirer_operations')}
      union select payment_id from holds t where ${isNew('holds')}
      union select payment_id from events t where ${isNew('events')}
    )
    select session_id from sessions t where ${isNew('sessions')}
    union select session_id from attempts t where ${isNew('attempts')}
    union select session_id from payments t where ${isNew('payments')}
    union select session_id from journal t where session_id is not null and ${isNew('journal')}
    union select session_id from payments join paid using (payment_id)
    order by 1`
  const session_ids = touched.map(({ session_id }) => session_id)
  const keys = await sql<{ key: string }[]>`
    select key from idempotency_keys t where ${isNew('idempotency_keys')}`
  const charges = await sql<Lost['charges']>`
    select operation_id as reference, payment_id from acquirer_operations t
    where kind = 'authorise'
      and operation_id not in (select operation_id from aside.public_acquirer_operations)
    order by 1`
  const names = await namesOfSessions(sql, session_ids)
  const reversals = await sql<{ operation_id: string }[]>`
    select operation_id from orphan_authorisations`
  names.push(...reversals.map(({ operation_id }) => operation_id))
  return { session_ids, charges, names: [...names, ...keys.map(({ key }) => key)] }
}

function asideOf(name: string): string {
  return `aside.${name.replaceAll('"', '').replace('.', '_')}`
}
