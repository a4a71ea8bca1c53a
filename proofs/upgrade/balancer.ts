// A small proxy in front of the processes: asks each whether it is ready, goes round, and tries another where one refuses.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/kernel/world.ts'
import { realClock } from '../../tests/support/world.ts'

export type Balancer = {
  base_url: string
  /** From now on it is asked whether it is ready. */
  add(address: string): void
  remove(address: string): void
  isReady(address: string): boolean
  counts: {
    forwarded: number
    /** Connections that a process refused; its request went to another. */
    refused: number
    /** Requests that were cut while a process had them: the client is cut, too. */
    cut: number
    /** Requests that came while nobody was ready. */
    homeless: number
  }
  close(): Promise<void>
}

export const look_every_ms = 200
const look_timeout_ms = 2_000

export async function openBalancer(clock: Clock = realClock): Promise<Balancer> {
  const ready = new Map<string, boolean>()
  const counts = { forwarded: 0, refused: 0, cut: 0, homeless: 0 }
  let turn = 0

  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bodyOf(asked)
    const able = [...ready].filter(([, is_ready]) => is_ready).map(([address]) => address)
    turn += 1
    for (let tried = 0; tried < able.length; tried += 1) {
      const address = able[(turn + tried) % able.length]!
      const outcome = await forward(address, asked, body, answer)
      counts[outcome] += 1
      if (outcome === 'forwarded') return
      if (outcome === 'cut') break
    }
    if (able.length === 0) counts.homeless += 1
    asked.socket.destroy()
  }

  const server = createServer((asked, answer) => void pass(asked, answer))
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })

  async function watch(address: string): Promise<void> {
    while (ready.has(address)) {
      const is_ready = await isReady(address)
      if (ready.has(address)) ready.set(address, is_ready)
      await clock.sleep(look_every_ms)
    }
  }

  return {
    counts,
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(address) {
      ready.set(address, false)
      void watch(address)
    },
    remove: (address) => void ready.delete(address),
    isReady: (address) => ready.get(address) === true,
    async close() {
      ready.clear()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** One request over a connection of its own. */
function forward(
  address: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
): Promise<'forwarded' | 'refused' | 'cut'> {
  return new Promise((outcome) => {
    const { host: _, connection: __, ...sent } = headers
    const onward = request(address + url, { method, headers: sent, agent: false }, (came) => {
      answer.writeHead(came.statusCode!, { ...came.headers, connection: 'keep-alive' })
      came.pipe(answer)
      came.on('end', () => outcome('forwarded'))
      came.on('error', () => outcome('cut'))
    })
    onward.on('error', (error: NodeJS.ErrnoException) => outcome(error.code === 'ECONNREFUSED' ? 'refused' : 'cut'))
    onward.end(body)
  })
}

async function isReady(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(look_timeout_ms)
    const headers = { connection: 'close' }
    const { status } = await fetch(`${address}/readyz`, { signal, headers })
    return status === 200
  } catch {
    return false
  }
}

async function bodyOf(asked: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of asked) parts.push(part)
  return Buffer.concat(parts)
}
