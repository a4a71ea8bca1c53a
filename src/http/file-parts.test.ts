import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { partsFrom } from './file-parts.ts'

async function opened() {
  const state = { ended: false }
  async function* parts() {
    try {
      yield 'a'
      yield 'b'
    } finally {
      state.ended = true
    }
  }
  const maker = parts()
  const stream = Readable.from(partsFrom(await maker.next(), maker))
  return { state, stream }
}

test('the first part comes first, once', async () => {
  const { state, stream } = await opened()
  expect(await stream.toArray()).toEqual(['a', 'b'])
  expect(state.ended).toBe(true)
})

test.each([
  ['before it is read', async () => {}],
  ['after its first part', async (stream: Readable) => void (await once(stream, 'data'))],
])('a stream that is given up %s ends its maker', async (_when, read) => {
  const { state, stream } = await opened()
  await read(stream)
  stream.destroy()
  await once(stream, 'close')
  expect(state.ended).toBe(true)
})
