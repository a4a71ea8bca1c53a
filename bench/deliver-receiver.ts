// The receiver of the webhook benchmarks, in a process of its own: answers at once or hangs, and notes when each
// delivery's body was there as a whole.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOrders, commonNow, settingOf } from './deliver-child.ts'
import { indexIn } from './deliver-events.ts'

/** How many endpoints there are; each has a port, so that none uses a connection of another. */
export type ReceiverSetting = { answering: number; hanging: number; hang_ms: number }

export type ReceiverOrder =
  | { order: 'ports' }
  /** Notes deliveries anew, with indexes below this. */
  | { order: 'note'; count: number }
  /** Answers once so many deliveries were noted. */
  | { order: 'await'; count: number }
  | { order: 'noted' }
  /** What hangs is answered, and nothing hangs any more. */
  | { order: 'release' }

export type Ports = { answering: number[]; hanging: number[] }

/** When each came first, 0 where it did not, and how many came again. */
export type Receipts = { at_ms: Float64Array; repeated: number }

const setting = settingOf<ReceiverSetting>()
const words = Buffer.from('{"received":true}')
const head = { 'content-type': 'application/json', 'content-length': words.length }

let noted: Receipts = { at_ms: new Float64Array(0), repeated: 0 }
let count = 0
let awaited = { count: Infinity, reached: () => {} }
let hangs = true
const hanging = new Map<ServerResponse, NodeJS.Timeout>()

function note(key: string): void {
  const { at_ms } = noted
  const index = indexIn(key)
  if (at_ms[index] !== 0) {
    noted.repeated += 1
    return
  }
  at_ms[index] = commonNow()
  count += 1
  if (count >= awaited.count) awaited.reached()
}

function listen(isHanging: boolean): Promise<number> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      note(request.headers['rip-idempotency-key'] as string)
      if (isHanging && hangs) {
        hanging.set(
          response,
          setTimeout(() => answer(response), setting.hang_ms),
        )
      } else {
        response.writeHead(200, head).end(words)
      }
    })
  })
  server.keepAliveTimeout = 30_000
  return new Promise((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => resolve((server.address() as AddressInfo).port))
  })
}

function answer(response: ServerResponse): void {
  clearTimeout(hanging.get(response))
  hanging.delete(response)
  response.writeHead(200, head).end(words)
}

const listenAll = (number: number, isHanging: boolean) =>
  Promise.all(Array.from({ length: number }, () => listen(isHanging)))
const ports: Ports = {
  answering: await listenAll(setting.answering, false),
  hanging: await listenAll(setting.hanging, true),
}

answerOrders<ReceiverOrder>((order) => {
  switch (order.order) {
    case 'ports':
      return ports
    case 'note':
      noted = { at_ms: new Float64Array(order.count), repeated: 0 }
      count = 0
      hangs = true
      awaited = { count: Infinity, reached: () => {} }
      return null
    case 'await':
      return new Promise<void>((reached) => {
        awaited = { count: order.count, reached }
        if (count >= order.count) reached()
      })
    case 'noted':
      return noted
    case 'release':
      hangs = false
      for (const response of [...hanging.keys()]) answer(response)
      return null
  }
})
