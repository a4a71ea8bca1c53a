// The SQL that lists a merchant's journal, newest first, along its key, and notes who reads it.

import { installation_id, type JournalLine } from '../../audit/journal.ts'
import { wholeOf } from '../../database/cells/cells.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import { emailKey } from '../../payments/payment.ts'
import { endOf, lineSpan, lines_max } from '../../payments/reading/line-look.ts'
import { counted_max, type SpanFilters } from '../../payments/reading/list-filters.ts'

export type AuditFilters = Partial<Omit<SpanFilters, 'mode'>> & {
  merchant_id: string
  /** As lines spell it, such as `user usr_…`. */
  actor?: string | undefined
  change?: string | undefined
  by?: 'people' | undefined
  /** What stands before the dot of a change. */
  beginnings?: readonly string[] | undefined
  search?: Search | undefined
}

/** What is looked for in the ids, the names and the change of a line; as a whole, in its payment's order and email. */
export type Search = {
  text: string
  /** The changes that the text means in the words of the page, with an underscore in place of the dot. */
  changes: string[]
}

export type AuditLine = {
  entry_id: string
  at: Date
  change: string
  subject: string
  /** The session that it belongs to, if it belongs to one. */
  session_id: string | null
  actor: string
  request_id: string | null
  detail: Record<string, unknown>
  /** Of the payment that a line of the rules is about; null for all other lines. */
  hold_deadline: Date | null
}

/** The merchant's own lines, and those of the installation about its members since they joined, such as their sign-ins. */
export async function listAuditLines(
  sql: Sql,
  filters: AuditFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<AuditLine>> {
  const { merchant_id, actor, by, change, beginnings, search } = filters
  const all = sql`true`
  const ofActor = actor === undefined ? all : sql`actor = ${actor}`
  const ofPeople = by === undefined ? all : sql`(actor = 'operator' or actor like 'user %')`
  const ofChange = change === undefined ? all : sql`change = ${change}`
  const ofKind = beginnings ? sql`split_part(change, '.', 1) = any(${[...beginnings]})` : all
  const ofSearch = search ? hasText(sql, search) : all
  const newest = (id: string) => sql`
    select entry_id, at, change, subject, session_id, actor, request_id, detail, merchant_id = ${merchant_id} as is_own
    from journal
    where merchant_id = ${id} ${lineSpan(sql, filters, behind)}
    order by entry_id desc limit ${lines_max}`
  const named = search
    ? sql`, named as (${namedOnLines(sql, merchant_id, search.text)}), paid as (${sessionsPaid(sql, merchant_id, search.text)})`
    : sql``
  const found = await sql<(AuditLine & { place: number; is_match: boolean })[]>`
    with lines as materialized (
      select * from ((${newest(merchant_id)}) union all (${newest(installation_id)})) l
      order by entry_id desc limit ${lines_max}
    ) ${named}
    select n.*, (
      select deadline from holds
      where n.actor = 'rules' and merchant_id = ${merchant_id} and payment_id = n.subject) as hold_deadline
    from (
      select l.*, row_number() over (order by entry_id desc)::int as place,
        (is_own or exists (
          select 1 from memberships m
          where m.merchant_id = ${merchant_id} and m.created_at <= l.at
            -- Of a link that opens an account anew, the line names the account.
            and m.user_id in (l.subject, l.detail->>'user_id')
        )) and ${ofActor} and ${ofPeople} and ${ofChange} and ${ofKind} and ${ofSearch} as is_match
      from lines l
    ) n
    where is_match or place = ${lines_max}
    order by entry_id desc limit ${limit}`
  return { rows: found.filter(({ is_match }) => is_match), ended_at: endOf(found.at(-1)) }
}

/** The order of the line's session, and the reason of the refund that it is about. */
export type LineFacts = { order_reference: string | null; refund_reason: string | null }

/** In the order of the lines, which are those of one page: each costs two looks. */
export async function readLineFacts(sql: Sql, merchant_id: string, lines: AuditLine[]): Promise<LineFacts[]> {
  const keys = lines.map(({ session_id, subject, change, detail }, place) => {
    return { place, session_id, refund_id: change.startsWith('refund.') ? (detail.refund_id ?? subject) : null }
  })
  return sql<LineFacts[]>`
    select (
        select order_reference from sessions
        where merchant_id = ${merchant_id} and session_id = l.session_id) as order_reference, (
        select reason from refunds
        where merchant_id = ${merchant_id} and refund_id = l.refund_id) as refund_reason
    from json_to_recordset(${keys as never}::json) as l (place integer, session_id text, refund_id text)
    order by l.place`
}

/** The people and keys on the lines whose name has the text, in any case. A present member's address counts, too. */
function namedOnLines(sql: Sql, merchant_id: string, text: string): Fragment {
  const onLines = sql`select subject from lines union select split_part(actor, ' ', 2) from lines`
  const matches = (names: Fragment) => sql`position(${text.toLowerCase()} in lower(${names})) > 0`
  const address = sql`
    (select u.email from memberships m where m.merchant_id = ${merchant_id} and m.user_id = u.user_id)`
  return sql`
    select u.user_id as id from users u
    where u.user_id in (${onLines}) and ${matches(sql`concat_ws(' ', u.name, ${address})`)}
    union all
    select key_id from api_keys
    where merchant_id = ${merchant_id} and key_id in (${onLines}) and ${matches(sql`name`)}`
}

/** The sessions of the newest payments that have the text as their order or email. */
function sessionsPaid(sql: Sql, merchant_id: string, text: string): Fragment {
  const newest = (having: Fragment) => sql`(
    select session_id from payments where merchant_id = ${merchant_id} and mode = m.mode and ${having}
    order by created_at desc, payment_id desc limit ${counted_max})`
  return sql`
    select p.session_id from (values ('test'), ('live')) m (mode) cross join lateral (
      ${newest(sql`order_reference = ${text}`)} union all ${newest(sql`customer_email = ${emailKey(text)}`)}) p`
}

/** `sign in` finds `sign_in.succeeded`. */
function hasText(sql: Sql, { text, changes }: Search): Fragment {
  return sql`(
    position(${text.toLowerCase()} in
      lower(concat_ws(' ', change, translate(change, '._', '  '), subject, actor, request_id))) > 0
    or replace(change, '.', '_') = any(${changes})
    or session_id in (select session_id from paid)
    or subject in (select id from named) or split_part(actor, ' ', 2) in (select id from named)
  )`
}

const reading_ms = 15 * 60_000

/** Writes the line where the member has not read the journal for a quarter of an hour. */
export async function noteReading(sql: Sql, { user_id, line }: { user_id: string; line: JournalLine }): Promise<void> {
  const { merchant_id, at } = line
  const before = new Date(at.getTime() - reading_ms)
  await wholeOf(sql)`
    with begun as (
      update memberships set journal_read_at = ${at}
      where merchant_id = ${merchant_id} and user_id = ${user_id}
        and coalesce(journal_read_at <= ${before}, true)
      returning 1
    )
    insert into journal ${rowIf(wholeOf(sql), line, 'begun')}`
}
