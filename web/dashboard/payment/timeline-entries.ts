// The life of a payment as entries in order of time: lines of the journal, events, deliveries, and what is still to come.

import type { Timeline, TimelineEvent, TimelineLine } from '../client/answers.ts'

export type Entry = {
  key: string
  at: string
  kind: 'line' | 'event' | 'delivery' | 'ahead'
  /** Such as `payment.captured`; of a delivery its status. */
  what: string
  who: string | null
  request_id: string | null
  detail: Record<string, unknown>
}

/** Newest last, as it happened; what lies ahead stands at the end. */
export function entriesOf({ lines, events }: Timeline): Entry[] {
  const entries = [...lines.map(ofLine), ...events.flatMap(ofEvent)]
  // Entries of the same time keep their order: a line, its event, then the event's deliveries.
  return entries.sort((a, b) => rank(a) - rank(b) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function rank({ kind }: Entry): number {
  return kind === 'ahead' ? 1 : 0
}

function ofLine({ entry_id, at, change, actor, request_id, subject, detail }: TimelineLine): Entry {
  return {
    key: entry_id,
    at,
    kind: 'line',
    what: change,
    who: actor,
    request_id,
    detail: { subject, ...detail },
  }
}

function ofEvent({ event_id, type, created_at, deliveries }: TimelineEvent): Entry[] {
  const shared = { who: null, request_id: null }
  return [
    { key: event_id, at: created_at, kind: 'event', what: type, ...shared, detail: { event_id } },
    ...deliveries.flatMap(({ delivery_id, endpoint_url, attempts, next_attempt_at }) => [
      ...attempts.map(
        (attempt): Entry => ({
          key: `${delivery_id} ${attempt.attempt_number}`,
          at: attempt.occurred_at,
          kind: 'delivery',
          what: attempt.status,
          ...shared,
          detail: {
            endpoint_url,
            attempt_number: attempt.attempt_number,
            response_status_code: attempt.response_status_code,
            failure: attempt.failure,
            duration_ms: attempt.duration_ms,
          },
        }),
      ),
      ...(next_attempt_at === null
        ? []
        : [
            {
              key: `${delivery_id} next`,
              at: next_attempt_at,
              kind: 'ahead' as const,
              what: 'delivery',
              ...shared,
              detail: { endpoint_url },
            },
          ]),
    ]),
  ]
}
