// A stream is a route whose answer never ends by itself: Server-Sent Events, for as long as the caller listens.

import { z } from 'zod'
import type { RefusalCode } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import type { AccessRule, Caller, SecretKey } from './access.ts'
import type { Dialect } from './dialects.ts'
import type { ModeMember, Route } from './route.ts'
import type { CountUse } from './use-limit.ts'

/** One message. `event` is its type, `id` what the caller may resume from. */
export type StreamMessage = { event: string; id?: string; data: object }

/** The source of a stream. Nothing is read ahead of a slow caller. */
export type Feed = {
  /** The first message, which says that the stream has begun. */
  ready: StreamMessage
  /** The messages there are now, at most a page; `is_more` where the next page can be read at once. */
  read(): Promise<{ messages: StreamMessage[]; is_more: boolean }>
  /** Calls `wake` whenever there may be something to read. Returns the function that ends this. */
  hear(wake: () => void): () => void
  /** How long to wait for `wake` before the next read. */
  poll_ms: number
  /** What the caller may resume from once it has everything that was read; left out where it cannot resume. */
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

/** Whose places streams take, and how many there are. */
export type Seats = { owner: string; max: number }

type StreamRecord<Context, Query extends z.ZodType, Holder> = {
  method: 'GET'
  path: string
  tag: string
  summary: string
  access: AccessRule<Context, Holder>
  /** As at a route; a stream leaves out what is of the other mode by itself. */
  mode?: 'handler'
  dialect: Dialect
  /** Counts each time that the stream is opened. */
  limit?: CountUse<Context, Holder>
  /** Without it, they are those of the merchant whose key it is. */
  seats?(holder: Holder): Seats
  query: Query
  /** Describes the data of the messages, by their type. */
  messages: Record<string, z.ZodType>
  /** Every code that `open` may refuse with; access and query add their own. */
  refusals: readonly RefusalCode[]
  admit?(context: Context, holder: Holder): Promise<void>
  /** Checks the request and notes where the stream begins. Nothing moves on before the feed is read. */
  open(context: Context, request: StreamRequest<z.output<Query>, Holder>): Promise<Feed>
}

export type Stream<Context> = StreamRecord<Context, z.ZodType, SecretKey>

/** Types a stream by its own query and access rule, then erases the types so that streams fit into one list. */
export function stream<Context, Query extends z.ZodType, Holder>(
  record: StreamRecord<Context, Query, Holder> & ModeMember<Holder>,
): Stream<Context> {
  return record as unknown as Stream<Context>
}

/** The last message for a caller that may not listen any more. */
const refused = z.object({ code: z.string(), message: z.string() })

/** A stream as the API's description sees it: a route that answers with one message after the other. */
export function describedRoute({ messages, ...stream }: Stream<never>): Route<never> {
  const bySchema = Map.groupBy(Object.entries({ ...messages, refused }), ([, data]) => data)
  const shapes = [...bySchema].map(([data, entries]) => {
    return z.object({
      event: z.enum(entries.map(([event]) => event)),
      id: z.string().optional(),
      data,
    })
  })
  const reply = z.union(shapes)
  const refusals = [...stream.refusals, 'rate_limit_exceeded']
  return { ...stream, status: 200, reply, refusals } as unknown as Route<never>
}

/** A message as it goes over the wire. JSON has no line breaks of its own. */
export function frame({ event, id, data }: StreamMessage): string {
  const id_line = id === undefined ? '' : `id: ${id}\n`
  return `${id_line}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * A comment that keeps the connection alive and shows both sides that the other is there. An id without data is no
 * message, but readers keep it.
 */
export function heartbeat(place?: string): string {
  return place === undefined ? ': still here\n\n' : `: still here\nid: ${place}\n\n`
}
