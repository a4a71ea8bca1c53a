// Paths that can be written in two ways, and requests for two hosts: refused before anything looks at them.

import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { useService } from '../support/use-service.ts'

const service = await useService()

/** Sends a request as it stands, as no client library would. */
async function send(line: string, headers: string[] = ['Host: pay.example']) {
  const socket = connect(Number(new URL(service.base_url).port), '127.0.0.1')
  socket.write([`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'))
  const [head, body] = (await text(socket)).split('\r\n\r\n') as [string, string]
  const request_id = /^rip-request-id: (\S+)/im.exec(head)?.[1]
  return { status: Number(head.split(' ')[1]), body, request_id }
}

const odd = [
  'GET /%6detrics',
  'GET /metri%63s?x=1',
  'POST /%73imulator/three-ds/ds',
  'POST /simulator/three-ds/../../aaaaaaaaaaaaaaaaaa/ds',
  'POST /simulator/three-ds/./acs/method',
  'GET /v1/%2e%2E/metrics',
  'GET /docs/..',
  'GET /nowhere/%7e',
  'GET /nowhere/%7e/%ff',
  'GET //metrics',
  'GET /v1//payments/pay_1',
  'GET /metrics#nowhere',
  'GET http://pay.example/%6detrics',
  'GET http://pay.example?/metrics',
  'DELETE /v1/webhooks/%65ndpoints',
]

describe('a path that can be written more plainly is refused', () => {
  test.each(odd)('%s', async (line) => {
    const { status, body, request_id } = await send(line)
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: 'invalid_request' }])
    expect(request_id).toMatch(/^req_/)
  })

  test('in the shape of its family', async () => {
    const { status, body } = await send('GET /v1/payment_intents/%70i')
    expect([status, JSON.parse(body).error]).toMatchObject([400, { type: 'invalid_request_error' }])
  })

  test('and a plain one is not, in absolute form either', async () => {
    for (const line of ['GET /metrics', 'GET http://pay.example/metrics', 'GET /healthz?x=%61/../']) {
      expect((await send(line)).status).toBe(200)
    }
  })
})

describe('a host that a proxy could read otherwise is refused before a route is looked for', () => {
  const own = 'staff.shop.example'
  test.each([
    ['user information', `x@${own}`],
    ['empty user information', `@${own}`],
    ['a password', `x:y@${own}`],
    ['a fragment', `${own}#x`],
    ['a query', `${own}?x`],
    ['a backslash', `${own}\\x`],
    ['a path', `${own}/x`],
    ['an escaped dot', 'staff%2eshop.example'],
    ['an escaped letter', '%73taff.shop.example'],
    ['a blank', `${own} x`],
    ['a tab', `${own}\tx`],
    ['two names', `${own},shop.example`],
    ['a port that is none', `${own}:x`],
    ['two ports', `${own}:1:2`],
    ['a letter that folds to another', 'ſtaff.shop.example'],
    ['a full stop that is none', 'staff。shop.example'],
    ['brackets around a name', `[${own}]`],
    ['no end of the brackets', '[::1'],
    ['a zone', '[fe80::1%25eth0]'],
    ['nothing', ''],
  ])('%s', async (_, host) => {
    for (const line of ['GET /healthz', 'GET /nowhere', 'OPTIONS /v1/checkout/public/sessions']) {
      const { status, body } = await send(line, [`Host: ${host}`])
      expect([line, status, JSON.parse(body).error]).toEqual([line, 400, 'invalid_request'])
    }
    const { status } = await send(`GET http://${host}/healthz`, ['Host: pay.example'])
    expect(status).toBe(400)
  })

  test.each(['pay.example', 'PAY.example:8443', '127.0.0.1:1', '[::1]', '[2001:DB8::1]:443', 'pay'])(
    '%s is none of them',
    async (host) => {
      expect((await send('GET /healthz', [`Host: ${host}`])).status).toBe(200)
      expect((await send(`GET http://${host}/healthz`, [`Host: ${host}`])).status).toBe(200)
    },
  )

  test('the target names the same host as the header', async () => {
    const { status, body } = await send('GET http://evil.example/healthz')
    const message = 'The host of the target must be that of the header Host.'
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: 'invalid_request', message }])
  })
})

test.each([
  ['no Transfer-Encoding', ['Content-Length: 2'], 'keep-alive'],
  ['a chunked body', ['Transfer-Encoding: chunked'], 'close'],
  ['any other', ['Transfer-Encoding: identity'], 'close'],
])('HTTP/1.0 with %s', async (_, headers, connection) => {
  const socket = connect(Number(new URL(service.base_url).port), '127.0.0.1')
  const head = ['POST /v1/checkout/sessions HTTP/1.0', 'Connection: keep-alive', ...headers]
  socket.write([...head, '', connection === 'close' ? '2\r\n{}\r\n0\r\n\r\n' : '{}'].join('\r\n'))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(/^connection: (.*)\r$/im.exec(String(answer))?.[1]).toBe(connection)
  expect(String(answer).split(' ')[1]).toBe(connection === 'close' ? '400' : '401')
  socket.destroy()
})

test('a query has at most 100 parameters', async () => {
  const asked = async (pairs: number) =>
    (await send(`GET /healthz?${Array.from({ length: pairs }, () => 'a').join('&')}`)).status
  expect([await asked(100), await asked(101)]).toEqual([200, 400])
})

test('two Host headers are refused, equal ones too', async () => {
  const two = [
    ['Host: pay.example', 'Host: evil.example'],
    ['Host: pay.example', 'host: pay.example'],
  ]
  for (const headers of two) {
    for (const line of ['GET /healthz', 'GET /nowhere', 'POST /v1/checkout/sessions']) {
      const { status, body, request_id } = await send(line, headers)
      const message = 'Send the header Host once.'
      expect([status, JSON.parse(body)]).toEqual([400, { error: 'invalid_request', message, request_id }])
    }
  }
})
