// Server-Sent Events as they may come: cut anywhere, with every end of line, and never larger than a message may be.

import { expect, test } from 'vitest'
import { readServerSentEvents, type ServerSentEvent } from './stream.ts'

async function* bytesOf(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

async function read(body: AsyncIterable<Uint8Array>) {
  const events: ServerSentEvent[] = []
  const noted: string[] = []
  for await (const event of readServerSentEvents(body, (id) => noted.push(id))) events.push(event)
  return { events, noted }
}

const text = ': hello\r\nid: 1\r\nevent: ready\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nid: 2\n\ndata:x\n\n'
const events = [
  { event: 'ready', id: '1', data: '{"a":\n"ü"}' },
  { event: 'message', id: '2', data: 'x' },
]

test('a message says the same wherever its bytes are cut, in a letter or an end of line too', async () => {
  const bytes = Buffer.from(text)
  for (let at = 0; at <= bytes.length; at++) {
    const cut = bytesOf(bytes.subarray(0, at), bytes.subarray(at))
    expect(await read(cut)).toEqual({ events, noted: ['1', '2'] })
  }
})

test('what is cut off before its end is no message', async () => {
  expect(await read(bytesOf('id: 1\ndata: 1\n\nid: 2\ndata: 2\n'))).toEqual({
    events: [{ event: 'message', id: '1', data: '1' }],
    noted: ['1'],
  })
})

const mebibyte = 'x'.repeat(1024 * 1024)

test.each([
  ['line', ['data: ', mebibyte, mebibyte, mebibyte, mebibyte, mebibyte]],
  ['list of lines', Array.from({ length: 5 }, () => `data: ${mebibyte}\n`)],
])('a %s that does not end is given up, and what came before it was heard', async (_, parts) => {
  let parts_read = 0
  async function* endless() {
    yield* bytesOf('data: first\n\n')
    for (;;) {
      const part = parts[parts_read++ % parts.length]!
      yield Buffer.from(part)
    }
  }
  const heard: string[] = []
  const reading = (async () => {
    for await (const { data } of readServerSentEvents(endless())) heard.push(data)
  })()
  await expect(reading).rejects.toThrow('a message that does not end')
  expect(heard).toEqual(['first'])
  expect(parts_read).toBeLessThanOrEqual(parts.length + 1)
})

test('a line of no known field may be as long as it likes: none of it is kept', async () => {
  const parts = ['noise: ', ...Array.from({ length: 6 }, () => mebibyte), '\ndata: 1\n\n']
  expect((await read(bytesOf(...parts))).events).toEqual([{ event: 'message', id: null, data: '1' }])
})
