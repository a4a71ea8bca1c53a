// What a command hears of a stream, and where it goes on once the connection was lost: at the last id that came, in whatever way.

import { expect, test } from 'vitest'
import { listen } from '../../src/cli/service/stream.ts'
import type { HttpListener } from '../../src/kernel/world.ts'
import { manualClock } from '../support/clock.ts'

const connection = {
  base_url: 'http://service',
  key_from: '--key',
  secret_key: 'rip_sk_0',
  publishable_key: null,
  merchant_id: null,
}
const ready = 'id: 1\nevent: ready\ndata: {"merchant_id":"m_1"}\n\n'

/** What is heard over connections that each give so much and break. After the last it is told to stop. */
async function hear(connections: string[]) {
  const clock = manualClock()
  const aborting = new AbortController()
  const came_with: (string | undefined)[] = []
  const http: HttpListener = {
    async listen({ headers }) {
      const text = connections[came_with.length]
      came_with.push(headers['last-event-id'])
      if (text === undefined) aborting.abort()
      return { status: 200, body: bytesOf(text ?? '') }
    },
    close: async () => {},
  }
  const heard: (string | null)[][] = []
  const states: string[] = []
  const listening = {
    connection,
    http,
    clock,
    signal: aborting.signal,
    path: () => '/v1/events/stream',
    onState(state: string) {
      states.push(state)
      if (state === 'lost') void clock.sleepers(1_000).then(() => clock.advance(30_000))
    },
  }
  for await (const { event, id } of listen(listening)) {
    heard.push([event, id])
    if (states.at(-1) === 'back') void clock.sleepers(1_000).then(() => clock.advance(30_000))
  }
  return { heard, came_with, states }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const message = 'event: payment.captured\ndata: {}\n\n'

test.each([
  ['a message', `id: 2\n${message}`, '2'],
  ['a heartbeat', `id: 2\n${message}: still here\nid: 3\n\n`, '3'],
  ['the beginning, where nothing else has any', `${message}: still here\n\n`, '1'],
  ['what is cut off before its end', `id: 2\n${message}id: 3\nevent: payment.captured\n`, '2'],
])('goes on from the id of %s', async (_, text, id) => {
  const { came_with } = await hear([ready + text])
  expect(came_with).toEqual([undefined, id])
})

test('a heartbeat is no message', async () => {
  const { heard } = await hear([`${ready}: still here\nid: 3\n\n${message}`])
  expect(heard).toEqual([
    ['ready', '1'],
    ['payment.captured', '3'],
  ])
})

test('a connection that gives nothing does not lose the place', async () => {
  const { came_with, states } = await hear([`${ready}id: 7\n\n`, '', ready.replace('id: 1\n', '')])
  expect(came_with).toEqual([undefined, '7', '7', '7'])
  expect(states).toEqual(['lost', 'back', 'lost'])
})
