import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { partsFrom } from './file-parts.ts'

async function opened() {
  const told = { ended: false }
  async function* parts() {
    try {
      yield 'a'
      yield 'b'
    } finally {
      told.ended = true
    }
  }
  const made = parts()
  const stream = Readable.from(partsFrom(await made.next(), made))
  return { told, stream }
}

test('the first part comes first, once', async () => {
  const { told, stream } = await opened()
  expect(await stream.toArray()).toEqual(['a', 'b'])
  expect(told.ended).toBe(true)
})

test.each([
  ['before it is read', async () => {}],
  ['after its first part', async (stream: Readable) => void (await once(stream, 'data'))],
])('a stream that is given up %s ends its maker', async (_when, read) => {
  const { told, stream } = await opened()
  await read(stream)
  stream.destroy()
  await once(stream, 'close')
  expect(told.ended).toBe(true)
})
