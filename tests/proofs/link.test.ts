// The link that proofs and tests break: what a fault lets through, and what is left of it when it is over.

import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Fault, type Link, openLink } from '../../proofs/wire/link.ts'
import { until } from '../support/service.ts'

let heard = ''
let link: Link
let stop: () => void
beforeEach(async () => {
  heard = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard += bytes
      socket.write(bytes)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  link = await openLink({ host: '127.0.0.1', port })
  stop = () => server.close()
})
afterEach(async () => {
  await link.close()
  stop()
})

function open(): Socket {
  return connect(link.port, '127.0.0.1').on('error', () => {})
}

/** Says a word and waits until it is said again. */
async function say(socket: Socket, word: string): Promise<void> {
  const said = new Promise<void>((resolve) => {
    let back = ''
    socket.on('data', (bytes) => {
      back += bytes
      if (back === word) resolve()
    })
  })
  socket.write(word)
  await said
  socket.removeAllListeners('data')
}

test('a half-open way stays dead when the fault is over, and a new one lives', async () => {
  const dead = open()
  await say(dead, 'before ')
  link.break({ kind: 'half_open' })
  dead.write('during ')
  await say(open(), 'beside ')
  link.heal()
  dead.end('after ')
  // What was said on it has come to the link by the time that its end has.
  await until(
    async () => link.open(),
    (count) => count === 1,
  )
  await say(open(), 'at last')
  expect(heard).toBe('before beside at last')
})

const slow: [Fault][] = [
  [{ kind: 'delay', ms: 5, jitter_ms: 5 }],
  [{ kind: 'stall' }],
  [{ kind: 'drip', bytes: 2, every_ms: 1 }],
]

test.each(slow)('what was held up arrives in order: %j', async (fault) => {
  const socket = open()
  await say(socket, 'before ')
  link.break(fault)
  const said = say(socket, 'during after')
  await new Promise((turn) => setImmediate(turn))
  link.heal()
  await said
  expect(heard).toBe('before during after')
})
