// Reads Server-Sent Events from the bytes of an answer, wherever its chunks end.

import { createParser } from 'eventsource-parser'

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
