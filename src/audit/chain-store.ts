// The SQL of the chains: finds lines without a place, extends a chain, and reads chains page by page.

import type { AnySql, Fragment, Sql } from '../database/open.ts'
import type { WrittenLine } from './chain.ts'
import type { ChainRow, Head } from './check-chain.ts'
import { installation_id } from './journal.ts'

/** Lines of one merchant after `after` and below `below`, in the order of their ids. */
export type LineRange = { merchant_id: string; after: string; below: string }

/** An age at which lines are scanned. A mark beyond `marks_max` is ignored. */
export type ScanAge = { age_seconds: number; below: string; marks_max: string }

/** Lines that have reached an age and were not scanned since. */
export type Scan = LineRange & ScanAge

/** The scans that are due, the oldest ages first. */
export async function listDueScans(sql: Sql, ages: ScanAge[], merchant_id: string | null): Promise<Scan[]> {
  return sql<Scan[]>`
    select m.merchant_id, l.*
    from (select merchant_id from merchants union all select ${installation_id}) m
    cross join lateral (
      select a.*, case when k.until <= a.marks_max then k.until else '' end as after
      from json_to_recordset(${ages as never}::json) as a (
        age_seconds integer, below text collate "C", marks_max text collate "C")
      left join audit_looks k on k.merchant_id = m.merchant_id and k.age_seconds = a.age_seconds
    ) l
    cross join lateral (
      select 1 from journal j
      where j.merchant_id = m.merchant_id and j.entry_id > l.after and j.entry_id < l.below limit 1
    ) line
    ${merchant_id === null ? sql`` : sql`where m.merchant_id = ${merchant_id}`}
    order by m.merchant_id, l.age_seconds desc`
}

/** Records that lines were scanned. Only an ignored mark is moved back. */
export async function markScanned(sql: Sql, { merchant_id, age_seconds, below, marks_max }: Scan): Promise<void> {
  await sql`
    insert into audit_looks (merchant_id, age_seconds, until)
    values (${merchant_id}, ${age_seconds}, ${below})
    on conflict (merchant_id, age_seconds) do update
      set until = case when audit_looks.until > ${marks_max} then excluded.until
        else greatest(audit_looks.until, excluded.until) end`
}

/**
 * Whether a line is about a session that a page made, and nothing else is known of that session. Strangers can cause
 * such lines, so the lines stay outside the chain until the session has another line, or is purged together with them.
 */
export function isOutsideChain(sql: AnySql, line: Fragment): Fragment {
  return sql`(
    ${line}.change = 'session.created' and ${line}.actor like 'page %' and not exists (
      select 1 from journal o
      where o.merchant_id = ${line}.merchant_id and o.session_id = ${line}.session_id
        and o.change <> 'session.created' offset 0))`
}

/** Where a chain ends, by its head and by its rows. */
export type ChainEnd = { head: Head | null; last_row: Head | null }

/**
 * `last` is the newest of `count` lines, or null without lines. `lines` are those that should be in a chain and are in
 * none.
 */
export type LinePage = ChainEnd & { last: string | null; count: number; lines: WrittenLine[] }

/** The next lines, with the end of the chain at the same moment. */
export async function readUnsealed(
  sql: Sql,
  { merchant_id, after, below }: LineRange,
  limit: number,
): Promise<LinePage> {
  const [row] = await sql<StoredPage[]>`
    with page as materialized (
      select * from journal
      where merchant_id = ${merchant_id} and entry_id > ${after} and entry_id < ${below}
      order by entry_id limit ${limit}
    )
    select (select max(entry_id) from page) as last, (select count(*) from page) as count, ${chainEnd(sql, merchant_id)}, (
      select coalesce(json_agg(${writtenLine(sql, sql`page`)} order by page.entry_id), '[]') from page
      left join lateral (
        select true as is_sealed from audit_chain c
        where c.merchant_id = page.merchant_id and c.entry_id = page.entry_id offset 0
      ) c on true
      where c.is_sealed is null and not ${isOutsideChain(sql, sql`page`)}
    ) as lines`
  const { last, count, lines } = row!
  return { last, count, lines, ...endOf(row!) }
}

export async function findChainEnd(sql: Sql, merchant_id: string): Promise<ChainEnd> {
  const [row] = await sql<StoredEnd[]>`select ${chainEnd(sql, merchant_id)}`
  return endOf(row!)
}

/** In JSON, bytes are text: a backslash, `x` and hex digits. */
type StoredHead = { position: number; hash: string } | null
type StoredEnd = { head: StoredHead; last_row: StoredHead }
type StoredPage = StoredEnd & Pick<LinePage, 'last' | 'count' | 'lines'>

function chainEnd(sql: Sql, merchant_id: string) {
  return sql`
    (select row_to_json(h) from (
      select position, hash from audit_heads where merchant_id = ${merchant_id}) h) as head,
    (select row_to_json(c) from (
      select position, hash from audit_chain where merchant_id = ${merchant_id}
      order by position desc limit 1) c) as last_row`
}

function endOf({ head, last_row }: StoredEnd): ChainEnd {
  const headOf = (row: StoredHead) => row && { position: row.position, hash: Buffer.from(row.hash.slice(2), 'hex') }
  return { head: headOf(head), last_row: headOf(last_row) }
}

/** A line of the given table, each column as text. */
export function writtenLine(sql: AnySql, table: Fragment) {
  return sql`(
    select row_to_json(written) from (
      select ${table}.merchant_id, ${table}.entry_id, ${table}.session_id, ${table}.subject, ${table}.change,
        ${table}.detail::text, ${table}.actor, ${table}.request_id, extract(epoch from ${table}.at)::text as at
    ) written)`
}

/** Consecutive rows to add to a chain. */
export type Extension = {
  merchant_id: string
  /** The head that was read; null for a new chain. */
  from: Head | null
  rows: { position: number; entry_id: string; hash: Buffer }[]
}

/** Extends a chain. If another process has extended it since its head was read, returns false and writes nothing. */
export async function extendChain(sql: Sql, { merchant_id, from, rows }: Extension): Promise<boolean> {
  const { position, hash } = rows.at(-1)!
  const entries = rows.map((row) => ({ ...row, hash: `\\x${row.hash.toString('hex')}` }))
  const headMove = from
    ? sql`
      update audit_heads set position = ${position}, hash = ${hash}
      where merchant_id = ${merchant_id} and position = ${from.position} and hash = ${from.hash}
      returning 1`
    : sql`
      insert into audit_heads (merchant_id, position, hash)
      values (${merchant_id}, ${position}, ${hash})
      on conflict (merchant_id) do nothing returning 1`
  const result = await sql`
    with head as (${headMove})
    insert into audit_chain (merchant_id, position, entry_id, hash)
    select ${merchant_id}, r.position, r.entry_id, r.hash
    from head, json_to_recordset(${entries as never}::json) as r (position bigint, entry_id text, hash bytea)
    returning 1`
  return result.length > 0
}

/** The merchants that have or had a chain. */
export async function listChains(sql: Sql): Promise<string[]> {
  const rows = await sql<{ merchant_id: string }[]>`
    select merchant_id from merchants union select merchant_id from audit_heads order by merchant_id`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** The next rows of a chain with their lines, after `after` and up to `until`. */
export async function readChain(
  sql: Sql,
  { merchant_id, after, until }: { merchant_id: string; after: number; until: number },
  limit: number,
): Promise<ChainRow[]> {
  return sql<ChainRow[]>`
    select c.position, c.entry_id, c.hash, j.line from (
      select position, entry_id, hash from audit_chain
      where merchant_id = ${merchant_id} and position > ${after} and position <= ${until}
      order by position limit ${limit}
    ) c
    left join lateral (
      select ${writtenLine(sql, sql`j`)} as line from journal j
      where j.merchant_id = ${merchant_id} and j.entry_id = c.entry_id offset 0
    ) j on true
    order by c.position`
}
