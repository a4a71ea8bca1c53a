// Receivers and vendors whose HTTP is legal and odd, as bug reports of other products describe them: the answer is heard all the same.

import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { openGuardedHttp } from '../../src/outgoing/guarded-http.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { loopback } from '../support/address-tricks.ts'
import { openReceiver } from '../support/receiver.ts'
import { realClock } from '../support/world.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

const ok = 'HTTP/1.1 200 OK\r\n'
const body = 'content-length: 2\r\n\r\n{}'
const chunked = 'transfer-encoding: chunked\r\n'

// What it is | the answer, byte for byte | the status and body that are heard | whether the connection ends with it.
const answers: [string, string, string, boolean?][] = [
  ['processing first', `HTTP/1.1 102 Processing\r\n\r\n${ok}${body}`, '200 {}'],
  [
    'two early hints first',
    `${'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'.repeat(2)}${ok}${body}`,
    '200 {}',
  ],
  ['204 with a body', `HTTP/1.1 204 No Content\r\n${body}`, '204 ', true],
  ['204 with no chunks', `HTTP/1.1 204 No Content\r\n${chunked}\r\n`, '204 ', true],
  ['205', 'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n', '205 '],
  ['HTTP/1.0, ended by closing', 'HTTP/1.0 200 OK\r\n\r\n{}', '200 {}', true],
  ['HTTP/1.0 that stays', `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${body}`, '200 {}'],
  ['an end by closing', `${ok}connection: close\r\n\r\n{}`, '200 {}', true],
  ['chunks with an extension and trailers', `${ok}${chunked}\r\n2;a=b\r\n{}\r\n0\r\nsum: 1\r\n\r\n`, '200 {}'],
  ['no reason', `HTTP/1.1 200\r\n${body}`, '200 {}'],
  ['an empty line before it', `\r\n${ok}${body}`, '200 {}'],
  ['a header in UTF-8', `${ok}x-name: Zoë\r\n${body}`, '200 {}'],
  ['20 KB in a header', `${ok}x-policy: ${'a'.repeat(20_000)}\r\n${body}`, '200 {}'],
  ['300 cookies', `${ok}${`set-cookie: a=${'b'.repeat(60)}\r\n`.repeat(300)}${body}`, '200 {}'],
]

type Post = (url: string) => Promise<{ status: number; body: string | null }>

function guarded(): Post {
  const http = openGuardedHttp({ clock: realClock, allowed_networks: loopback })
  opened.push(http)
  const limits = { timeout_ms: 15_000, connect_timeout_ms: 5_000 }
  return (url) => http.post({ ...limits, url, headers: {}, body: '{"id":"evt_1"}' })
}

function vendor(): Post {
  const http = openVendorHttp({ clock: realClock, allowed_networks: loopback })
  opened.push(http)
  const method = 'POST' as const
  return (url) => http.send({ method, url, headers: {}, body: '{}', timeout_ms: 15_000 })
}

async function openPeer(answer: string | Buffer, ends = false) {
  const peer = await openReceiver(({ socket }) => {
    if (ends) socket.end(answer)
    else socket.write(answer)
  })
  opened.push(peer)
  return peer
}

describe.each([
  ['a webhook', guarded],
  ["a vendor's call", vendor],
] as const)('%s', (_, open) => {
  test.each(answers)('is answered by %s, twice', async (_name, answer, expected, ends) => {
    const peer = await openPeer(answer, ends)
    const post = open()
    for (let count = 1; count <= 2; count++) {
      const heard = await post(peer.url)
      expect(`${heard.status} ${heard.body}`).toBe(expected)
      expect(peer.requests).toHaveLength(count)
    }
  })
})

test.each(['gzip', 'identity'])("a vendor's answer may be coded unasked: %s", async (coding) => {
  const text = '{"status":"Authorized"}'
  const bytes = coding === 'gzip' ? gzipSync(text) : Buffer.from(text)
  const head = `${ok}content-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`
  const peer = await openPeer(Buffer.concat([Buffer.from(head), bytes]))
  expect(await vendor()(peer.url)).toMatchObject({ status: 200, body: text })
})

test('a coding that nobody knows is no answer, and is not asked again', async () => {
  const peer = await openPeer(`${ok}content-encoding: zzz\r\n${body}`)
  await expect(vendor()(peer.url)).rejects.toMatchObject({ kind: 'unanswered' })
  expect(peer.requests).toHaveLength(1)
})
