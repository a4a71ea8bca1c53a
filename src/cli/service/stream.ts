// Listens to a stream of the running service, and opens it again after it was lost.

import { createParser } from 'eventsource-parser'
import { type Clock, type HttpListener, OutgoingFailure } from '../../kernel/world.ts'
import { CommandError } from '../terminal/command.ts'
import { ServiceError, unreachable } from './call.ts'
import { adviseOnKey, type Connection } from './connection.ts'

export type Message = {
  event: string
  id: string | null
  // biome-ignore lint/suspicious/noExplicitAny: what a stream says is described by its own schemas.
  data: any
}

export type StreamOptions = {
  connection: Connection
  http: HttpListener
  clock: Clock
  /** With its query. `is_again` is true once the stream was open. */
  path(is_again: boolean): string
  /** Ends the listening. */
  signal: AbortSignal
  /** Called once when the connection is lost, and once when it is back. */
  onState(state: 'lost' | 'back'): void
}

/** Longer than the 15 s in which the service sends at least something. */
const silence_ms = 45_000
const first_wait_ms = 1_000
const wait_max_ms = 30_000

/**
 * The messages, `ready` first, until the signal aborts. If a stream that was open is lost, it is opened again from the last id,
 * after 1 to 30 s, unless the service refuses. Throws a CommandError.
 */
export async function* listen(listening: StreamOptions): AsyncGenerator<Message> {
  const { connection, clock, path, signal, onState } = listening
  const last: LastEvent = { id: null }
  let wait_ms = first_wait_ms
  let state: 'new' | 'open' | 'lost' = 'new'
  while (!signal.aborted) {
    try {
      for await (const message of messagesOf(listening, path(state !== 'new'), last)) {
        if (message.event === 'ready') {
          requireMerchant(connection, message.data.merchant_id)
          wait_ms = first_wait_ms
          if (state === 'lost') onState('back')
          state = 'open'
        }
        yield message
      }
    } catch (error) {
      if (signal.aborted) return
      if (state === 'new') throw plainly(error, connection)
      if (error instanceof CommandError && !isPassing(error)) throw error
    }
    if (signal.aborted) return
    if (state !== 'lost') onState('lost')
    state = 'lost'
    await clock.sleep(wait_ms, signal).catch(() => {})
    wait_ms = Math.min(wait_ms * 2, wait_max_ms)
  }
}

/** The last id that was received. */
type LastEvent = { id: string | null }

/** One connection. */
async function* messagesOf(
  { connection, http, signal }: StreamOptions,
  path: string,
  last: LastEvent,
): AsyncGenerator<Message> {
  const headers = {
    accept: 'text/event-stream',
    'x-service-api-key': connection.secret_key,
    ...(last.id !== null && { 'last-event-id': last.id }),
  }
  const url = connection.base_url + path
  const { status, body } = await http.listen({ url, headers, silence_ms, signal })
  if (status !== 200) throw adviseOnKey(await refusalOf(path, status, body), connection)
  const noted = (id: string) => {
    last.id = id
  }
  for await (const { event, id, data } of readServerSentEvents(body, noted)) {
    const message = { event, id, data: JSON.parse(data) }
    if (event === 'refused') throw endedBy(message)
    yield message
  }
}

async function refusalOf(path: string, status: number, body: AsyncIterable<Buffer>): Promise<ServiceError> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  const text = Buffer.concat(parts).toString()
  const doing = `GET ${path.split('?')[0]}`
  try {
    return new ServiceError({ doing, status, body: JSON.parse(text) })
  } catch {
    return new ServiceError({ doing, status, body: null })
  }
}

function endedBy({ data: { code, message } }: Message): CommandError {
  return new CommandError(`The service ended the stream: ${code}. ${message}`)
}

/** Checks what may have changed since the last connection. */
function isPassing(error: CommandError): boolean {
  return error instanceof ServiceError && (error.status >= 500 || error.status === 429)
}

function plainly(error: unknown, { base_url }: Connection): unknown {
  return error instanceof OutgoingFailure ? unreachable(base_url, 'Listening', error) : error
}

function requireMerchant({ merchant_id }: Connection, owner_id: string): void {
  if (merchant_id === null || merchant_id === owner_id) return
  throw new CommandError(`The key belongs to the merchant ${owner_id}, not to ${merchant_id}.`)
}

export type ServerSentEvent = {
  event: string
  /** The id of this message, or of the last message before it that had one. */
  id: string | null
  data: string
}

/** More than any message of ours, which is an event's body and little else. */
const message_chars_max = 4 * 1024 * 1024

/** Calls `noted` with each id, even without a message. Throws if a message is too large, and whatever the body throws. */
export async function* readServerSentEvents(
  body: AsyncIterable<Uint8Array>,
  noted: (id: string) => void = () => {},
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  const come: ServerSentEvent[] = []
  let last_id: string | null = null
  let is_too_long = false
  const parser = createParser({
    maxBufferSize: message_chars_max,
    onId: (id) => {
      last_id = id
      noted(id)
    },
    onEvent: ({ event = 'message', data }) => come.push({ event, id: last_id, data }),
    // Skips other fields, and times to wait that make no sense.
    onError: ({ type }) => {
      is_too_long ||= type === 'max-buffer-size-exceeded'
    },
  })
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    yield* come.splice(0)
    if (is_too_long) throw new Error('a message that does not end')
  }
}
