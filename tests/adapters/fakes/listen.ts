// A fake vendor's server on loopback. What a vendor answers needs no server: a simulated world asks for it directly.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type VendorCall = {
  method: string
  /** With its query. */
  path: string
  /** Names in lower case. */
  headers: Record<string, string | undefined>
  body: string
}

/** `lost`: no answer ever comes. */
export type VendorReply = { status: number; headers: Record<string, string>; body: string } | 'lost'

/** What such a fake answers. It rejects only by a fault of its own. */
export type ReplyTo = (call: VendorCall) => Promise<VendorReply>

/** A server of these replies. */
export function listenWith(wrong: string[], replyTo: ReplyTo) {
  return listenAsVendor(wrong, async ({ method, url, headers }, body, response) => {
    const call = { method: method!, path: url!, headers: headers as VendorCall['headers'], body }
    const reply = await replyTo(call)
    if (reply === 'lost') response.destroy()
    else response.writeHead(reply.status, reply.headers).end(reply.body)
  })
}

/** Answers each request once its body is read. What a request fails with is kept in `wrong`, and its connection is cut. */
export async function listenAsVendor(
  wrong: string[],
  serve: (request: IncomingMessage, body: string, response: ServerResponse) => Promise<void>,
): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const work = async () => serve(request, await text(request), response)
    work().catch((error: Error) => {
      wrong.push(error.stack ?? error.message)
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
