// The SQL that lists sessions, newest first, by the journal's lines about their creation.

import { withDates } from '../../database/driver/rows.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { Hold } from '../hold.ts'
import type { Session } from '../session.ts'
import { endOf, lineSpan, lines_max } from './line-look.ts'
import type { SpanFilters } from './list-filters.ts'

export type SessionFilters = SpanFilters & {
  merchant_id: string
  status: Session['status'] | 'expired' | undefined
  order_reference: string | undefined
  /** A part of the order reference or, where `in_emails` says so, of the email; without regard to case. */
  text?: string | undefined
  in_emails?: boolean
  three_ds?: ThreeDsEnd | undefined
}

/** What became of 3-D Secure at a card of the session. */
export const threeDsEnds = ['frictionless', 'challenged', 'abandoned', 'failed'] as const
export type ThreeDsEnd = (typeof threeDsEnds)[number]

/** A session with the hold of its payment, and the journal line of its creation. */
export type ListedSession = Session & { hold: Hold | null; entry_id: string }

type Row = ListedSession & { place: number }

export async function listSessions(
  sql: Sql,
  filters: SessionFilters,
  { behind, limit, now }: { behind: string | null; limit: number; now: Date },
): Promise<FoundRows<ListedSession>> {
  const { merchant_id } = filters
  const found = await sql<Row[]>`
    select r.*, (
      select row_to_json(h) from holds h
      where h.merchant_id = r.merchant_id and h.payment_id = r.payment_id) as hold
    from (
      select s.*, n.entry_id, n.place from (
        select l.*, row_number() over (order by entry_id desc)::int as place from (
          select entry_id, subject, change from journal
          where merchant_id = ${merchant_id} ${lineSpan(sql, filters, behind)}
          order by entry_id desc limit ${lines_max}
        ) l
      ) n
      left join lateral (
        select * from sessions
        where n.change = 'session.created' and merchant_id = ${merchant_id} and session_id = n.subject
          ${statusIs(sql, filters.status, now)} ${isWanted(sql, filters)} offset 0
      ) s on true
      where s.session_id is not null or n.place = ${lines_max}
      order by n.entry_id desc limit ${limit}
    ) r
    order by r.entry_id desc`
  const rows = found
    .filter(({ session_id }) => session_id !== null)
    .map((row) => ({ ...row, hold: row.hold && withDates(row.hold, ['deadline', 'decided_at']) }))
  return { rows, ended_at: endOf(found.at(-1)) }
}

/** Of these sessions those that fit the filters and were neither paid nor are being charged; in no order. */
export async function listUnpaidAmong(
  sql: Sql,
  session_ids: string[],
  filters: Omit<SessionFilters, 'created_from' | 'created_before' | 'status'>,
): Promise<Omit<ListedSession, 'entry_id'>[]> {
  const { merchant_id } = filters
  const sessions = await sql<Session[]>`
    select * from sessions
    where merchant_id = ${merchant_id} and session_id = any(${session_ids})
      and status not in ('processing', 'succeeded') ${isWanted(sql, filters)}`
  return sessions.map((session) => ({ ...session, hold: null }))
}

/** As `statusAt` says. */
function statusIs(sql: Sql, status: SessionFilters['status'], now: Date): Fragment {
  switch (status) {
    case undefined:
      return sql``
    case 'expired':
      return sql`and status = 'requires_payment' and (expires_at <= ${now} or cancellation is not null)`
    case 'requires_payment':
      return sql`and status = 'requires_payment' and expires_at > ${now} and cancellation is null`
    default:
      return sql`and status = ${status}`
  }
}

/** What is asked of a row of `sessions`, apart from its time and status. */
function isWanted(sql: Sql, filters: Omit<SessionFilters, 'created_from' | 'created_before' | 'status'>): Fragment {
  const { merchant_id, mode, order_reference, three_ds } = filters
  const ofMode = mode ? sql`and mode = ${mode}` : sql``
  const ofOrder = order_reference === undefined ? sql`` : sql`and order_reference = ${order_reference}`
  const hasAttempt =
    three_ds === undefined
      ? sql``
      : sql`and exists (
    select 1 from attempts a
    where a.merchant_id = ${merchant_id} and a.session_id = sessions.session_id and ${endedAs(sql, three_ds)} offset 0)`
  return sql`${ofMode} ${ofOrder} ${hasText(sql, filters)} ${hasAttempt}`
}

function hasText(sql: Sql, { text, in_emails = false }: Pick<SessionFilters, 'text' | 'in_emails'>): Fragment {
  if (text === undefined) return sql``
  const part = text.toLowerCase()
  const email = in_emails ? sql`or strpos(lower(customer->>'email'), ${part}) > 0` : sql``
  return sql`and (strpos(lower(order_reference), ${part}) > 0 ${email})`
}

/** As the overview counts them. */
function endedAs(sql: Sql, end: ThreeDsEnd): Fragment {
  switch (end) {
    case 'frictionless':
      return sql`challenge_expires_at is null and three_ds_state in ('authenticated', 'attempted', 'informational')`
    case 'challenged':
      return sql`challenge_expires_at is not null and three_ds_state in ('authenticated', 'attempted')`
    case 'abandoned':
      return sql`challenge_expires_at is not null
        and (${isChallengeLeft(sql)}
          or three_ds_state not in ('authenticated', 'attempted', 'failed', 'rejected', 'unavailable'))`
    case 'failed':
      return sql`three_ds_state in ('failed', 'rejected', 'unavailable', 'not_enrolled') and not ${isChallengeLeft(sql)}`
  }
}

/**
 * Of a row of attempts: whether the shopper left its challenge, or did not finish it in time, as `failureOf` of `attempt.ts` tells
 * these from a check that was not passed.
 */
export function isChallengeLeft(sql: AnySql): Fragment {
  const outcome = (member: string) => sql`coalesce(authentication_outcome->>${member}, '')`
  return sql`(challenge_expires_at is not null and three_ds_state = 'failed'
    and (${outcome('challenge_cancel')} in ('01', '04', '05') or ${outcome('reason')} = '14'))`
}
