// A merchant's server that receives webhooks, on a port of its own, and does to each what a test wants.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './client.ts'
import { until } from './service.ts'

export type ReceivedEvent = {
  path: string
  headers: Record<string, string>
  /** As it came. */
  body: string
  event: Json
  /** performance.now() when it was there as a whole. */
  at_ms: number
}

/** What is done with one: a status, or anything else with the response, later perhaps. */
export type Treatment = (received: ReceivedEvent, response: ServerResponse) => number | undefined

export type WebhookReceiver = {
  url: string
  port: number
  received: ReceivedEvent[]
  /** How the next ones are treated; with 200 until then. */
  treat(treatment: Treatment): void
  /** Resolves when so many are there. */
  has(count: number): Promise<ReceivedEvent[]>
  close(): Promise<void>
}

/** Where nobody listens. A port that was free a moment ago may be another test's by now. */
export const nobody_url = 'http://127.0.0.1:1/hooks'

/** `port` of one that was closed, to come back at the same address. */
export async function openWebhookReceiver(treatment: Treatment = () => 200, port = 0): Promise<WebhookReceiver> {
  const received: ReceivedEvent[] = []
  let treat = treatment
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const one = {
        path: request.url!,
        headers: request.headers as Record<string, string>,
        body,
        event: JSON.parse(body),
        at_ms: performance.now(),
      }
      received.push(one)
      const status = treat(one, response)
      if (status !== undefined) response.writeHead(status).end()
    })
  })
  await new Promise<void>((listening) => {
    server.listen(port, '127.0.0.1', listening)
  })
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}/hooks`,
    port: own,
    received,
    treat(next) {
      treat = next
    },
    has: (count) =>
      until(
        async () => received,
        (all) => all.length >= count,
      ),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
