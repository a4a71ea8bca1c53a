// The life of a payment or session as entries in order of time: lines of the journal, what the shopper was refused, events, for each
// endpoint how its delivery stands, and what is still to come.

import type { Timeline, TimelineEvent, TimelineLine } from '../client/answers.ts'

type Delivery = TimelineEvent['deliveries'][number]
type Try = Delivery['attempts'][number]

export type Entry = {
  key: string
  at: string
  kind: 'line' | 'refusal' | 'event' | 'delivery' | 'end' | 'ahead'
  /** Such as `payment.captured`; of a refusal its code, of a delivery how it stands. */
  what: string
  who: string | null
  request_id: string | null
  detail: Record<string, unknown>
  /** Of a delivery. */
  sending?: Sending
}

export type Sending = {
  event_type: string
  endpoint_url: string | null
  /** Those of its replays, too. */
  tries: number
  /** Null before the first. */
  last: Try | null
  next_at: string | null
  held_until: string | null
}

/** Newest last, as it happened, with `more` that the answer does not have; what lies ahead stands at the end. */
export function entriesOf({ lines, refusals, events, attempts }: Timeline, more: Entry[] = []): Entry[] {
  const told = [...lines.map(ofLine), ...attempts.flatMap(ofChallenge), ...refusals.map(ofRefusal)]
  const entries = [...told, ...events.flatMap(ofEvent), ...more]
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

/** The end of a challenge that nobody came back from. */
function ofChallenge({ attempt_id, authentication_failure: failure }: Timeline['attempts'][number]): Entry[] {
  if (!failure?.unrecorded_since) return []
  const { code: what, unrecorded_since: at } = failure
  const detail = { subject: attempt_id, decline_code: what }
  return [{ key: `${attempt_id} end`, at, kind: 'end', what, who: null, request_id: null, detail }]
}

function ofRefusal({ request_id, at, code, ...detail }: Timeline['refusals'][number]): Entry {
  return { key: request_id, at, kind: 'refusal', what: code ?? '', who: null, request_id, detail: { code, ...detail } }
}

function ofEvent({ event_id, type, created_at, deliveries }: TimelineEvent): Entry[] {
  const shared = { who: null, request_id: null }
  const atEndpoints = Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id)
  return [
    { key: event_id, at: created_at, kind: 'event', what: type, ...shared, detail: { event_id } },
    ...[...atEndpoints].map(([endpoint_id, each]): Entry => {
      const { what, at, sending } = standingOf(type, each)
      const detail = { event_id, endpoint_id, endpoint_url: sending.endpoint_url, ...triesIn(each) }
      return { key: `${event_id} ${endpoint_id}`, at, kind: 'delivery', what, ...shared, detail, sending }
    }),
  ]
}

/** The newest delivery of each event to each endpoint that has not heard it. */
export function missingIn({ events }: Timeline): { type: TimelineEvent['type']; delivery: Delivery }[] {
  return events.flatMap(({ type, deliveries }) =>
    [...Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id).values()]
      .filter((each) => standingOf(type, each).what !== 'succeeded')
      .map((each) => ({ type, delivery: newestOf(each) })),
  )
}

function newestOf(deliveries: Delivery[]): Delivery {
  return deliveries.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1)).at(-1)!
}

/** All tries at one endpoint, replays included, as one: what was heard once was heard. */
function standingOf(event_type: string, deliveries: Delivery[]): Pick<Entry, 'what' | 'at'> & { sending: Sending } {
  const newest = newestOf(deliveries)
  const tries = triesOf(deliveries)
  const success = tries.find(({ status }) => status === 'succeeded')
  const last = success ?? tries.at(-1) ?? null
  const { endpoint_url, held_until, next_attempt_at: next_at, created_at } = newest
  const sending = { event_type, endpoint_url, tries: tries.length, last, next_at, held_until }
  return { what: success ? 'succeeded' : stateOf(newest), at: last?.occurred_at ?? created_at, sending }
}

function stateOf({ status, settled_at, held_until, next_attempt_at, attempts }: Delivery): string {
  if (settled_at !== null) return status
  if (held_until !== null) return 'paused'
  return next_attempt_at !== null && attempts.length > 0 ? 'retrying' : 'pending'
}

function triesOf(deliveries: Delivery[]): Try[] {
  return deliveries.flatMap(({ attempts }) => attempts).sort((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))
}

/** Each try in a line, for developers. */
function triesIn(deliveries: Delivery[]): Record<string, string> {
  const lines = triesOf(deliveries).map(
    ({ occurred_at, status, response_status_code, failure, duration_ms }, index) => {
      const took = duration_ms === null ? null : `${duration_ms} ms`
      const parts = [occurred_at, status, response_status_code, failure, took]
      return [`try ${index + 1}`, parts.filter((part) => part !== null).join(' · ')]
    },
  )
  return Object.fromEntries(lines)
}

/** Of a charge that never came to the acquirer the refusal of its reversal is good news. */
export function foundNothing({ what, detail }: Pick<Entry, 'what' | 'detail'>): boolean {
  return what === 'reverse.refused' && detail.authorisation_state === 'reversing'
}
