// A service that fails as a test says, on loopback, and a client of the SDK in front of it that waits for nothing.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ripper } from '../../sdk/src/ripper.ts'
import type { RipperOptions } from '../../sdk/src/settings.ts'

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What is done with one request, read whole before. */
export type Treatment = (response: ServerResponse, asked: ReceivedRequest) => void

export type FaultServer = {
  base_url: string
  asked: ReceivedRequest[]
  /** How long the client would have waited before each retry, in ms. */
  waits: number[]
  /** The next requests get one each, the last of them all that follow. */
  treat(...treatments: Treatment[]): void
  client(options?: Partial<RipperOptions>): Ripper
  /** Resolves when so many requests have come. */
  has(count: number): Promise<void>
  close(): Promise<void>
}

export const secret_key = `rip_sk_${'5e'.repeat(24)}`

export async function openFaultServer(): Promise<FaultServer> {
  const asked: ReceivedRequest[] = []
  const waits: number[] = []
  const watching = new Set<() => void>()
  let treatments: Treatment[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const one = { method: request.method!, path: request.url!, headers: request.headers, body }
      asked.push(one)
      const treatment = treatments.length > 1 ? treatments.shift()! : treatments[0]!
      treatment(response, one)
      for (const look of watching) look()
    })
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    base_url,
    asked,
    waits,
    treat(...all) {
      treatments = all
      asked.length = 0
      waits.length = 0
    },
    client: (options = {}) =>
      new Ripper(secret_key, {
        base_url,
        sleep: async (duration_ms) => {
          waits.push(duration_ms)
        },
        ...options,
      }),
    has: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (asked.length < count) return
          watching.delete(look)
          resolve()
        }
        watching.add(look)
        look()
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** A whole answer; JSON unless it is a text. */
export function answers(status: number, body: object | string = {}, headers: Record<string, string> = {}): Treatment {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  return (response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }
}

/** The connection dies before any answer. */
export const dies: Treatment = (response) => {
  response.socket!.resetAndDestroy()
}

/** The connection dies within the answer's body. */
export const diesWithin: Treatment = (response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"id":', () => response.socket!.resetAndDestroy())
}

export const staysSilent: Treatment = () => {}

/** Headers and a part of the body, and then nothing. */
export const stopsWithin: Treatment = (response) => {
  response.writeHead(200)
  response.write('{"id":')
}
