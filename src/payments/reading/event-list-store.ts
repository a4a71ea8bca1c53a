// The SQL that lists events, newest first, by the journal's lines that were written with them.

import type { Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { AnyEventType } from '../../kernel/values.ts'
import { isOfLine } from '../../webhooks/stream/event-line-store.ts'
import { endOf, lineSpan, lines_max } from './line-look.ts'
import type { SpanFilters } from './list-filters.ts'

export type EventFilters = SpanFilters & {
  merchant_id: string
  type: AnyEventType | undefined
  /** Its own events, and those of its refunds and disputes. */
  payment_id: string | undefined
}

/** `body` is what receivers get, byte for byte. */
export type ListedEvent = { entry_id: string; body: string }

type Row = { entry_id: string; place: number; body: string | null }

export async function listEvents(
  sql: Sql,
  filters: EventFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<ListedEvent>> {
  const { merchant_id, mode, type, payment_id } = filters
  const typed = type === undefined ? sql`` : sql`and n.change = ${type}`
  // A payment's lines are found by its session.
  const ofSession =
    payment_id === undefined
      ? sql``
      : sql`and change <> 'session.created' and session_id = (
          select session_id from payments where merchant_id = ${merchant_id} and payment_id = ${payment_id})`
  const ofPayment =
    payment_id === undefined
      ? sql``
      : sql`and (n.subject = ${payment_id} or exists (
          select 1 from refunds where merchant_id = ${merchant_id} and refund_id = n.subject
            and payment_id = ${payment_id} offset 0) or exists (
          select 1 from disputes where merchant_id = ${merchant_id} and dispute_id = n.subject
            and payment_id = ${payment_id} offset 0))`
  // Lines of early releases have no mode, but the events do.
  const ofMode = mode ? sql`and coalesce(n.detail->>'mode', body::json->'data'->>'mode') = ${mode}` : sql``
  const found = await sql<Row[]>`
    select n.entry_id, n.place, e.body from (
      select l.*, row_number() over (order by entry_id desc)::int as place from (
        select entry_id, subject, change, detail from journal
        where merchant_id = ${merchant_id} ${ofSession} ${lineSpan(sql, filters, behind)}
        order by entry_id desc limit ${lines_max}
      ) l
    ) n
    left join lateral (
      select body from events
      where (n.change like 'payment.%' or n.change like 'refund.%' or n.change like 'dispute.%') ${typed} ${ofPayment}
        and merchant_id = ${merchant_id} and payment_id = n.subject and events.type = n.change ${ofMode}
        and ${isOfLine(sql, sql`n.entry_id`)} offset 0
    ) e on true
    where e.body is not null or n.place = ${lines_max}
    order by n.entry_id desc limit ${limit}`
  const rows = found.flatMap(({ entry_id, body }) => (body === null ? [] : [{ entry_id, body }]))
  return { rows, ended_at: endOf(found.at(-1)) }
}
