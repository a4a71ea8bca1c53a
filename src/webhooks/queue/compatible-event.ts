// An event that is told in the other platform's words alone: a row of `events` of its own, written in the statement of the change that it
// tells of, which no native list, stream or endpoint shows.

import { type Actor, type JournalLine, journalLine } from '../../audit/journal.ts'
import { rowIf } from '../../database/driver/rows.ts'
import type { AnySql } from '../../database/open.ts'
import type { Ids } from '../../kernel/ids.ts'
import { api_version, type CompatibleOnlyType, type Mode, timestamp } from '../../kernel/values.ts'
import { type EarlierEvent, fanOut, type QueuedEvent } from './fan-out.ts'

/** What the event tells of. `data` is frozen: its object is shown from that alone. */
export type CompatibleFacts = {
  merchant_id: string
  /** Sessions (`cs_…`) and Checkout Sessions (`cs_test_…`) have events of sequence 1 and 2 of their own. */
  subject: string
  /** The native session of the change; null where there is none. */
  session_id: string | null
  type: CompatibleOnlyType
  sequence: 1 | 2
  mode: Mode
  data: object
  actor: Actor
  request_id: string | null
  at: Date
}

export type CompatibleEvent = { event: QueuedEvent & { body: string }; mode: Mode; line: JournalLine }

export function compatibleEvent(ids: Pick<Ids, 'event' | 'journalEntry'>, facts: CompatibleFacts): CompatibleEvent {
  const { merchant_id, subject, session_id, type, sequence, mode, actor, request_id, at } = facts
  const event_id = ids.event(at)
  const envelope = {
    ...{ id: event_id, type, created: timestamp(at), api_version, merchant_id, sequence },
    data: { mode, ...facts.data },
  }
  return {
    event: {
      merchant_id,
      payment_id: subject,
      sequence,
      event_id,
      type,
      created_at: at,
      body: JSON.stringify(envelope),
    },
    mode,
    // Streams and lists find the event by this line: same subject, with the event's type as `change`.
    line: journalLine(ids, {
      ...{ merchant_id, session_id, subject, change: type, actor, request_id, at },
      detail: { event_id },
    }),
  }
}

/** What a shopper or a shop said, in the frozen rows of what nobody paid. */
const saidOf = {
  checkout: {
    ...{ email: null, customer_email: null, client_reference_id: null, metadata: {} },
    ...{ success_url: '', cancel_url: null },
  },
  session: { customer: null, metadata: {}, statement_descriptor_suffix: null },
}

/** The body of the event `e` once its row is deleted: without what a shopper or a shop said. */
export function withoutShopper(sql: AnySql, name: keyof typeof saidOf) {
  const path = ['data', name]
  return sql`jsonb_set(e.body::jsonb, ${path}::text[], (e.body::jsonb #> ${path}::text[]) || ${JSON.stringify(saidOf[name])}::text::jsonb)::text`
}

/**
 * The CTEs that write the event, its deliveries and its line if the CTE `gate` has a row. An event of this subject and
 * sequence that is there already stays alone: the change itself must not fail by it. `behind` as in `fanOut`.
 */
export function compatibleEventRows(
  sql: AnySql,
  { event, mode, line }: CompatibleEvent,
  gate = 'gate',
  behind?: readonly EarlierEvent[],
) {
  return sql`
    compatible_event as (insert into events ${rowIf(sql, event, gate)} on conflict do nothing returning 1
    ), compatible_told as (${fanOut(sql, { event, mode }, 'compatible_event', behind)}
    ), compatible_line as (insert into journal ${rowIf(sql, line, 'compatible_event')}
    )`
}
