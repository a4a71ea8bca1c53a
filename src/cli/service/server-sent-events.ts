// Reads Server-Sent Events from the bytes of an answer, however they are cut.

import { createParser } from 'eventsource-parser'

export type SentEvent = {
  event: string
  /** Of this message or the last one before that had any. */
  id: string | null
  data: string
}

/** A message of ours is an event's body and little more. */
const message_chars_max = 4 * 1024 * 1024

/** Calls `noted` with each id, those that come without a message too. Throws where a message grows beyond all measure, and whatever the body throws. */
export async function* readSentEvents(
  body: AsyncIterable<Uint8Array>,
  noted: (id: string) => void = () => {},
): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder()
  const come: SentEvent[] = []
  let last_id: string | null = null
  let is_too_long = false
  const parser = createParser({
    maxBufferSize: message_chars_max,
    onId: (id) => {
      last_id = id
      noted(id)
    },
    onEvent: ({ event = 'message', data }) => come.push({ event, id: last_id, data }),
    // Fields of other names and odd times to wait are passed over.
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
