// The SQL that lists refunds and charges in either direction: refunds by their ids, which are in the order of time (those of early
// releases to the second alone), charges along the index of payments by time, of each mode by itself.

import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import { looks_max } from '../../payments/reading/list-filters.ts'
import { findRefund } from '../../payments/reading/refund-store.ts'
import type { Refund } from '../../payments/refund.ts'
import type { ChargeRow } from '../charges/charge.ts'
import { findCharge, findCharges } from '../intents/intent-store.ts'
import type { Look, PageRequest } from '../lists.ts'
import { isCharge, paymentIdOf } from '../members.ts'

type Filters = {
  merchant_id: string
  /** Null for both. */
  mode: Mode | null
  /** Of one payment; undefined for those of all, null for none. */
  payment_id: string | null | undefined
}

const empty = { rows: [], ended_at: null }

/** A page of refunds from the nearest on; one more than the page has. Undefined where the edge is none of them. */
export async function listRefunds(
  sql: Sql,
  { merchant_id, mode, payment_id }: Filters,
  page: PageRequest,
): Promise<Look<Refund> | undefined> {
  const { edge, direction, created_from, created_before } = page
  if (edge !== null) {
    const refund = await findRefund(sql, { merchant_id, refund_id: edge })
    if (!refund || (mode !== null && refund.mode !== mode)) return undefined
  }
  if (payment_id === null) return empty
  const is_older = direction === 'older'
  const beyond = edge === null ? sql`` : is_older ? sql`and refund_id < ${edge}` : sql`and refund_id > ${edge}`
  const order = is_older ? sql`order by refund_id desc` : sql`order by refund_id`
  const from = created_from ? sql`and refund_id >= ${idOfSecond(created_from)}` : sql``
  const before = created_before ? sql`and refund_id < ${idOfSecond(created_before)}` : sql``
  const ofPayment = payment_id === undefined ? sql`` : sql`and payment_id = ${payment_id}`
  const found = await sql<(Refund & { place: number; is_match: boolean })[]>`
    select * from (
      select l.*, row_number() over (${order})::int as place, (true ${mode ? sql`and mode = ${mode}` : sql``}) as is_match
      from (
        select * from refunds
        where merchant_id = ${merchant_id} ${beyond} ${from} ${before} ${ofPayment}
        ${order} limit ${looks_max}
      ) l
    ) n
    where is_match or place = ${looks_max}
    ${order} limit ${page.limit + 1}`
  const last = found.at(-1)
  return {
    rows: found.filter(({ is_match }) => is_match),
    ended_at: last?.place === looks_max ? idsFrom(last.created_at) : null,
  }
}

/** Below all refunds of a second and above those before it. */
function idOfSecond(at: Date): string {
  return `ref_${Math.ceil(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')}`
}

type Place = Pick<ChargeRow, 'payment_id' | 'created_at'> & { place: number; is_match: boolean }

/** The same for charges. */
export async function listCharges(
  sql: Sql,
  { merchant_id, mode, payment_id }: Filters,
  page: PageRequest,
): Promise<Look<ChargeRow> | undefined> {
  const { edge, direction, limit } = page
  const start = edge === null ? null : await findCharge(sql, { merchant_id, payment_id: paymentIdOf(edge) })
  if (start !== null && (!start || !isCharge(start) || (mode !== null && start.mode !== mode))) return undefined
  if (payment_id === null) return empty
  const modes = mode ? [mode] : (['test', 'live'] as const)
  const looks = looks_max / modes.length
  const order =
    direction === 'older' ? sql`order by created_at desc, payment_id desc` : sql`order by created_at, payment_id`
  const ofPayment = payment_id === undefined ? sql`` : sql`and payment_id = ${payment_id}`
  const [first, second] = modes.map(
    (each) => sql`(
      select * from (
        select l.*, row_number() over (${order})::int as place, status in ('captured', 'held', 'voided') as is_match
        from (
          select payment_id, created_at, status from payments
          where merchant_id = ${merchant_id} and mode = ${each} ${beyond(sql, start, page)} ${ofPayment}
          ${order} limit ${looks}
        ) l
      ) n
      where is_match or place = ${looks}
      ${order} limit ${limit + 1})`,
  )
  const found = await sql<Place[]>`
    select * from (${second ? sql`${first!} union all ${second}` : first!}) both_modes ${order} limit ${limit + 1}`
  // What lies behind the end of one mode's look may be missing in it.
  const end = found.findIndex(({ place }) => place === looks)
  const whole = end === -1 ? found : found.slice(0, end + 1)
  const ids = whole.filter(({ is_match }) => is_match).map(({ payment_id }) => payment_id)
  const rows = new Map((await findCharges(sql, merchant_id, ids)).map((row) => [row.payment_id, row]))
  return { rows: ids.map((id) => rows.get(id)!), ended_at: end === -1 ? null : idsFrom(found[end]!.created_at) }
}

function beyond(sql: AnySql, start: ChargeRow | null, page: PageRequest): Fragment {
  const { direction, created_from, created_before } = page
  const from = created_from ? sql`and created_at >= ${created_from}` : sql``
  const before = created_before ? sql`and created_at < ${created_before}` : sql``
  if (start === null) return sql`${from} ${before}`
  const { created_at, payment_id } = start
  return direction === 'older'
    ? sql`${from} ${before} and (created_at, payment_id) < (${created_at}, ${payment_id})`
    : sql`${from} ${before} and (created_at, payment_id) > (${created_at}, ${payment_id})`
}
