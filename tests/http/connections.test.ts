// How many connections one caller may hold, as the service has it.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { connections_of_address_max } from '../../src/http/connection-limit.ts'
import { startService } from '../support/service.ts'

const ask = 'GET /healthz HTTP/1.1\r\nHost: pay.example\r\nConnection: close\r\n\r\n'

async function start(trusted_proxies: string[]) {
  const service = await startService({ trusted_proxies })
  const port = Number(new URL(service.base_url).port)
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const answer = async (localAddress: string) => {
    const socket = await open(localAddress)
    socket.write(ask)
    return text(socket).catch(() => '')
  }
  const idle: Socket[] = []
  for (let opened = 0; opened < connections_of_address_max; opened++) {
    idle.push(await open('127.0.0.2'))
  }
  return {
    log: service.log,
    answer,
    async close() {
      for (const socket of idle) socket.destroy()
      await service.close()
    },
  }
}

test('one address has no more than its share, and others are answered', async () => {
  const { log, answer, close } = await start([])
  expect(await answer('127.0.0.2')).toBe('')
  expect(await answer('127.0.0.3')).toMatch(/^HTTP\/1.1 200 /)
  expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'connections refused: too many of one address' },
  ])
  await close()
})

test('a trusted proxy has as many as it needs', async () => {
  const { log, answer, close } = await start(['127.0.0.2'])
  expect(await answer('127.0.0.2')).toMatch(/^HTTP\/1.1 200 /)
  expect(log.filter(({ level }) => level === 'warn')).toEqual([])
  await close()
})

test('a connection on which nothing was ever sent does not delay the stop', async () => {
  const service = await startService()
  const socket = connect(Number(new URL(service.base_url).port), '127.0.0.1')
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  // The service has accepted the first connection before it answers on a second one.
  await fetch(`${service.base_url}/healthz`)
  await service.close()
  await closed
}, 20_000)
