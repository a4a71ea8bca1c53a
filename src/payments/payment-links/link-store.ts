// The SQL of payment links. A charge locks the link first, and then its session.

import type { JournalLine } from '../../audit/journal.ts'
import { columnNames, rowIf } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { type KeyRow, KeyTakenError } from '../../http/idempotency.ts'
import { insertKey } from '../../http/key-gate.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { ObjectPlace } from '../../http/only-mode.ts'
import { idsFrom, millisecondsOf } from '../../kernel/ids.ts'
import type { Mode, PaymentLinkId } from '../../kernel/values.ts'
import {
  type LinkStatus,
  type PaymentLink,
  type PaymentLinkKey,
  paymentLinkColumns,
  refuseUnlessActive,
  type StandingLink,
} from '../payment-link.ts'
import { looks_max, type SpanFilters } from '../reading/list-filters.ts'
import type { Session } from '../session.ts'

/** Throws KeyTakenError, and inserts nothing, if the key exists. */
export async function insertLink(
  sql: AnySql,
  { link, key, line }: { link: PaymentLink; key: KeyRow | null; line: JournalLine },
): Promise<void> {
  const rows = await sql`
    with key as (${insertKey(sql, key)}), line as (insert into journal ${rowIf(sql, line, 'key')})
    insert into payment_links ${rowIf(sql, link, 'key')} returning 1`
  if (rows.length === 0) throw new KeyTakenError()
}

/** The payments of the link `l` that have a place: captured, held or being charged. */
function placesTaken(sql: AnySql): Fragment {
  return sql`(
    select count(*)::int from sessions s
    join payments p on p.merchant_id = s.merchant_id and p.payment_id = s.payment_id
    where s.merchant_id = l.merchant_id and s.payment_link_id = l.payment_link_id and s.payment_id is not null
      and p.status in ('pending', 'held', 'captured'))`
}

export async function findLink(sql: AnySql, key: PaymentLinkKey): Promise<StandingLink | undefined> {
  return findCounted(sql, key, placesTaken(sql))
}

/** The same to say whether it is active. Of a link for any number of payments none is counted: it may have many, and anybody may ask. */
export async function findLinkToOpen(sql: AnySql, key: PaymentLinkKey): Promise<StandingLink | undefined> {
  return findCounted(sql, key, sql`case when max_payments is null then 0 else ${placesTaken(sql)} end`)
}

async function findCounted(
  sql: AnySql,
  { merchant_id, payment_link_id }: PaymentLinkKey,
  count: Fragment,
): Promise<StandingLink | undefined> {
  const [row] = await sql<StandingLink[]>`
    select ${columnNames(sql, paymentLinkColumns)}, ${count} as payments_count from payment_links l
    where merchant_id = ${merchant_id} and payment_link_id = ${payment_link_id}`
  return row
}

/** The mode of the payment link that the path names; null where there is none. */
export async function modeOfLink(
  sql: Sql,
  { merchant_id, params: { payment_link_id = '' } }: Pick<ObjectPlace, 'merchant_id' | 'params'>,
): Promise<Mode | null> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode from payment_links where merchant_id = ${merchant_id} and payment_link_id = ${payment_link_id}`
  return row?.mode ?? null
}

/**
 * Locks the session's link until the transaction ends, so that no two charges take its last place. Throws `session_expired` if it has
 * none, or is over. The places are counted by a statement of their own: one that waited for the lock would count as of before.
 */
export async function lockActiveLink(
  tx: AnySql,
  { merchant_id, payment_link_id }: Pick<Session, 'merchant_id'> & { payment_link_id: PaymentLinkId },
  now: Date,
): Promise<void> {
  const key = { merchant_id, payment_link_id }
  await tx`
    select 1 from payment_links where merchant_id = ${merchant_id} and payment_link_id = ${payment_link_id}
    for no key update`
  refuseUnlessActive((await findLinkToOpen(tx, key))!, now)
}

/** Ends a link for good, unless it was ended before. Throws KeyTakenError, and changes nothing, if the key exists. */
export async function disableLink(
  sql: AnySql,
  { merchant_id, payment_link_id }: PaymentLinkKey,
  { key, line, now }: { key: KeyRow | null; line: JournalLine; now: Date },
): Promise<void> {
  const [row] = await sql<{ is_keyed: boolean }[]>`
    with key as (${insertKey(sql, key)}
    ), disabled as (
      update payment_links set disabled_at = ${now}
      where merchant_id = ${merchant_id} and payment_link_id = ${payment_link_id} and disabled_at is null
        and exists (select 1 from key)
      returning 1
    ), line as (insert into journal ${rowIf(sql, line, 'disabled')})
    select exists (select 1 from key) as is_keyed`
  if (!row!.is_keyed) throw new KeyTakenError()
}

export type LinkFilters = SpanFilters & { merchant_id: string; status: LinkStatus | undefined }

/** The next rows behind a position, newest first. */
export async function listLinkRows(
  sql: Sql,
  filters: LinkFilters,
  { behind, limit, now }: { behind: string | null; limit: number; now: Date },
): Promise<FoundRows<StandingLink>> {
  const { merchant_id, mode, created_from, created_before, status } = filters
  const looks = status === undefined ? limit : looks_max
  const rows = await sql<(StandingLink & { place: number; is_match: boolean })[]>`
    select * from (
      select c.*, ${status === undefined ? sql`true` : sql`(${statusIs(sql, now)} = ${status})`} as is_match from (
        select l.*, ${placesTaken(sql)} as payments_count, row_number() over (${newest(sql)})::int as place from (
          select ${columnNames(sql, paymentLinkColumns)} from payment_links
          where merchant_id = ${merchant_id} ${mode ? sql`and mode = ${mode}` : sql``}
            ${created_from ? sql`and created_at >= ${created_from}` : sql``}
            ${created_before ? sql`and created_at < ${created_before}` : sql``} ${isBehind(sql, behind)}
          ${newest(sql)} limit ${looks}
        ) l
      ) c
    ) r
    where is_match or place = ${looks} ${newest(sql)} limit ${limit}`
  const last = rows.at(-1)
  return {
    rows: rows.filter(({ is_match }) => is_match),
    ended_at: status !== undefined && last?.place === looks ? positionOfLink(last) : null,
  }
}

/** As `linkStatusAt` says. */
function statusIs(sql: Sql, now: Date): Fragment {
  return sql`case
    when c.disabled_at is not null then 'disabled'
    when c.payments_count >= c.max_payments then 'completed'
    when c.expires_at <= ${now} then 'expired'
    else 'active' end`
}

function newest(sql: Sql): Fragment {
  return sql`order by created_at desc, payment_link_id desc`
}

/** The milliseconds in which it was made, and its id. */
export function positionOfLink({ created_at, payment_link_id }: PaymentLink): string {
  return idsFrom(created_at) + payment_link_id.slice('plink_'.length)
}

function isBehind(sql: Sql, behind: string | null): Fragment {
  if (behind === null) return sql``
  const at = new Date(millisecondsOf(behind))
  return sql`and (created_at, payment_link_id) < (${at}::timestamptz, ${`plink_${behind.slice(12)}`}::text)`
}
