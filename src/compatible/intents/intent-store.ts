// The SQL that reads payment intents and charges.

import { withDates } from '../../database/driver/rows.ts'
import type { AnySql, Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Hold } from '../../payments/hold.ts'
import { endOf, lineOrder, lineSpan, lines_max } from '../../payments/reading/line-look.ts'
import type { Session } from '../../payments/session.ts'
import type { ThreeDsStep } from '../../payments/three-ds-states.ts'
import type { ChargeRow } from '../charges/charge.ts'
import type { Look, PageRequest } from '../lists.ts'
import type { IntentRows } from './intent.ts'

type IntentRow = Session & Omit<IntentRows, 'session'>

/** What a payment intent shows besides its session `s`. */
const parts = (sql: AnySql) => sql`
  (select row_to_json(h) from holds h
    where h.merchant_id = s.merchant_id and h.payment_id = s.payment_id) as hold,
  (select json_build_object('capture', i.capture, 'mode_setting', i.mode_setting)
    from integrations i where i.merchant_id = s.merchant_id and i.integration_id = s.integration_id) as rules,
  (select json_build_object('payment_id', p.payment_id, 'status', p.status, 'captured_amount', p.captured_amount,
      'capture_method', p.capture_method, 'created_at', p.created_at)
    from payments p where p.merchant_id = s.merchant_id and p.payment_id = s.payment_id) as payment,
  (select json_build_object('phase', a.phase, 'three_ds_state', a.three_ds_state, 'brand', a.brand,
      'challenge_expires_at', a.challenge_expires_at, 'authentication_outcome', a.authentication_outcome)
    from attempts a where a.merchant_id = s.merchant_id and a.session_id = s.session_id
    order by a.number desc limit 1) as step`

function rowsOf({ rules, payment, hold, step, ...session }: IntentRow): IntentRows {
  return {
    session,
    rules,
    payment: payment && withDates<NonNullable<IntentRows['payment']>>(payment, ['created_at']),
    hold: hold && withDates<Hold>(hold, ['deadline', 'decided_at']),
    step: step && withDates<ThreeDsStep>(step, ['challenge_expires_at']),
  }
}

/** Reads all rows of a payment intent as they were at one moment. */
export async function findIntent(
  sql: Sql,
  { merchant_id, session_id }: { merchant_id: string; session_id: string },
): Promise<IntentRows | undefined> {
  const [row] = await sql<IntentRow[]>`
    select s.*, ${parts(sql)} from sessions s where s.merchant_id = ${merchant_id} and s.session_id = ${session_id}`
  return row && rowsOf(row)
}

/** The payment intents among these sessions, in no order. */
export async function findIntents(sql: Sql, merchant_id: string, session_ids: string[]): Promise<IntentRows[]> {
  const rows = await sql<IntentRow[]>`
    select s.*, ${parts(sql)} from sessions s
    where s.merchant_id = ${merchant_id} and s.session_id = any(${session_ids})`
  return rows.map(rowsOf)
}

type IntentFilters = { merchant_id: string; mode: Mode | null }

/**
 * A page of payment intents from the nearest on, by the journal's lines about their creation; one more than the page has. Undefined
 * where the edge is none of them.
 */
export async function listIntents(
  sql: Sql,
  { merchant_id, mode }: IntentFilters,
  page: PageRequest,
): Promise<Look<IntentRows> | undefined> {
  const behind = page.edge === null ? null : await lineOfSession(sql, { merchant_id, mode, session_id: page.edge })
  if (behind === undefined) return undefined
  const ofMode = mode ? sql`and mode = ${mode}` : sql``
  const order = lineOrder(sql, page.direction)
  const rows = await sql<(IntentRow & { entry_id: string; place: number })[]>`
    select s.*, ${parts(sql)} from (
      select s.*, n.entry_id, n.place from (
        select l.*, row_number() over (${order})::int as place from (
          select entry_id, subject, change from journal
          where merchant_id = ${merchant_id} ${lineSpan(sql, page, behind, page.direction)}
          ${order} limit ${lines_max}
        ) l
      ) n
      left join lateral (
        select * from sessions
        where n.change = 'session.created' and merchant_id = ${merchant_id} and session_id = n.subject ${ofMode} offset 0
      ) s on true
      where s.session_id is not null or n.place = ${lines_max}
      ${order} limit ${page.limit + 1}
    ) s
    ${order}`
  const ended_at = endOf(rows.at(-1))
  const intents = rows.filter(({ session_id }) => session_id !== null)
  return { rows: intents.map(({ entry_id: _entry, place: _place, ...row }) => rowsOf(row)), ended_at }
}

/**
 * The journal's line of a session's creation; undefined where there is no such session. The line is found by its time: no index has
 * the sessions of these lines.
 */
async function lineOfSession(
  sql: Sql,
  { merchant_id, mode, session_id }: IntentFilters & { session_id: string },
): Promise<string | undefined> {
  const [session] = await sql<Pick<Session, 'mode' | 'created_at'>[]>`
    select mode, created_at from sessions where merchant_id = ${merchant_id} and session_id = ${session_id}`
  if (!session || (mode !== null && session.mode !== mode)) return undefined
  const first_id = idsFrom(session.created_at)
  const [line] = await sql<{ entry_id: string }[]>`
    select entry_id from journal
    where merchant_id = ${merchant_id} and entry_id >= ${first_id}
      and entry_id < ${idsFrom(new Date(session.created_at.getTime() + 1))}
      and change = 'session.created' and subject = ${session_id}`
  return line?.entry_id ?? first_id
}

const chargeColumns = (sql: AnySql) => sql`
  p.payment_id, p.session_id, p.status, p.amount, p.captured_amount, p.currency, p.mode, p.created_at, p.refunded_amount, p.dispute,
  p.card_brand, p.card_last4, s.metadata, s.customer, s.statement_descriptor_suffix
  from payments p join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id`

export async function findCharge(
  sql: Sql,
  { merchant_id, payment_id }: { merchant_id: string; payment_id: string },
): Promise<ChargeRow | undefined> {
  const [row] = await findCharges(sql, merchant_id, [payment_id])
  return row
}

/** In no order. */
export async function findCharges(sql: Sql, merchant_id: string, payment_ids: string[]): Promise<ChargeRow[]> {
  return sql<ChargeRow[]>`
    select ${chargeColumns(sql)} where p.merchant_id = ${merchant_id} and p.payment_id = any(${payment_ids})`
}
