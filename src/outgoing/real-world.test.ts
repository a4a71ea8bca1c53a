import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { OutgoingFailure } from '../kernel/world.ts'
import { openHttp, openListener, pooledBytes, realClock } from './real-world.ts'

/** A source with a new value for every byte pair, so that repeated bytes show. */
function counting() {
  const blocks: Buffer[] = []
  let next = 0
  const fill = (block: Buffer) => {
    for (let at = 0; at < block.length; at += 2) block.writeUInt16BE(next++, at)
    blocks.push(block)
    return block
  }
  return { fill, blocks }
}

test('no byte is handed out twice, across blocks and beside long draws', () => {
  const bytes = pooledBytes(counting().fill)
  const lengths = [12, 56, 8192, 12, 10_000, ...Array<number>(600).fill(24)]
  const draws = lengths.map((length) => bytes(length))
  expect(draws.map((each) => each.length)).toEqual(lengths)
  const pairs = draws.flatMap((each) => Array.from({ length: each.length / 2 }, (_, at) => each.readUInt16BE(2 * at)))
  expect(new Set(pairs).size).toBe(pairs.length)
})

test('what was handed out is a copy, and is wiped from the block', () => {
  const { fill, blocks } = counting()
  const bytes = pooledBytes(fill)
  bytes(2)
  const draw = bytes(4)
  expect(draw.toString('hex')).toBe('00010002')
  expect(blocks[0]!.subarray(0, 6).toString('hex')).toBe('000000000000')
  expect(blocks[0]!.subarray(6, 8).toString('hex')).toBe('0003')
})

test('the machine is asked by default', () => {
  const bytes = pooledBytes()
  expect(bytes(16).equals(bytes(16))).toBe(false)
})

describe('a GET', () => {
  const page = Buffer.from('ä page '.repeat(100))

  /** Reads one answer of a server. */
  async function read(
    answer: { status?: number; headers?: OutgoingHttpHeaders; body?: Buffer },
    answer_bytes_max = 2_000,
  ) {
    const { status = 200, headers = {}, body = page } = answer
    const server = createServer((_request, response) => {
      response.writeHead(status, headers).end(body)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    try {
      const request = { url, headers: {}, timeout_ms: 10_000, answer_bytes_max }
      return await openHttp(realClock()).get(request)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  test.each([
    ['br', brotliCompressSync(page)],
    ['gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    [undefined, page],
  ])('gives the text of a body encoded as %s', async (encoding, body) => {
    const headers: OutgoingHttpHeaders = encoding ? { 'content-encoding': encoding } : {}
    expect((await read({ headers, body })).body).toBe(page.toString())
  })

  test('follows no redirect, and joins headers that came several times', async () => {
    const headers = { location: 'http://127.0.0.1:1/', link: ['<a>', '<b>'] }
    expect(await read({ status: 302, headers, body: Buffer.of() })).toMatchObject({
      status: 302,
      headers: { location: 'http://127.0.0.1:1/', link: '<a>, <b>' },
      body: '',
    })
  })

  test.each([
    ['too long', { body: Buffer.alloc(2_001) }],
    ['too long once unpacked', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(2_001)) }],
    ['encoded in no way that was asked for', { headers: { 'content-encoding': 'zstd' } }],
  ])('fails where the answer is %s', async (_name, answer) => {
    await expect(read(answer)).rejects.toThrow(OutgoingFailure)
  })
})

describe('a listener', () => {
  async function withServer(answer: RequestListener, work: (url: string, open: Set<Socket>) => Promise<void>) {
    const open = new Set<Socket>()
    const server = createServer(answer).on('connection', (socket) => {
      open.add(socket.on('close', () => open.delete(socket)))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await work(url, open).finally(() => server.close())
    server.closeAllConnections()
  }
  const { signal } = new AbortController()

  test('that is closed leaves no connection behind, and listens no more', async () => {
    await withServer(
      (_request, response) => void response.write('begin'),
      async (url, open) => {
        const listener = openListener()
        const request = { url, headers: {}, silence_ms: 5_000, signal }
        const { body } = await listener.listen(request)
        await listener.listen(request)
        expect(open.size).toBe(2)
        const closes = Promise.all([...open].map((socket) => once(socket, 'close')))
        const end = (async () => {
          for await (const part of body) expect(part.toString()).toBe('begin')
        })()
        await Promise.all([listener.close(), expect(end).rejects.toThrow(), closes])
        await expect(listener.listen(request)).rejects.toThrow(OutgoingFailure)
      },
    )
  })

  test('waits for an answer no longer than for what follows', async () => {
    await withServer(
      () => {},
      async (url) => {
        const listener = openListener()
        const request = { url, headers: {}, silence_ms: 10, signal }
        await expect(listener.listen(request)).rejects.toThrow(OutgoingFailure)
        await listener.close()
      },
    )
  })
})
