// GET /v1/events/stream: a merchant's events as they are committed, for whoever listens; `ripper listen` does.
// It costs a payment nothing: the journal's own key is in the order of time, and each event has a line in it.

import { z } from 'zod'
import type { Context } from '../context.ts'
import { Refusal } from '../errors.ts'
import { webhookKey } from '../http/access.ts'
import { type Feed, type StreamMessage, stream } from '../http/stream.ts'
import { type EventType, eventTypes } from '../values.ts'
import { judgeEventFilter } from './endpoint.ts'
import { type EventLine, listEventLines, readEvents } from './event-line-store.ts'
import { limitTo } from './rate-limit.ts'
import { type Cursor, cursorOf, follow, lookAt, openTrail, readCursor, tellOf } from './trail.ts'

const lines_max = 1_000
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
    .meta({ description: 'the id of the last message that came, as the header Last-Event-ID' }),
})

const ready = z.object({ merchant_id: z.string() })
const told = z.object({
  event_id: z.string(),
  type: z.enum(eventTypes),
  payment_id: z.string(),
  body: z.string().meta({ description: 'the bytes that a webhook delivery has as its body' }),
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
  messages: { ready, ...Object.fromEntries(eventTypes.map((type) => [type, told])) },
  refusals: ['unknown_event_type', 'invalid_pagination'],
  open(context: Context, { holder, query, caller, now }): Feed {
    const wanted = judgeEventFilter(query.events?.split(','), 'events')
    const cursor = cursorFrom(caller.header('last-event-id') ?? query.after)
    return feedOf(context, { merchant_id: holder.merchant_id, wanted, cursor, now })
  },
})

type Asked = { merchant_id: string; wanted: EventType[]; cursor: Cursor | null; now: Date }

function feedOf({ sql, world, hearEvents }: Context, asked: Asked): Feed {
  const { merchant_id, wanted, cursor, now } = asked
  const trail = openTrail(now.getTime(), cursor)
  let waiting: EventLine[] = []
  let is_more = false

  async function look(): Promise<void> {
    const look = lookAt(trail, world.clock.now().getTime())
    const { stretches, is_behind } = look
    const found = await listEventLines(sql, merchant_id, { stretches, lines_max })
    const fresh = follow(trail, look, found)
    waiting = fresh.filter(({ type }) => wanted.length === 0 || wanted.includes(type))
    is_more = is_behind || found.some(({ is_cut }) => is_cut)
  }

  async function tell(): Promise<StreamMessage[]> {
    const lines = waiting.slice(0, bodies_max)
    const events = await readEvents(sql, merchant_id, lines)
    waiting = waiting.slice(bodies_max)
    const now_ms = world.clock.now().getTime()
    return events.map(({ entry_id, ...data }) => {
      return { id: tellOf(trail, { entry_id }, now_ms), event: data.type, data }
    })
  }

  return {
    ready: { event: 'ready', id: cursorOf(trail), data: { merchant_id } },
    poll_ms,
    hear: hearEvents,
    async read() {
      if (waiting.length === 0) await look()
      const messages = waiting.length === 0 ? [] : await tell()
      return { messages, is_more: is_more || waiting.length > 0 }
    },
  }
}

function cursorFrom(sent: string | undefined): Cursor | null {
  if (sent === undefined) return null
  const cursor = readCursor(sent)
  if (cursor) return cursor
  throw new Refusal('invalid_pagination', 'after must be the id of a message of this stream.', {
    field: 'after',
  })
}
