// The SQL of events in the other platform's words: the facts that their bodies lack, and their list.

import { withDates } from '../../database/driver/rows.ts'
import type { Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import type { Mode, StoredEventType } from '../../kernel/values.ts'
import { endOf, lineOrder, lineSpan, lines_max } from '../../payments/reading/line-look.ts'
import { isOfLine } from '../../webhooks/stream/event-line-store.ts'
import { endpointFacts } from '../endpoints/endpoint-store.ts'
import type { Look, PageRequest } from '../lists.ts'
import type { EventFacts, FrozenBody } from './event.ts'

/** An event with its parsed body. */
export type ReadEvent = { merchant_id: string; payment_id: string; sequence: number; body: FrozenBody }

export const noFacts: EventFacts = {
  session: null,
  payment: null,
  refunded_amount: null,
  refund_metadata: null,
  is_disputed: null,
  checkout: null,
  endpoint: null,
}

/** The facts of each event, in their order. Those that the other platform alone has are whole by themselves. */
export async function readEventFacts(sql: Sql, events: readonly ReadEvent[]): Promise<EventFacts[]> {
  const keys = events.flatMap(
    ({ merchant_id, payment_id: subject, sequence, body: { id: event_id, type, data } }, place) => {
      const { checkout_session_id: session_id, payment_id, endpoint_id } = data
      const key = { place, merchant_id, subject, sequence, session_id, payment_id, endpoint_id, event_id }
      return isWhole(type) ? [] : [key]
    },
  )
  if (keys.length === 0) return events.map(() => noFacts)
  const rows = await sql<(EventFacts & { place: number })[]>`
    select k.place, (
      select row_to_json(s) from (
        select created_at, statement_descriptor_suffix, metadata, customer, cancellation from sessions
        where merchant_id = k.merchant_id and session_id = k.session_id offset 0) s
    ) as session, (
      select row_to_json(p) from (
        select session_id, amount, captured_amount, created_at, card_brand, card_last4 from payments
        where merchant_id = k.merchant_id and payment_id = k.payment_id offset 0) p
    ) as payment, (
      select refunded_amount from events
      where merchant_id = k.merchant_id and payment_id = k.subject and sequence = k.sequence
    ) as refunded_amount, (
      select metadata from refunds where merchant_id = k.merchant_id and refund_id = k.subject
    ) as refund_metadata, (
      -- Both ids begin with a second, after a prefix of four letters. What came later must not change what was told.
      select exists (
        select from disputes where merchant_id = k.merchant_id and payment_id = k.payment_id
          and substr(dispute_id, 5, 8) < substr(k.event_id, 5, 8))
    ) as is_disputed, (
      select row_to_json(c) from checkout_sessions c
      where c.merchant_id = k.merchant_id and c.checkout_session_id = k.subject
    ) as checkout, (${endpointFacts(sql)}) as endpoint
    from json_to_recordset(${keys as never}::json) as k (
      place integer, merchant_id text, subject text, sequence integer, session_id text, payment_id text, endpoint_id text,
      event_id text)`
  const facts = new Map(rows.map(({ place, ...row }) => [place, datedFacts(row)]))
  return events.map((_, place) => facts.get(place) ?? noFacts)
}

function isWhole(type: FrozenBody['type']): boolean {
  return type === 'payment_intent.canceled' || type === 'checkout.session.expired'
}

function datedFacts({ session, payment, endpoint, ...rest }: EventFacts): EventFacts {
  return {
    ...rest,
    session: session && withDates<NonNullable<EventFacts['session']>>(session, ['created_at']),
    payment: payment && withDates<NonNullable<EventFacts['payment']>>(payment, ['created_at']),
    endpoint: endpoint && withDates<NonNullable<EventFacts['endpoint']>>(endpoint, ['created_at']),
  }
}

export type EventFilters = { merchant_id: string; mode: Mode | null; types: readonly StoredEventType[] }

type Row = { entry_id: string; place: number; payment_id: string; sequence: number; body: string | null }

/**
 * A page of events from the nearest on, by the journal's lines that were written with them; one more than the page has. Undefined
 * where the edge is none of the merchant's.
 */
export async function listEvents(
  sql: Sql,
  { merchant_id, mode, types }: EventFilters,
  page: PageRequest,
): Promise<Look<ReadEvent> | undefined> {
  const edge = page.edge === null ? null : await findEvent(sql, { merchant_id, mode, event_id: page.edge })
  if (edge === undefined) return undefined
  const order = lineOrder(sql, page.direction)
  const found = await sql<Row[]>`
    select n.entry_id, n.place, e.payment_id, e.sequence, e.body from (
      select l.*, row_number() over (${order})::int as place from (
        select entry_id, subject, change from journal
        where merchant_id = ${merchant_id} ${lineSpan(sql, page, edge?.entry_id ?? null, page.direction)}
        ${order} limit ${lines_max}
      ) l
    ) n
    left join lateral (
      select payment_id, sequence, body from events
      where n.change = any(${types}) and merchant_id = ${merchant_id} and payment_id = n.subject
        and events.type = n.change ${ofMode(sql, mode)} and ${isOfLine(sql, sql`n.entry_id`)} offset 0
    ) e on true
    where e.body is not null or n.place = ${lines_max}
    ${order} limit ${page.limit + 1}`
  const rows = found.flatMap(({ payment_id, sequence, body }) =>
    body === null ? [] : [{ merchant_id, payment_id, sequence, body: JSON.parse(body) as FrozenBody }],
  )
  return { rows, ended_at: endOf(found.at(-1)) }
}

function ofMode(sql: Sql, mode: Mode | null) {
  return mode === null ? sql`` : sql`and body::json->'data'->>'mode' = ${mode}`
}

/**
 * The event with this id, and its line; undefined where there is none. No index has event ids, but each begins with its second, and so
 * do the lines.
 */
export async function findEvent(
  sql: Sql,
  { merchant_id, mode, event_id }: Omit<EventFilters, 'types'> & { event_id: string },
): Promise<(ReadEvent & { entry_id: string }) | undefined> {
  const [, second] = /^evt_([0-9a-f]{8})[0-9a-f]{16}$/.exec(event_id) ?? []
  if (second === undefined) return undefined
  const begin_ms = Number.parseInt(second, 16) * 1000
  const [row] = await sql<(Omit<Row, 'body'> & { body: string })[]>`
    select n.entry_id, e.payment_id, e.sequence, e.body from journal n
    cross join lateral (
      select payment_id, sequence, body from events
      where merchant_id = ${merchant_id} and payment_id = n.subject and events.type = n.change
        and event_id = ${event_id} ${ofMode(sql, mode)} offset 0
    ) e
    where n.merchant_id = ${merchant_id} and n.entry_id >= ${idsFrom(new Date(begin_ms))}
      and n.entry_id < ${idsFrom(new Date(begin_ms + 1000))}`
  return row && { ...row, merchant_id, body: JSON.parse(row.body) as FrozenBody }
}
