// A stream is a route whose answer never ends by itself: Server-Sent Events, for as long as the caller listens.

import { z } from 'zod'
import type { RefusalCode } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import type { AccessRule, Caller, SecretKey } from './access.ts'
import type { Dialect } from './dialects.ts'
import type { ModeMember, Route } from './route.ts'
import type { CountUse } from './use-limit.ts'

/** One message. `event` is its type, and `id` the point from which the caller may resume. */
export type StreamMessage = { event: string; id?: string; data: object }

/** The source of a stream. Nothing is read ahead of a slow caller. */
export type Feed = {
  /** The first message, which says that the stream has begun. */
  ready: StreamMessage
  /** The messages that exist now, at most a page; `is_more` if the next page can be read at once. */
  read(): Promise<{ messages: StreamMessage[]; is_more: boolean }>
  /** Calls `wake` whenever there may be messages. Returns the function that ends this. */
  hear(wake: () => void): () => void
  /** How long to wait for `wake` before the next read. */
  poll_ms: number
  /** The point from which the caller may resume after everything that was read; left out if it cannot resume. */
  place?(): string
}

export type StreamRequest<Query, Holder = SecretKey> = {
  holder: Holder
  query: Query
  caller: Caller
  now: Date
  /** The mode to which the holder is bound; null for both. */
  only_mode: Mode | null
}

/** The owner of the seats that streams take, and their number. */
export type Seats = { owner: string; max: number }

type StreamRecord<Context, Query extends z.ZodType, Holder> = {
  method: 'GET'
  path: string
  tag: string
  summary: string
  access: AccessRule<Context, Holder>
  /** As for a route; the stream itself leaves out messages of the other mode. */
  mode?: 'handler'
  dialect: Dialect
  /** Counts each time that the stream is opened. */
  limit?: CountUse<Context, Holder>
  /** Left out, they belong to the merchant of the key. */
  seats?(holder: Holder): Seats
  query: Query
  /** What the API's description calls a message of this stream, and says of it. */
  message?: { title: string; note: string }
  /** Describes the data of the messages, by their type. */
  messages: Record<string, z.ZodType>
  /** All refusals of `open`; access and query add their own. */
  refusals: readonly RefusalCode[]
  admit?(context: Context, holder: Holder): Promise<void>
  /** Checks the request and notes where the stream begins. Nothing else changes before the feed is read. */
  open(context: Context, request: StreamRequest<z.output<Query>, Holder>): Promise<Feed>
}

export type Stream<Context> = StreamRecord<Context, z.ZodType, SecretKey>

/** Types a stream by its own query and access rule, then erases the types so that streams fit into one list. */
export function stream<Context, Query extends z.ZodType, Holder>(
  record: StreamRecord<Context, Query, Holder> & ModeMember<Holder>,
): Stream<Context> {
  return record as unknown as Stream<Context>
}

/** The last message for a caller that may no longer listen. */
const refusedMessage = z.object({ code: z.string(), message: z.string() })

/** The messages that every stream has. */
const sharedMessages: Record<string, { title: string; note: string }> = {
  ready: { title: 'StreamReady', note: 'The first message: the stream begins here.' },
  refused: { title: 'StreamRefused', note: 'The last message, sent when the caller may not listen any more.' },
}

/** A stream as the API's description sees it: a route that answers with one message after the other. */
export function describedRoute({ messages, message, ...stream }: Stream<never>): Route<never> {
  const bySchema = Map.groupBy(Object.entries({ ...messages, refused: refusedMessage }), ([, data]) => data)
  const shapes = [...bySchema].map(([data, named]) => {
    const shape = z.object({ event: z.enum(named.map(([event]) => event)), id: z.string().optional(), data })
    return shape.meta(sharedMessages[named[0]![0]] ?? {})
  })
  const reply = z.union(shapes).meta(message ?? {})
  const refusals = [...stream.refusals, 'rate_limit_exceeded']
  return { ...stream, status: 200, reply, refusals } as unknown as Route<never>
}

/** A message in the form of the wire. JSON has no line breaks of its own. */
export function frame({ event, id, data }: StreamMessage): string {
  const id_line = id === undefined ? '' : `id: ${id}\n`
  return `${id_line}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * A comment that keeps the connection alive and shows each side that the other is there. An id without data is no
 * message, but readers keep it.
 */
export function heartbeat(place?: string): string {
  return place === undefined ? ': still here\n\n' : `: still here\nid: ${place}\n\n`
}
