// A fake vendor's server on loopback.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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
