// Reads Server-Sent Events from the bytes of an answer, however they are cut.

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
  let rest = ''
  let id: string | null = null
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true }))
      .replaceAll('\r\n', '\n')
      .split('\n\n')
    rest = blocks.pop()!
    if (rest.length > message_chars_max) throw new Error('a message that does not end')
    for (const block of blocks) {
      const fields = fieldsOf(block)
      const sent_id = fields.get('id')
      if (sent_id !== undefined) noted(sent_id)
      id = sent_id ?? id
      const data = fields.get('data')
      if (data !== undefined) yield { event: fields.get('event') ?? 'message', id, data }
    }
  }
}

/** Fields by their names; lines of data are joined. A line that begins with a colon says nothing. */
function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === undefined) continue
    const before = name === 'data' ? fields.get(name) : undefined
    fields.set(name, before === undefined ? (value ?? '') : `${before}\n${value ?? ''}`)
  }
  return fields
}
