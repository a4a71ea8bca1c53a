// Paths that can be written in two ways, and requests for two hosts: refused before anything looks at them.

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
    for (const line of [
      'GET /metrics',
      'GET http://pay.example/metrics',
      'GET /healthz?x=%61/../',
    ]) {
      expect((await send(line)).status).toBe(200)
    }
  })
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
      expect([status, JSON.parse(body)]).toEqual([
        400,
        { error: 'invalid_request', message, request_id },
      ])
    }
  }
})
