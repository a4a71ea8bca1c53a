// The SQL of disputes.

import type { JournalLine } from '../../audit/journal.ts'
import { fromCells, reachOf } from '../../database/cells/cells.ts'
import { assignments, rowIf, rowValues } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import { millisecondsOf } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import { fanOut } from '../../webhooks/queue/fan-out.ts'
import type { Dispute, DisputeStatus } from '../dispute.ts'
import type { Event } from '../event.ts'
import type { PaymentKey } from '../payment.ts'
import { looks_max, type SpanFilters } from '../reading/list-filters.ts'

export async function findDispute(
  sql: AnySql,
  { merchant_id, dispute_id }: { merchant_id: string; dispute_id: string },
): Promise<Dispute | undefined> {
  const [row] = await sql<Dispute[]>`
    select * from disputes where merchant_id = ${merchant_id} and dispute_id = ${dispute_id}`
  return row
}

export type VendorsName = Pick<Dispute, 'merchant_id' | 'acquirer' | 'vendor_id'>

/** By the acquirer's own id of it. */
export async function findDisputeNamed(
  sql: AnySql,
  { merchant_id, acquirer, vendor_id }: VendorsName,
): Promise<Dispute | undefined> {
  const [row] = await sql<Dispute[]>`
    select * from disputes
    where merchant_id = ${merchant_id} and acquirer = ${acquirer} and vendor_id = ${vendor_id}`
  return row
}

/** When the newest event of the dispute was written; null before the first. */
export async function lastToldAt(
  sql: AnySql,
  { merchant_id, dispute_id }: Pick<Dispute, 'merchant_id' | 'dispute_id'>,
): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select max(created_at) as at from events where merchant_id = ${merchant_id} and payment_id = ${dispute_id}`
  return row!.at
}

/** Those of the acquirer's ids that are known here. */
export async function listKnownDisputes(
  sql: Sql,
  { merchant_id, acquirer, vendor_ids }: Omit<VendorsName, 'vendor_id'> & { vendor_ids: string[] },
): Promise<string[]> {
  const rows = await sql<{ vendor_id: string }[]>`
    select vendor_id from disputes
    where merchant_id = ${merchant_id} and acquirer = ${acquirer} and vendor_id = any(${vendor_ids}::text[])`
  return rows.map(({ vendor_id }) => vendor_id)
}

/** A payment's disputes, newest first. */
export async function listDisputesOf(sql: AnySql, { merchant_id, payment_id }: PaymentKey): Promise<Dispute[]> {
  return sql<Dispute[]>`
    select * from disputes where merchant_id = ${merchant_id} and payment_id = ${payment_id}
    order by opened_at desc, dispute_id desc`
}

/** Writes a dispute, new or changed, with its event, its deliveries and its line. The payment must be locked. */
export async function saveDispute(
  tx: AnySql,
  {
    dispute: d,
    is_new,
    event,
    journal,
  }: { dispute: Dispute; is_new: boolean; event: Event | null; journal: JournalLine },
): Promise<void> {
  const { merchant_id, payment_id, dispute_id } = d
  const write = is_new
    ? tx`insert into disputes ${rowValues(tx, d)} returning 1`
    : tx`
      update disputes set ${assignments(tx, d, ...changing)}
      where merchant_id = ${merchant_id} and dispute_id = ${dispute_id} returning 1`
  // A dispute is told of after all that was told of its payment.
  const checkout = tx`(
    select checkout_session_id from sessions where merchant_id = ${merchant_id} and session_id = ${d.session_id})`
  const behind = [{ subject: dispute_id }, { subject: checkout }, { subject: payment_id }]
  const told = event
    ? tx`, event as (insert into events ${rowIf(tx, event, 'gate')}
      ), told as (${fanOut(tx, { event, mode: d.mode }, 'gate', behind)})`
    : tx``
  await tx`
    with gate as (${write}
    ), payment as (
      update payments set dispute = case when ${isStandingIn(tx, d)} then 'standing' else 'over' end
      where merchant_id = ${merchant_id} and payment_id = ${payment_id}
    ), journal as (insert into journal ${rowIf(tx, journal, 'gate')}
    )${told}
    select 1 from gate`
}

const changing = [
  ...(['status', 'round', 'reason', 'amount', 'currency', 'respond_by', 'closed_at'] as const),
  ...(['vendor_url', 'told_at', 'event_count'] as const),
]

/** Of this dispute as it is written, or of another one of the payment. */
function isStandingIn(tx: AnySql, { merchant_id, payment_id, dispute_id, status }: Dispute) {
  return tx`(${status} in ('needs_response', 'under_review', 'lost') or exists (
    select from disputes where merchant_id = ${merchant_id} and payment_id = ${payment_id}
      and dispute_id <> ${dispute_id} and status in ('needs_response', 'under_review', 'lost')))`
}

/** Of a merchant, or of any where it is null. */
export async function findDisputeAnywhere(
  whole: Sql,
  { dispute_id, merchant_id }: { dispute_id: string; merchant_id: string | null },
): Promise<Dispute | undefined> {
  const [row] = await fromCells(
    await reachOf(whole, merchant_id),
    (sql) => sql<Dispute[]>`
      select found.* from merchants m cross join lateral (
        select * from disputes where merchant_id = m.merchant_id and dispute_id = ${dispute_id} offset 0
      ) found
      ${merchant_id === null ? sql`` : sql`where m.merchant_id = ${merchant_id}`} limit 1`,
  )
  return row
}

/** What is to be answered, the nearest end of its time first, then what is under review; behind a position. */
export async function listOpenDisputes(
  sql: Sql,
  {
    merchant_id,
    mode,
    behind,
    limit,
  }: { merchant_id: string; mode: Mode | null; behind: string | null; limit: number },
): Promise<Dispute[]> {
  const ofMode = mode === null ? sql`` : sql`and mode = ${mode}`
  const rest =
    behind === null
      ? sql``
      : sql`and (status, coalesce(respond_by, ${never}), dispute_id) > ${openPlaceOf(sql, behind)}`
  return sql<Dispute[]>`
    select * from disputes
    where merchant_id = ${merchant_id} and closed_at is null ${ofMode} ${rest}
    order by status, coalesce(respond_by, ${never}), dispute_id limit ${limit}`
}

/** Later than every time until which somebody may answer. */
const never = new Date('9999-01-01T00:00:00Z')

/** Of an open dispute in their list: its step, its time, then the digits of its id. */
export function positionOfOpen({ status, respond_by, dispute_id }: Dispute): string {
  const time = (respond_by ?? never).getTime().toString(16).padStart(12, '0')
  return `${status === 'needs_response' ? '00' : '01'}${time}${dispute_id.slice('dsp_'.length)}`
}

function openPlaceOf(sql: Sql, position: string) {
  const status = position.startsWith('00') ? 'needs_response' : 'under_review'
  return sql`(${status}, ${new Date(millisecondsOf(position.slice(2)))}::timestamptz, ${`dsp_${position.slice(14)}`})`
}

export type DisputeFilters = SpanFilters & {
  merchant_id: string
  status: DisputeStatus | undefined
  payment_id: string | undefined
}

/** Disputes behind a position, the one that was opened last first. */
export async function listDisputes(
  sql: Sql,
  filters: DisputeFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<Dispute>> {
  const { merchant_id, mode, status, payment_id, created_from, created_before } = filters
  const begin = behind === null ? sql`` : sql`and (opened_at, dispute_id) < ${placeOf(sql, behind)}`
  const from = created_from ? sql`and opened_at >= ${created_from}` : sql``
  const before = created_before ? sql`and opened_at < ${created_before}` : sql``
  const ofPayment = payment_id ? sql`and payment_id = ${payment_id}` : sql``
  const isAsked = sql`(true ${mode ? sql`and mode = ${mode}` : sql``} ${status ? sql`and status = ${status}` : sql``})`
  const order = sql`order by opened_at desc, dispute_id desc`
  const found = await sql<(Dispute & { place: number; is_asked: boolean })[]>`
    select n.* from (
      select l.*, ${isAsked} as is_asked, row_number() over (${order})::int as place from (
        select * from disputes where merchant_id = ${merchant_id} ${ofPayment} ${begin} ${from} ${before}
        ${order} limit ${looks_max}
      ) l
    ) n
    where is_asked or place = ${looks_max}
    ${order} limit ${limit}`
  const last = found.at(-1)
  return {
    rows: found.filter(({ is_asked }) => is_asked),
    ended_at: last?.place === looks_max ? positionOfDispute(last) : null,
  }
}

/** When it was opened, then the digits of its id. */
export function positionOfDispute({ opened_at, dispute_id }: Pick<Dispute, 'opened_at' | 'dispute_id'>): string {
  return opened_at.getTime().toString(16).padStart(12, '0') + dispute_id.slice('dsp_'.length)
}

function placeOf(sql: Sql, position: string) {
  return sql`(${new Date(millisecondsOf(position))}, ${`dsp_${position.slice(12)}`})`
}
