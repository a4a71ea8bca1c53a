import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { admissionOf, boundPipelines, unanswered_max } from './unanswered-limit.ts'

test.each([
  ['with a host', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['without one', 'GET / HTTP/1.1\r\n\r\n'],
  ['of the old protocol', 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
  ['with a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'],
])('no request is made of what stands behind one too many: %s', async (_, request) => {
  let requests = 0
  const server = createServer({ requireHostHeader: false }, (incoming, response) => {
    requests += 1
    const is_last = admissionOf(incoming, response) === 'one_too_many'
    if (is_last) response.setHeader('connection', 'close')
    setImmediate(() => response.end('answer'))
  })
  boundPipelines(server)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(request.repeat(3_000))
  const answers = await text(socket).catch(() => '')
  expect(requests).toBe(unanswered_max + 1)
  expect(answers.match(/answer/g)?.length ?? 0).toBeLessThanOrEqual(unanswered_max + 1)
})
