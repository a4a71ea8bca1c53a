// Fills a database with lives of long ago, in place: copies of patterns under ids and times of their own, by statements
// that each make very many rows.

import type postgres from 'postgres'
import type { Sql } from '../src/database/open.ts'
import { makePartition, type PartitionedTable, readPartitions } from '../src/database/partitions/partition-store.ts'
import { idsFrom } from '../src/kernel/ids.ts'
import type { Pattern } from './growth-lives.ts'
import { barePool, type Started } from './service.ts'

export const merchants = 100
/** The merchant whose key measures, as SQL. */
export const own_merchant = '(select merchant_id from growth.merchants where number = 0)'
/** Of so many sessions one is the merchant's whose key measures. */
export const own_of = 10
const day_ms = 24 * 3_600_000
const days = 29
/** What is younger the service still has work with, such as putting lines into their chain. */
const young_ms = 4 * 3_600_000
const batch = 100_000
/** As many as the machine's cores that this is meant for. */
const at_once = 2

/** When the lives began that a database is filled with: the times of all fills. */
export type Span = { from_ms: number; to_ms: number }

/** A database that was filled, and the service on it. */
export type Ground = {
  data_dir: string
  sql: postgres.Sql
  service: Started
  span: Span
  /** So many lives there are. */
  size: number
  /** How long each load lasts. */
  seconds: number
}

export function spanUntil(now_ms: number): Span {
  return { from_ms: now_ms - days * day_ms, to_ms: now_ms - young_ms }
}

/**
 * Makes the other merchants, each with an endpoint, as copies of the one that there is, and the days' partitions that the
 * service would have made in time.
 */
export async function makeRoom(sql: postgres.Sql, { from_ms, to_ms }: Span): Promise<void> {
  await sql.unsafe(`
    create table growth.merchants as
    select number, case number when 0 then merchant_id else 'm_' || left(md5('merchant' || number), 24) end as merchant_id,
      case number when 0 then endpoint_id else 'whep_' || left(md5('endpoint' || number), 24) end as endpoint_id
    from webhook_endpoints, generate_series(0, ${merchants - 1}) number`)
  await copyAll(sql, 'merchants', {
    merchant_id: 'm.merchant_id',
    routing: '(t.routing + m.number) % 4294967296',
  })
  await copyAll(sql, 'webhook_endpoints', {
    merchant_id: 'm.merchant_id',
    endpoint_id: 'm.endpoint_id',
  })
  // Otherwise the service would delete the unpaid ones while it is measured.
  await sql`
    insert into session_purges (merchant_id, mode, until)
    select merchant_id, 'test', ${idsFrom(new Date(to_ms))} from growth.merchants
    on conflict (merchant_id, mode) do update set until = excluded.until`
  await makePartitions(sql as unknown as Sql, { from_ms, to_ms })
}

async function makePartitions(sql: Sql, { from_ms, to_ms }: Span): Promise<void> {
  for (const name of ['webhook_attempts', 'webhook_deliveries'] as const) {
    const id = name === 'webhook_attempts' ? 'attempt_id' : 'delivery_id'
    const table: PartitionedTable = { name, id, rest: `${name}_other` }
    const { partitions } = await readPartitions(sql, table)
    for (let at = Math.floor(from_ms / day_ms) * day_ms; at < to_ms; at += day_ms) {
      const [from, to] = [idsFrom(new Date(at)), idsFrom(new Date(at + day_ms))]
      if (partitions.some((partition) => partition.from === from)) continue
      const date = new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
      await makePartition(sql, table, { name: `${name}_${date}`, from, to })
    }
  }
}

async function copyAll(sql: postgres.Sql, table: string, own: Record<string, string>): Promise<void> {
  const [row] = await sql.unsafe(`select * from ${table}`)
  const columns = Object.keys(row!)
  await sql.unsafe(`
    insert into ${table} (${columns.join(', ')})
    select ${columns.map((column) => own[column] ?? `t.${column}`).join(', ')}
    from ${table} t cross join growth.merchants m where m.number > 0`)
}

/** Makes the lives with these numbers, from one up to, but not including, another. */
export async function fill(
  data_dir: string,
  patterns: Pattern[],
  { from, to, span }: { from: number; to: number; span: Span },
): Promise<void> {
  const sql = await barePool(data_dir, at_once)
  // A page that a checkpoint has passed is written to the log as a whole at its next change, which is most of what a fill
  // would write; and whoever looks at tables on his own does so when all is there.
  await set(sql, 'full_page_writes = off', 'autovacuum = off')
  const inserts = patterns.map(insertOf)
  const span_ms = span.to_ms - span.from_ms
  let next = from
  const work = async () => {
    for (;;) {
      const first = next
      const last = Math.min(to, first + batch) - 1
      if (first > last) return
      next = last + 1
      await sql.begin(async (tx) => {
        // Keys to other tables are right by how they are made; to look each up would take half of the time.
        await tx`set local session_replication_role = replica`
        await tx`set local synchronous_commit = off`
        await tx.unsafe(`
          create temp table batch on commit drop as
          select l.*, (${span.from_ms} + (l.number - ${from}) * ${span_ms / (to - from)})::bigint as at_ms
          from (${livesOf(`generate_series(${first}::bigint, ${last})`)}) l
          -- Ids are random, and begin alike in all tables: each index is gone through once, from its beginning to its end.
          order by l.merchant_id, l.mark`)
        await tx`analyze batch`
        for (const insert of inserts) await tx.unsafe(insert)
      })
    }
  }
  await Promise.all(Array.from({ length: at_once }, work))
  await set(sql, 'full_page_writes = on', 'autovacuum = on')
  await sql.end()
}

async function set(sql: postgres.Sql, ...settings: string[]): Promise<void> {
  for (const setting of settings) await sql.unsafe(`alter system set ${setting}`)
  await sql`select pg_reload_conf()`
}

/**
 * What follows from the number of a life alone: whose it is, of which kind, and its ids. `numbers` is an expression that
 * makes a row for each. The text has these columns: number, mark (what its ids are made from), life, pattern_at,
 * session_id, payment_id (null where it has none), merchant_id, endpoint_id.
 */
export function livesOf(numbers: string): string {
  return `
    select n.number, n.mark, k.life, k.created_at as pattern_at, m.merchant_id, m.endpoint_id,
      ${ownId('k.session_id', 'n.mark')} as session_id, ${ownId('k.payment_id', 'n.mark')} as payment_id
    from (select number, md5(number::text) as mark from ${numbers} number offset 0) n
    join growth.lives k on n.number / ${own_of} % 100 between k.from_share and k.to_share - 1
    join growth.merchants m
      on m.number = case n.number % ${own_of} when 0 then 0 else 1 + n.number % ${merchants - 1} end`
}

/** Of an id such as `pay_…`, one that the mark decides. */
function ownId(id: string, mark: string): string {
  return `left(${id}, -24) || left(${mark}, 16) || left(md5(${id}), 8)`
}

/** The statement that makes the rows of a pattern for each life of a batch. */
function insertOf({ life, table, kept_in, rows }: Pattern): string {
  const columns = Object.keys(rows[0]!)
  const values = columns.map((column) =>
    copyOf(
      table,
      column,
      rows.map((row) => row[column]),
    ),
  )
  return `
    insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')}
    from batch l cross join lateral (select * from ${kept_in} offset 0) t where l.life = '${life}' ${chained(table)}`
}

/**
 * The lines of the merchant that measures have their places in its chain; those of the others, to whom nothing happens, are
 * left out of theirs. The service passes over both: it has looked that far at the first fill.
 */
function chained(table: string): string {
  return table === 'audit_chain' ? 'and l.merchant_id = t.merchant_id' : ''
}

const shift_ms = `(l.at_ms - (extract(epoch from l.pattern_at) * 1000)::bigint)`

/** What a column has in the copy: ids and times are its own, all else is the same. */
function copyOf(table: string, column: string, values: unknown[]): string {
  const copied = `t.${column}`
  if (column === 'merchant_id') return 'l.merchant_id'
  if (column === 'endpoint_id') return 'l.endpoint_id'
  // Each life has a shopper of its own; in the sessions their address does not matter.
  if (column === 'customer_email') return `l.mark || '@example.com'`
  // Before what the service chains meanwhile, so that its end stays where it is.
  if (table === 'audit_chain' && column === 'position') {
    return `l.number * ${lines_max} + t.position % ${lines_max} - (1::bigint << 60)`
  }
  const known = values.filter((value) => value !== null)
  const isAll = (judge: (value: unknown) => boolean) => known.length > 0 && known.every(judge)
  const isText = (pattern: RegExp) => isAll((value) => typeof value === 'string' && pattern.test(value))
  if (isAll((value) => value instanceof Date)) {
    return `${copied} + ${shift_ms} * interval '1 ms'`
  }
  if (isText(/^(cs|att|pay|card|evt|sim|dsp)_[0-9a-f]{24}$/)) return ownId(copied, 'l.mark')
  if (isText(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)) {
    return `(left(l.mark, 24) || left(md5(${copied}), 8))::uuid::text`
  }
  if (isText(/^01[0-9a-f]{10}7[0-9a-f]{19}$/)) {
    const at_ms = `('x' || lpad(left(${copied}, 12), 16, '0'))::bit(64)::bigint + ${shift_ms}`
    return `lpad(to_hex(${at_ms}), 12, '0') || '7' || left(l.mark, 11) || left(md5(${copied}), 8)`
  }
  return copied
}

/** More lines than a life has. */
const lines_max = 8
