// The SQL that counts a merchant's journal anew, a quarter of an hour at a time, beside the job that counts.

import type { Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { countedLines } from './count-store.ts'

export const quarter_ms = 15 * 60_000

export type RecountedQuarter = { rows: number; changed: number }

/** Merchants whose journal was counted before, by their ids. */
export async function listCounted(sql: Sql): Promise<string[]> {
  const rows = await sql<{ merchant_id: string }[]>`
    select merchant_id from payment_count_marks order by merchant_id`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** When the first quarter from a time on begins that has a line or a count; null after the last. */
export async function nextQuarter(sql: Sql, merchant_id: string, from: Date): Promise<Date | null> {
  const first = (mode: 'test' | 'live') => sql`(
    select min(quarter) from payment_counts
    where merchant_id = ${merchant_id} and mode = ${mode} and quarter >= ${from})`
  const [row] = await sql<[{ at: Date | null }]>`
    select least(${first('test')}, ${first('live')}, (
      select at from journal where merchant_id = ${merchant_id} and entry_id >= ${idsFrom(from)}
      order by entry_id limit 1)) as at`
  return row.at && new Date(Math.floor(row.at.getTime() / quarter_ms) * quarter_ms)
}

/**
 * Writes what the journal says of one quarter up to the mark; returns how many counts that were, and how many were wrong.
 * The mark stays locked meanwhile, so the job cannot count a line that this statement does not see. 3-D Secure is left
 * as it was counted where attempts have been purged since: their lines alone do not say the mode.
 */
export async function recountQuarter(sql: Sql, merchant_id: string, quarter: Date): Promise<RecountedQuarter> {
  const end = new Date(quarter.getTime() + quarter_ms)
  return sql.begin(async (tx) => {
    // A statement of its own: the next one has to see what the job wrote while this one waited.
    await tx`select 1 from payment_count_marks where merchant_id = ${merchant_id} for update`
    const [row] = await tx<[RecountedQuarter]>`
      with line as materialized (
        select j.* from journal j cross join lateral (
          select position from audit_chain c
          where c.merchant_id = j.merchant_id and c.entry_id = j.entry_id offset 0) c
        where j.merchant_id = ${merchant_id} and j.entry_id >= ${idsFrom(quarter)} and j.entry_id < ${idsFrom(end)}
          and c.position <= (select position from payment_count_marks where merchant_id = ${merchant_id})
      ), counted as (${countedLines(tx, merchant_id)}
      ), purged as materialized (
        select 1 from line where change = 'attempt.moved' and not exists (
          select 1 from attempts where merchant_id = ${merchant_id} and attempt_id = line.subject)
        limit 1
      ), wanted as materialized (
        select mode, currency, change, code, count(*) as n, sum(amount)::bigint as amount from counted
        where change <> 'attempt.moved' or not exists (select 1 from purged)
        group by mode, currency, change, code
      ), removed as (
        delete from payment_counts p
        where merchant_id = ${merchant_id} and mode in ('test', 'live') and quarter = ${quarter}
          and (change <> 'attempt.moved' or not exists (select 1 from purged))
          and not exists (
            select 1 from wanted w
            where w.mode = p.mode and w.currency = p.currency and w.change = p.change and w.code = p.code)
        returning 1
      ), written as (
        insert into payment_counts as p (merchant_id, mode, quarter, currency, change, code, n, amount)
        select ${merchant_id}, mode, ${quarter}::timestamptz, currency, change, code, n, amount from wanted
        order by mode, currency, change, code
        on conflict (merchant_id, mode, quarter, currency, change, code)
          do update set n = excluded.n, amount = excluded.amount
          where p.n <> excluded.n or p.amount <> excluded.amount
        returning 1
      )
      select (select count(*)::int from wanted) as rows,
        (select count(*)::int from removed) + (select count(*)::int from written) as changed`
    return row
  })
}
