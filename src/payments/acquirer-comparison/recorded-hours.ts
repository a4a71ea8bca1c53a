// Which charges from before the span are compared as well: those of which something was recorded, and those that still wait.

import { fromCells, wholeOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import { millisecondsOf } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import {
  hourBefore,
  hourOf,
  hoursBegunIn,
  referencesOf,
  type Window,
  windowsToCompareAgain,
} from '../comparison-windows.ts'

/** An hour of charges. `references` names the few that are looked up; null where the acquirer is asked for its list of them all. */
export type RecordedHour = { window: Window; references: string[] | null }

/** More charges of one hour are listed. A list is one request for a hundred charges, and a look-up is up to two for one. */
const looked_up_max = 10

/**
 * The hours before the span, oldest first: of waiting holds, of what was recorded in the span, and of what was made or recorded 7 and
 * 30 days ago. An acquirer lists a charge by when it was made, however late its capture came.
 */
export async function recordedHours(
  whole: Sql,
  { acquirer, mode }: { acquirer: string; mode: Mode },
  { span, compared_until }: { span: Window; compared_until: Date | null },
): Promise<RecordedHour[]> {
  const again = windowsToCompareAgain(mode, span, compared_until)
  const which = { acquirer, windows: [span, ...again], below: referencesOf(span).from }
  const hours = new Map<number, string[] | null>()
  for (const { hour, references } of await findRecorded(whole, which)) {
    const before = hours.get(hour)
    const all = before === null || references === null ? null : [...(before ?? []), ...references]
    hours.set(hour, all !== null && all.length > looked_up_max ? null : all)
  }
  const reversed = await findReversed(wholeOf(whole), which)
  const wholeHours = [...again.flatMap(hoursBegunIn), ...reversed.map(hourOf)]
  for (const hour of wholeHours) hours.set(hour, null)
  const rows = [...hours].toSorted(([one], [other]) => one - other)
  return rows
    .map(([hour, references]) => ({ window: hourBefore(hour, span.since), references }))
    .filter(({ window }) => window.since < window.until)
}

type Which = { acquirer: string; windows: Window[]; below: string }

/**
 * The hours in which the charges were made of which something was recorded in these windows, or whose holds wait. `references` is
 * null where there are many, or where one of them has no payment any more: only a list tells whether such a one lives.
 */
function findRecorded(
  whole: Sql,
  { acquirer, windows, below }: Which,
): Promise<{ hour: number; references: string[] | null }[]> {
  return fromCells(
    whole,
    (sql) => sql<{ hour: number; references: string[] | null }[]>`
    with recorded as materialized (
      select o.merchant_id, o.payment_id
      from json_to_recordset(${windows as never}::json) as w (since timestamptz, until timestamptz) cross join lateral (
        select merchant_id, payment_id from acquirer_operations
        where answered_at >= w.since and answered_at < w.until and acquirer = ${acquirer}
          and (kind in ('capture', 'void', 'reverse') or (kind = 'authorise' and answered_at - sent_at > interval '1 hour'))
        offset 0) o
      union
      select merchant_id, payment_id from holds where decided_at is null
    ), charge as materialized (
      select o.operation_id, o.state = 'approved' and p.status in ('captured', 'held') as is_claimed,
        (('x' || left(o.operation_id, 12))::bit(48)::bigint / 3600000)::int as hour
      from recorded r cross join lateral (
        select operation_id, state from acquirer_operations
        where merchant_id = r.merchant_id and payment_id = r.payment_id and kind = 'authorise' and acquirer = ${acquirer}
          and (state = 'approved' or answered_at - sent_at > interval '1 hour')
        offset 0) o
      cross join lateral (
        select status from payments where merchant_id = r.merchant_id and payment_id = r.payment_id offset 0) p
      where o.operation_id < ${below}
    )
    select hour, case when bool_and(is_claimed) and count(*) <= ${looked_up_max} then array_agg(operation_id) end as references
    from charge group by hour`,
  )
}

/** When those were authorised that were taken back in these windows: a reversal that was a refund may come back. */
async function findReversed(sql: Sql, { acquirer, windows }: Which): Promise<number[]> {
  const rows = await sql<{ reference: string; authorised_at: Date | null }[]>`
    select o.reference, o.authorised_at
    from json_to_recordset(${windows as never}::json) as w (since timestamptz, until timestamptz)
    join orphan_authorisations o on o.acquirer = ${acquirer} and o.state = 'reversed'
      and o.settled_at >= w.since and o.settled_at < w.until`
  return rows.map(({ reference, authorised_at }) => authorised_at?.getTime() ?? millisecondsOf(reference))
}
