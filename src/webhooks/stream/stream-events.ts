// GET /v1/events/stream: a merchant's events as they are committed; `ripper listen` reads it. It adds no work to a
// payment: the journal's key is already in the order of time, and each event has a line in it.

import { z } from 'zod'
import type { Context, StoredEvent } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import { type Feed, type StreamMessage, stream } from '../../http/stream.ts'
import { Refusal } from '../../kernel/errors.ts'
import {
  anyEventTypes,
  compatible_version_words,
  compatibleEventTypes,
  compatibleNameOf,
  compatibleOnlyTypes,
  compatibleVersionForm,
  type EventFormat,
  eventFormats,
  eventTypes,
  type Mode,
  type StoredEventType,
  timestamp,
} from '../../kernel/values.ts'
import { validateCompatibleFilter, validateEventFilter } from '../endpoint.ts'
import { limitTo } from '../rate-limit.ts'
import { type EventLine, type EventOfLine, listEventLines, listEventsOf } from './event-line-store.ts'
import { type StreamedEvent, streamedEvent } from './streamed-event.ts'
import {
  type Cursor,
  cursorOf,
  follow,
  markAllSent,
  markSent,
  nextRead,
  openTrail,
  readCursor,
  retention_days,
  skipLines,
} from './trail.ts'

/** How many bodies are in memory at once, even for a slow caller. */
const bodies_max = 50
/** Events that other processes commit are found within this time. */
const poll_ms = 500

const eventsQuery = z.strictObject({
  format: z
    .enum(eventFormats, { error: `must be ${eventFormats.join(' or ')}` })
    .default('ripper')
    .meta({ description: 'in whose words events are told: as at an endpoint with this event_format' }),
  api_version: z
    .string({ error: 'must be sent once' })
    .regex(compatibleVersionForm, `must ${compatible_version_words}`)
    .optional()
    .meta({ description: 'what events in stripe’s words carry; some of its libraries take no other than their own' }),
  events: z
    .string({ error: 'must be sent once' })
    .optional()
    .meta({
      description: `only these, separated by commas: ${anyEventTypes.join(', ')}; without it those of payments. In stripe’s words: ${compatibleEventTypes.join(', ')}; without it all`,
    }),
  after: z
    .string({ error: 'must be sent once' })
    .optional()
    .meta({
      description: `the last id that came, as the header Last-Event-ID; of the last ${retention_days} days`,
    }),
})

const ready = z.object({ merchant_id: z.string() })
/** The caller resumes from so old a message that not all later ones can be sent. */
const missed = z.object({
  before: z.string().meta({ format: 'date-time', description: 'events from then on are told' }),
})

export const streamEvents = stream({
  method: 'GET',
  path: '/v1/events/stream',
  tag: 'Events',
  summary: 'Listen to events',
  access: webhookKey,
  mode: 'handler',
  dialect: 'webhook_endpoints',
  limit: limitTo('read'),
  query: eventsQuery,
  message: { title: 'EventStreamMessage', note: 'A message of the event stream.' },
  messages: {
    ready,
    missed,
    ...Object.fromEntries([...anyEventTypes, ...compatibleEventTypes].map((type) => [type, streamedEvent])),
  },
  refusals: ['unknown_event_type', 'invalid_pagination'],
  open(context: Context, { holder, query, caller, only_mode, now }): Promise<Feed> {
    const { format, api_version = null } = query
    if (api_version !== null && format === 'ripper') throw noVersion()
    const types = typesOf(format, query.events?.split(','))
    const cursor = cursorFrom(caller.header('last-event-id') ?? query.after)
    const { merchant_id } = holder
    return openFeed(context, { merchant_id, format, api_version, types, only_mode, cursor, now })
  },
})

type EventStreamQuery = {
  merchant_id: string
  format: EventFormat
  /** That of events in the other platform's words; null for the newest. */
  api_version: string | null
  types: readonly StoredEventType[]
  only_mode: Mode | null
  cursor: Cursor | null
  now: Date
}

/** The stored types that a stream tells of. Throws `unknown_event_type`. */
function typesOf(format: EventFormat, filter: string[] | undefined): readonly StoredEventType[] {
  if (format === 'ripper') {
    const types = validateEventFilter(filter, 'events', anyEventTypes)
    return types.length === 0 ? eventTypes : types
  }
  const names = validateCompatibleFilter(filter, 'events')
  const isNamed = (type: StoredEventType) => names.length === 0 || names.includes(compatibleNameOf(type))
  return [...anyEventTypes, ...compatibleOnlyTypes].filter(isNamed)
}

async function openFeed(context: Context, query: EventStreamQuery): Promise<Feed> {
  const { sql, world, hearEvents } = context
  const { merchant_id, format, types, only_mode, cursor, now } = query
  const { trail, missed_before_ms } = openTrail(now.getTime(), cursor)
  const nowMs = () => world.clock.now().getTime()
  const notices = missed_before_ms === null ? [] : [noticeOf(new Date(missed_before_ms))]
  let waiting: EventLine[] = []
  let is_cut = false

  async function readLines(): Promise<EventLine[]> {
    const trailRead = nextRead(trail, nowMs())
    const result = await listEventLines(sql, merchant_id, { ...trailRead, types })
    is_cut = result.some(({ cut_at }) => cut_at !== null)
    return follow(trail, trailRead, result)
  }

  async function nextMessages(): Promise<StreamMessage[]> {
    const lines = waiting.slice(0, bodies_max)
    const events = await listEventsOf(sql, { merchant_id, only_mode, lines })
    const told = format === 'ripper' ? events : await inWords(context, query, events)
    waiting = waiting.slice(bodies_max)
    return told.map(({ entry_id, event_id, type, payment_id, body }) => {
      const data = { event_id, type, payment_id, body }
      return { id: markSent(trail, { entry_id }, nowMs()), event: data.type, data }
    })
  }

  if (cursor === null) {
    do skipLines(trail, await readLines())
    while (is_cut)
  }
  return {
    ready: { event: 'ready', id: cursorOf(trail), data: { merchant_id } },
    poll_ms,
    hear: (wake) => hearEvents(merchant_id, wake),
    async read() {
      if (waiting.length === 0) waiting = await readLines()
      const messages = waiting.length === 0 ? [] : await nextMessages()
      const is_more = is_cut || waiting.length > 0
      return { messages: [...notices.splice(0), ...messages], is_more }
    },
    place: () => (waiting.length === 0 ? markAllSent(trail, nowMs()) : cursorOf(trail)),
  }
}

/** Events with their names and bodies in the other platform's words. */
async function inWords(
  { sql, webhook_sending }: Context,
  { merchant_id, api_version: compatible_version }: EventStreamQuery,
  events: EventOfLine[],
): Promise<(StreamedEvent & { entry_id: string })[]> {
  const stored = events.map((event): StoredEvent => ({ ...event, merchant_id, compatible_version }))
  const bodies = await webhook_sending.inOtherWords(sql, stored)
  return events.map((event, at) => ({ ...event, type: compatibleNameOf(event.type), body: bodies[at]!() }))
}

function noVersion(): Refusal {
  return new Refusal('invalid_request', 'api_version needs format=stripe: events in our own words have none.', {
    field: 'api_version',
  })
}

function noticeOf(before: Date): StreamMessage {
  return { event: 'missed', data: { before: timestamp(before) } }
}

function cursorFrom(text: string | undefined): Cursor | null {
  if (text === undefined) return null
  const cursor = readCursor(text)
  if (cursor) return cursor
  throw new Refusal('invalid_pagination', 'after must be an id that this stream has sent.', {
    field: 'after',
  })
}
