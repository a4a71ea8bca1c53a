import { networkInterfaces } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { GuardedFailure, GuardedHttp } from '../../src/kernel/world.ts'
import { openGuardedHttp } from '../../src/outgoing/guarded-http.ts'
import { loopback, type Trick, tricks } from '../support/address-tricks.ts'
import { httpAnswer, openReceiver, type Receiver } from '../support/receiver.ts'
import { realClock } from '../support/world.ts'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
const testable = tricks.filter(({ url }) => hasIpv6 || !/\[(::|0:0:0:0:0:0:0:)1\]/.test(url))

let receiver: Receiver
const opened: GuardedHttp[] = []

beforeAll(async () => {
  const hosts = ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]
  receiver = await openReceiver(({ socket }) => socket.write(httpAnswer('200 OK')), { hosts })
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((http) => http.close()))
})

afterAll(async () => {
  await receiver.close()
})

function open(allowed_networks: string[], resolve = async (): Promise<string[]> => ['127.0.0.1']) {
  const http = openGuardedHttp({ clock: realClock, allowed_networks, resolve })
  opened.push(http)
  return http
}

/** `arrives`, or the code of the failure. The port of the listener stands in for PORT. */
function outcome(http: GuardedHttp, url: string): Promise<string> {
  const limits = { timeout_ms: 10_000, connect_timeout_ms: 5_000 }
  return http.post({ url: url.replaceAll('PORT', `${receiver.port}`), headers: {}, body: '{}', ...limits }).then(
    () => 'arrives',
    (failure: GuardedFailure) => failure.code,
  )
}

describe('a URL that is posted to', () => {
  const named = testable.map((trick): [string, Trick] => [JSON.stringify(trick.url), trick])

  test.each(named)('%s opens no connection', async (_name, { url, refused }) => {
    const before = receiver.sockets.length
    expect(await outcome(open([]), url)).toBe(refused)
    expect(receiver.sockets.length).toBe(before)
  })

  test.each(named)('%s where loopback is allowed', async (_name, { url, refused, allowed }) => {
    const before = receiver.requests.length
    const resolve = async () => (url.includes('metadata') ? ['169.254.169.254'] : ['127.0.0.1'])
    expect(await outcome(open(loopback, resolve), url)).toBe(allowed ?? refused)
    expect(receiver.requests.length - before).toBe(allowed === 'arrives' ? 1 : 0)
  })
})

describe('the addresses of a name', () => {
  const blocked: [string, string[]][] = [
    ['loopback', ['127.0.0.1']],
    ['loopback of IPv6', ['::1']],
    ['private', ['10.0.0.1']],
    ['unspecified', ['0.0.0.0']],
    ['metadata', ['169.254.169.254']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['mapped, in figures', ['::ffff:7f00:1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['unique local', ['fd00:ec2::254']],
    ['with a zone', ['fe80::1%lo']],
    ['public with a zone', ['2606:4700::1111%lo']],
    ['public first, private last', ['8.8.8.8', '127.0.0.1']],
    ['private first, public last', ['127.0.0.1', '8.8.8.8']],
    ['IPv4 public, IPv6 private', ['8.8.8.8', '::1']],
    ['beyond those that are tried', [...Array<string>(9).fill('8.8.8.8'), '10.0.0.1']],
    ['no address at all', ['shop.example']],
  ]

  test.each(blocked)('%s: refused', async (_name, addresses) => {
    const before = receiver.sockets.length
    const http = open([], async () => addresses)
    expect(await outcome(http, 'https://shop.example:PORT/')).toBe('blocked_address')
    expect(receiver.sockets.length).toBe(before)
  })

  test.each([
    ['https', 'https://shop.example:PORT/', ['127.0.0.1'], 'tls'],
    ['https, mapped', 'https://shop.example:PORT/', ['::ffff:127.0.0.1'], 'tls'],
    ['plain http', 'http://shop.internal:PORT/', ['127.0.0.1'], 'arrives'],
    ['one outside', 'https://shop.example:PORT/', ['127.0.0.1', '10.0.0.1'], 'blocked_address'],
    ['plain http, public', 'http://shop.internal:PORT/', ['8.8.8.8'], 'blocked_address'],
    ['plain http, mixed', 'http://intranet:PORT/', ['127.0.0.1', '8.8.8.8'], 'blocked_address'],
    ['a private name, public', 'https://shop.internal:PORT/', ['8.8.8.8'], 'blocked_address'],
    ['none', 'https://shop.example:PORT/', [], 'name_not_found'],
  ])('where loopback is allowed, %s: %s to %j %s', async (_name, url, addresses, expected) => {
    const http = open(loopback, async () => addresses)
    expect(await outcome(http, url)).toBe(expected)
  })

  test.each([
    ['ENOTFOUND', 'name_not_found'],
    ['ENODATA', 'name_not_found'],
    ['EAI_AGAIN', 'name_lookup_failed'],
    ['ESERVFAIL', 'name_lookup_failed'],
  ])('a resolver that says %s: %s', async (code, expected) => {
    const http = open([], async () => {
      throw Object.assign(new Error('no'), { code })
    })
    expect(await outcome(http, 'https://shop.example/')).toBe(expected)
  })

  test('are judged again at the next connection', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']]
    const http = open(loopback, async () => answers.shift()!)
    const closing = await openReceiver(({ socket }) => socket.end(httpAnswer('200 OK', '', 'connection: close\r\n')))
    const url = `http://rebinding.internal:${closing.port}/`
    expect(await outcome(http, url)).toBe('arrives')
    expect(await outcome(http, url)).toBe('blocked_address')
    expect(await outcome(http, url)).toBe('arrives')
    expect(closing.sockets.length).toBe(2)
    await closing.close()
  })

  test('are asked for once by posts that connect at the same time', async () => {
    let asked = 0
    const http = open(loopback, async () => {
      asked += 1
      return ['127.0.0.1']
    })
    const post = () => outcome(http, 'http://shop.internal:PORT/')
    expect(await Promise.all([post(), post(), post()])).toEqual(Array(3).fill('arrives'))
    expect(asked).toBe(1)
  })

  test('localhost is not asked for, and has but the addresses that are allowed', async () => {
    const http = open(['127.0.0.1'], async () => {
      throw new Error('the resolver was asked')
    })
    expect(await outcome(http, 'http://localhost:PORT/')).toBe('arrives')
  })
})

test('a redirect is not followed', async () => {
  const before = receiver.requests.length
  const redirecting = await openReceiver(({ socket }) => {
    const location = `location: http://127.0.0.1:${receiver.port}/inside\r\n`
    socket.write(httpAnswer('302 Found', '', location))
  })
  const limits = { timeout_ms: 10_000, connect_timeout_ms: 5_000 }
  const http = open(loopback)
  const request = { url: redirecting.url, headers: {}, body: '{}', ...limits }
  const location = `http://127.0.0.1:${receiver.port}/inside`
  const answer = { status: 302, retry_after_seconds: null, body: '', location }
  expect(await http.post(request)).toEqual(answer)
  expect(receiver.requests.length).toBe(before)
  await redirecting.close()
})
