// GET /v1/events/stream: a merchant's events as they are committed, for whoever listens; `ripper listen` does.
// It costs a payment nothing: the journal's own key is in the order of time, and each event has a line in it.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import { type Feed, type StreamMessage, stream } from '../../http/stream.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type EventType, eventTypes, timestamp } from '../../kernel/values.ts'
import { judgeEventFilter } from '../endpoint.ts'
import { limitTo } from '../rate-limit.ts'
import { type EventLine, listEventLines, listEventsOf } from './event-line-store.ts'
import { streamedEvent } from './streamed-event.ts'
import {
  type Cursor,
  cursorOf,
  follow,
  lookAt,
  openTrail,
  passOver,
  readCursor,
  retention_days,
  settle,
  tellOf,
} from './trail.ts'

/** So many bodies are in memory at once, however slow the caller is. */
const bodies_max = 50
/** What other processes commit is found within this time. */
const poll_ms = 500

const eventsQuery = z.strictObject({
  events: z
    .string({ error: 'must be sent once' })
    .optional()
    .meta({ description: `only these, separated by commas: ${eventTypes.join(', ')}` }),
  after: z
    .string({ error: 'must be sent once' })
    .optional()
    .meta({
      description: `the last id that came, as the header Last-Event-ID; of the last ${retention_days} days`,
    }),
})

const ready = z.object({ merchant_id: z.string() })
/** The caller comes with the id of a message so old that what came after it is not told in full. */
const missed = z.object({
  before: z.string().meta({ format: 'date-time', description: 'events from then on are told' }),
})

export const streamEvents = stream({
  method: 'GET',
  path: '/v1/events/stream',
  tag: 'Events',
  summary: 'Listen to events',
  door: webhookKey,
  dialect: 'webhook_endpoints',
  limit: limitTo('read'),
  query: eventsQuery,
  messages: {
    ready,
    missed,
    ...Object.fromEntries(eventTypes.map((type) => [type, streamedEvent])),
  },
  refusals: ['unknown_event_type', 'invalid_pagination'],
  open(context: Context, { holder, query, caller, now }): Promise<Feed> {
    const wanted = judgeEventFilter(query.events?.split(','), 'events')
    const cursor = cursorFrom(caller.header('last-event-id') ?? query.after)
    return openFeed(context, { merchant_id: holder.merchant_id, wanted, cursor, now })
  },
})

type Asked = { merchant_id: string; wanted: EventType[]; cursor: Cursor | null; now: Date }

async function openFeed({ sql, world, hearEvents }: Context, asked: Asked): Promise<Feed> {
  const { merchant_id, wanted, cursor, now } = asked
  const { trail, missed_before_ms } = openTrail(now.getTime(), cursor)
  const nowMs = () => world.clock.now().getTime()
  const isWanted = ({ type }: EventLine) => wanted.length === 0 || wanted.includes(type)
  const notices = missed_before_ms === null ? [] : [noticeOf(new Date(missed_before_ms))]
  let waiting: EventLine[] = []
  let is_cut = false

  async function look(): Promise<EventLine[]> {
    const look = lookAt(trail, nowMs())
    const found = await listEventLines(sql, merchant_id, look)
    is_cut = found.some(({ cut_at }) => cut_at !== null)
    return follow(trail, look, found)
  }

  async function tell(): Promise<StreamMessage[]> {
    const events = await listEventsOf(sql, merchant_id, waiting.slice(0, bodies_max))
    waiting = waiting.slice(bodies_max)
    return events.map(({ entry_id, ...data }) => {
      return { id: tellOf(trail, { entry_id }, nowMs()), event: data.type, data }
    })
  }

  if (cursor === null) {
    do passOver(trail, await look())
    while (is_cut)
  }
  return {
    ready: { event: 'ready', id: cursorOf(trail), data: { merchant_id } },
    poll_ms,
    hear: (wake) => hearEvents(merchant_id, wake),
    async read() {
      if (waiting.length === 0) waiting = (await look()).filter(isWanted)
      const messages = waiting.length === 0 ? [] : await tell()
      const is_more = is_cut || waiting.length > 0
      return { messages: [...notices.splice(0), ...messages], is_more }
    },
    place: () => (waiting.length === 0 ? settle(trail, nowMs()) : cursorOf(trail)),
  }
}

function noticeOf(before: Date): StreamMessage {
  return { event: 'missed', data: { before: timestamp(before) } }
}

function cursorFrom(sent: string | undefined): Cursor | null {
  if (sent === undefined) return null
  const cursor = readCursor(sent)
  if (cursor) return cursor
  throw new Refusal('invalid_pagination', 'after must be an id that this stream has sent.', {
    field: 'after',
  })
}
