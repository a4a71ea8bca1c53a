// What can be wrong with a request before its fields are read: bytes, JSON, size, type, path.

import { METHODS, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { purchase, type Raw, refusal } from '../support/client.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service

const path = '/v1/checkout/sessions'
let keys = 0
const sendRaw = (raw: Raw, type: string | null = 'application/json') => {
  const headers = { ...client.withKey, 'rip-idempotency-key': `raw ${keys++}` }
  return client.send('POST', path, {
    headers: type === null ? headers : { ...headers, 'content-type': type },
    raw,
  })
}
const withMember = (member: string) => `{"amount":1,"currency":"GBP",${member}}`
const metadata = (member: string) => withMember(`"metadata":{${member}}`)
const nested = (depth: number) => withMember(`"items":${'['.repeat(depth)}${']'.repeat(depth)}`)

describe('refused as invalid_request, 400', () => {
  test.each<[string, Raw, RegExp]>([
    ['broken JSON', '{"amount":1', /JSON/],
    ['two values', '{} {}', /JSON/],
    ['a trailing comma', withMember(''), /JSON/],
    ['a single quote', "{'amount':1}", /JSON/],
    ['NaN', '{"amount":NaN}', /JSON/],
    ['a leading zero', '{"amount":01,"currency":"GBP"}', /JSON/],
    ['a raw control character', metadata('"a":"b\nc"'), /JSON/],
    ['bytes that are not UTF-8', Buffer.from(metadata('"a":"\xff"'), 'latin1'), /UTF-8/],
    ['an overlong encoding', Buffer.from(metadata('"a":"\xc0\xaf"'), 'latin1'), /UTF-8/],
    ['UTF-16', Buffer.from(JSON.stringify(purchase), 'utf16le'), /JSON|U\+0000/],
    ['a duplicate member', withMember('"amount":1'), /^amount /],
    ['a duplicate in metadata', metadata('"a":"1","\\u0061":"1"'), /^metadata\.a /],
    ['a duplicate __proto__', metadata('"__proto__":"1","__proto__":"1"'), /^metadata\.__proto__ /],
    ['U+0000 in a value', metadata('"a":"\\u0000"'), /^metadata\.a /],
    ['U+0000 in a name', metadata('"\\u0000":"a"'), /^metadata /],
    ['half a surrogate pair', metadata('"a":"\\ud800x"'), /^metadata\.a /],
    ['the wrong half', metadata('"a":"\\udc00\\ud800"'), /^metadata\.a /],
    ['half a pair in a name', metadata('"\\ud800":"a"'), /^metadata /],
    ['2^53', '{"amount":9007199254740992,"currency":"GBP"}', /^amount /],
    ['1e400', '{"amount":1e400,"currency":"GBP"}', /^amount /],
    ['-1e400', metadata('"a":-1e400'), /^metadata\.a /],
    ['-0', '{"amount":-0,"currency":"GBP"}', /^amount /],
    ['33 levels', nested(32), /^items\[0\].* 32 levels/],
    ['100 000 levels', nested(50_000), /32 levels/],
    ['a member __proto__', withMember('"__proto__":{"amount":2}'), /^__proto__ /],
    ['a member constructor', withMember('"constructor":1'), /^constructor /],
    ['__proto__ of a customer', withMember('"customer":{"__proto__":{}}'), /^customer\.__proto__ /],
    [
      '__proto__ of an item',
      withMember('"items":[{"name":"a","quantity":1,"__proto__":1}]'),
      /^items\[0\]\.__proto__ /,
    ],
    ['32 levels of a wrong type', nested(31), /^items\[0\] /],
  ])('%s', async (_, raw, words) => {
    const answer = await sendRaw(raw)
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(answer.body.message).toMatch(words)
  })
})

test('a byte order mark, and a charset, are taken', async () => {
  expect((await sendRaw(`\ufeff${JSON.stringify(purchase)}`)).status).toBe(201)
  const type = 'application/json; charset=utf-8'
  expect((await sendRaw(JSON.stringify(purchase), type)).status).toBe(201)
})

test.each([
  ['text/plain', 201],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['rubbish', 415],
  ['application/json', 201],
  ['application/merge-patch+json', 201],
])('content type %s: %i', async (type, status) => {
  const answer = await sendRaw(JSON.stringify(purchase), type)
  expect(answer.status).toBe(status)
  if (status === 415) expect(answer.body.error).toBe('invalid_request')
})

test('128 KB are taken and one byte more is not', async () => {
  const body = JSON.stringify(purchase)
  const padded = (size: number) => body + ' '.repeat(size - body.length)
  expect((await sendRaw(padded(128 * 1024))).status).toBe(201)
  expect(refusal(await sendRaw(padded(128 * 1024 + 1)))).toBe('413 invalid_request')
})

test('any text survives a round trip', async () => {
  const value = '\u202e\ufeff 𝄞 é e\u0301 \u2028 " \\ < \u007f ﷽'
  const { body } = await client.create({ ...purchase, metadata: { [value]: value } })
  expect((await client.readSession(body.id)).body.metadata).toEqual({ [value]: value })
})

describe('paths', () => {
  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/checkout'],
    ['GET', `/v1/payments/${'x'.repeat(600)}`],
    ['GET', '/v1/payments/'],
    ['GET', '/v1/payments/a/b'],
  ])('%s, path %#, is not there', async (method, at) => {
    const answer = await client.send(method, at, { headers: client.withKey })
    expect(refusal(answer)).toBe('404 resource_not_found')
    expect(Object.keys(answer.body)).toEqual(['error', 'message', 'request_id'])
    expect(answer.headers.get('rip-request-id')).toBe(answer.body.request_id)
  })

  test.each([
    ['GET', '/v1/payments/pay_0/hold/capture', 'POST'],
    ['PUT', '/v1/checkout/sessions', 'POST, GET'],
    ['DELETE', '/v1/payments/pay_0', 'GET'],
    ['POST', '/v1/payments/pay_0', 'GET'],
  ])('%s %s takes another method', async (method, at, allowed) => {
    const answer = await client.send(method, at)
    expect(refusal(answer)).toBe('405 invalid_request')
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  test.each(METHODS.filter((method) => method !== 'CONNECT'))(
    '%s is another method, too, and never a path that is not there',
    async (method) => {
      const ask = (path: string) =>
        new Promise<[status: number, allowed: string | undefined]>((resolve, reject) => {
          const asked = request(client.base_url + path, { method, agent: false }, (answer) => {
            answer.resume()
            resolve([answer.statusCode!, answer.headers.allow])
          })
          asked.on('error', reject).end()
        })
      const decided = '/v1/payments/pay_0/hold/capture'
      if (method !== 'POST') expect(await ask(decided)).toEqual([405, 'POST'])
      const is_read = method === 'GET' || method === 'HEAD'
      if (!is_read) expect(await ask('/v1/payments/pay_0')).toEqual([405, 'GET'])
      if (method !== 'GET') expect(await ask('/v1/events/stream')).toEqual([405, 'GET'])
      expect(await ask('/v1/nowhere')).toEqual([404, undefined])
    },
  )

  test('a path that cannot be decoded', async () => {
    const answer = await client.send('GET', '/v1/payments/%ff%', { headers: client.withKey })
    expect(refusal(answer)).toBe('404 resource_not_found')
    expect(answer.headers.get('rip-request-id')).toBe(answer.body.request_id)
  })

  test.each([
    '/v1/compat/partner/payment_intents/x/y',
    '/v1/compat/partner/nothing',
    '/v1/payment_intents/x/y',
    '/v1/compat/stripe/customers',
  ])('%s is not there, in the compatible shape', async (at) => {
    const answer = await client.send('GET', at)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      error: {
        type: 'invalid_request_error',
        code: 'resource_missing',
        message: expect.any(String),
        ripper_code: 'resource_not_found',
      },
    })
  })

  test('a webhook path that is not there', async () => {
    const answer = await client.send('PUT', '/v1/webhooks/endpoints/x/y')
    expect([answer.status, answer.body]).toEqual([
      404,
      { error: 'resource_not_found', message: expect.any(String), allowed: null },
    ])
  })
})

describe('what never becomes a request', () => {
  const host = 'Host: localhost\r\n'
  const heavy = `X: ${'x'.repeat(20_000)}\r\n`
  const request_id = expect.stringMatching(/^req_[0-9a-f]{24}$/)
  const message = expect.any(String)
  const own = { error: 'invalid_request', message, request_id }
  const compatible = {
    error: {
      type: 'invalid_request_error',
      code: 'invalid_request',
      message,
      ripper_code: own.error,
    },
  }
  test.each<[string, string, number, object]>([
    ['a malformed head', 'rubbish\r\n\r\n', 400, own],
    ['two lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, own],
    [
      'length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      own,
    ],
    ['a head over 16 KB', `GET / HTTP/1.1\r\n${host}${heavy}\r\n`, 431, own],
    ['the same at a compatible path', `GET /v1/payment_intents/x HTTP/1.1\r\n${host}${heavy}\r\n`, 431, compatible],
    [
      'the same at webhook endpoints',
      `GET /v1/webhooks/endpoints HTTP/1.1\r\n${host}${heavy}\r\n`,
      431,
      { error: 'invalid_request', message, allowed: null },
    ],
    ['a control character in a header', `GET / HTTP/1.1\r\n${host}X: a\x01b\r\n\r\n`, 400, own],
    ['an unknown method', `BREW /v1/payments/x HTTP/1.1\r\n${host}\r\n`, 400, own],
    ['a method in lower case', `get /v1/payments/x HTTP/1.1\r\n${host}\r\n`, 400, own],
    ['an unknown method, compatible', `BREW /v1/compat/x HTTP/1.1\r\n${host}\r\n`, 400, compatible],
    ['CONNECT', `CONNECT shop.example:443 HTTP/1.1\r\n${host}\r\n`, 400, own],
  ])('%s', async (_, sent, status, expected) => {
    const socket = connect(Number(new URL(service.base_url).port), '127.0.0.1')
    socket.write(sent)
    const answer = await text(socket)
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true)
    const [head, body] = answer.split('\r\n\r\n') as [string, string]
    expect(JSON.parse(body)).toEqual(expected)
    const [, id] = /^rip-request-id: (\S+)$/im.exec(head) ?? []
    expect(id).toEqual(request_id)
    expect(JSON.parse(body).request_id ?? id).toBe(id)
    expect(head.includes(`\r\nrequest-id: ${id}`)).toBe(expected === compatible)
    // An id that somebody quotes can be found.
    const logged = service.log.filter(({ fields }) => 'request_id' in fields && fields.request_id === id)
    expect(logged).toMatchObject([{ fields: { status, code: 'invalid_request' } }])
  })

  test.each(['PURGE', 'PROPFIND', 'TRACE', 'QUERY'])('%s, which HTTP knows', async (method) => {
    const socket = connect(Number(new URL(service.base_url).port), '127.0.0.1')
    socket.end(`${method} /v1/payments/x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4\d\d .*\r\nrip-request-id: req_[0-9a-f]{24}\r\n/is)
  })
})
