// The SQL of counts: lines of the journal, by quarter of an hour, each counted once by its place in the chain.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import { isChallengeLeft } from '../../payments/reading/session-list-store.ts'

/** Places of a merchant's chain: behind `after`, up to `until`. */
export type CountRange = { merchant_id: string; after: number; until: number }

/** What was sealed and not counted yet, the first merchants of it. */
export async function listUncounted(sql: Sql, limit: number): Promise<CountRange[]> {
  return sql<CountRange[]>`
    select h.merchant_id, coalesce(m.position, 0) as after, h.position as until
    from audit_heads h left join payment_count_marks m on m.merchant_id = h.merchant_id
    where h.position > coalesce(m.position, 0)
    order by h.merchant_id limit ${limit}`
}

/** Counts the lines of a range and moves the mark; false, with nothing written, where another process was faster. */
export async function countRange(sql: Sql, range: CountRange): Promise<boolean> {
  const { merchant_id, after, until } = range
  const rows = await sql`
    with moved as (
      insert into payment_count_marks as m (merchant_id, position) values (${merchant_id}, ${until})
      on conflict (merchant_id) do update set position = excluded.position where m.position = ${after}
      returning 1
    ), line as materialized (
      select j.* from audit_chain c cross join lateral (
        select * from journal where merchant_id = c.merchant_id and entry_id = c.entry_id offset 0) j
      where c.merchant_id = ${merchant_id} and c.position > ${after} and c.position <= ${until}
    ), counted as (${countedLines(sql, merchant_id)}
    ), written as (
      insert into payment_counts as p (merchant_id, mode, quarter, currency, change, code, n, amount)
      select ${merchant_id}, mode, quarter, currency, change, code, count(*), sum(amount)
      from counted, moved group by mode, quarter, currency, change, code
      order by mode, quarter, currency, change, code
      on conflict (merchant_id, mode, quarter, currency, change, code)
        do update set n = p.n + excluded.n, amount = p.amount + excluded.amount
    )
    select 1 from moved`
  return rows.length > 0
}

/** Those of one change and code in one stretch of time, by its place among the moments that were asked for. */
export type StretchOfCounts = {
  place: number
  currency: string
  change: string
  code: string
  n: number
  amount: number
}

/** How many of the newest lines are counted when they are asked for. The job is seldom behind by more than some seconds. */
const young_lines_max = 2000

/**
 * Counts between moments that follow each other, and behind the last one; with the lines that the job has not counted yet: those
 * behind `young_from`.
 */
export async function readCounts(
  sql: Sql,
  asked: { merchant_id: string; mode: Mode; starts: Date[]; young_from: string },
): Promise<StretchOfCounts[]> {
  const { merchant_id, mode, starts, young_from } = asked
  const [from] = starts as [Date]
  return sql<StretchOfCounts[]>`
    with line as materialized (
      select j.* from (
        select * from journal where merchant_id = ${merchant_id} and entry_id >= ${young_from}
        order by entry_id desc limit ${young_lines_max}
      ) j
      left join lateral (
        select position from audit_chain c
        where c.merchant_id = j.merchant_id and c.entry_id = j.entry_id offset 0) c on true
      where c.position is null
        or c.position > coalesce((select position from payment_count_marks where merchant_id = ${merchant_id}), 0)
    ), counted as (${countedLines(sql, merchant_id)}
    ), both_kinds as (
      select quarter, currency, change, code, n, amount from payment_counts
      where merchant_id = ${merchant_id} and mode = ${mode} and quarter >= ${from}
      union all
      select quarter, currency, change, code, 1, amount from counted where mode = ${mode} and quarter >= ${from}
    )
    select width_bucket(quarter, ${starts.map((each) => each.toISOString())}::timestamptz[]) - 1 as place,
      currency, change, code, sum(n)::int as n, sum(amount)::bigint as amount
    from both_kinds group by 1, 2, 3, 4 order by 1, 2, 3, 4`
}

/**
 * Of the table `line`, what counts and as what. Lines of early releases have no mode and are left out. A capture that
 * somebody decided has the code `decided`; of 3-D Secure the code has the state, or `left` where the shopper left the bank's page or did
 * not finish there in time, and whether that page was shown.
 */
export function countedLines(sql: AnySql, merchant_id: string): Fragment {
  return sql`
    select coalesce(line.detail->>'mode', a.mode) as mode,
      to_timestamp(floor(extract(epoch from line.at) / 900) * 900) as quarter,
      coalesce(line.detail->>'currency', '') as currency, line.change,
      case
        when line.change in ('payment.declined', 'payment.failed') then coalesce(line.detail->>'decline_code', '')
        when line.change = 'payment.captured' and line.detail->>'decided_by' is not null then 'decided'
        when line.change = 'attempt.moved' then
          case when a.is_challenged then 'challenged ' else '' end
            || case when a.is_left and line.detail->>'three_ds_state' = 'failed' then 'left'
              else coalesce(line.detail->>'three_ds_state', '') end
        else ''
      end as code,
      coalesce((line.detail->>'captured_amount')::bigint, (line.detail->>'amount')::bigint, 0) as amount
    from line
    left join lateral (
      select s.mode, a.challenge_expires_at is not null as is_challenged,
        ${isChallengeLeft(sql)} as is_left from attempts a
      join sessions s on s.merchant_id = a.merchant_id and s.session_id = a.session_id
      where line.change = 'attempt.moved' and a.merchant_id = ${merchant_id} and a.attempt_id = line.subject
      offset 0
    ) a on true
    where line.change in ('session.created', 'payment.captured', 'payment.held', 'payment.voided', 'payment.declined',
        'payment.failed', 'refund.succeeded', 'refund.settled_otherwise', 'refund.reopened', 'attempt.moved')
      and coalesce(line.detail->>'mode', a.mode) is not null`
}
