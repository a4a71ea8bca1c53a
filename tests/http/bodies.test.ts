// Bodies that are begun and never ended: what others may hold of the service's memory so.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { anonymous_bytes_max } from '../../src/http/body-budget.ts'
import { purchase, refusal } from '../support/client.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()

const unended_bytes = 130_000
const head = [
  ...['POST /v1/checkout/public/sessions HTTP/1.1', 'Host: pay.example'],
  ...['Content-Type: application/json', `Content-Length: ${unended_bytes + 10}`, '', ''],
].join('\r\n')

/** Sends all of a body but its end. */
async function hold(localAddress: string): Promise<Socket> {
  const port = Number(new URL(service.base_url).port)
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  await new Promise((sent) => socket.write(head + ' '.repeat(unended_bytes), sent))
  return socket
}

test('they take no more memory than is set aside, and leave room to small bodies and to known keys', async () => {
  const count = Math.ceil((1.2 * anonymous_bytes_max) / unended_bytes)
  const sockets: Socket[] = []
  async function flood(first: number, networks: number) {
    for (let body = 0; body < count; body++) {
      sockets.push(await hold(`127.0.0.${first + (body % networks)}`))
    }
  }
  const { client } = service
  let key = 0
  const create = (padding: number) => {
    key += 1
    return client.send('POST', '/v1/checkout/sessions', {
      headers: { ...client.withKey, 'rip-idempotency-key': `body ${key}` },
      raw: JSON.stringify(purchase) + ' '.repeat(padding),
    })
  }
  const createFromPage = (padding: number) =>
    client.send('POST', '/v1/checkout/public/sessions', { raw: `{}${' '.repeat(padding)}` })
  const large = () => createFromPage(100_000)
  await flood(2, 2)
  expect(refusal(await large()), 'two networks have half of it').toBe('401 unauthorized')
  await flood(4, 4)
  await expect.poll(async () => refusal(await large())).toBe('503 store_unavailable')
  const { headers, body } = await large()
  expect([headers.get('retry-after'), headers.get('connection')]).toEqual(['2', 'close'])
  expect(Object.keys(body)).toEqual(['error', 'message', 'request_id'])
  expect(refusal(await createFromPage(0))).toBe('401 unauthorized')
  expect((await create(100_000)).status).toBe(201)
  expect((await create(0)).status).toBe(201)
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => refusal(await large())).toBe('401 unauthorized')
})
