// The door through which the library comes to a fake. The fakes take what our own connectors send and refuse every other member, so the
// door puts the library's requests into those words. The fake's answers go back as they are: they are what is proved.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request as send } from 'undici'
import { stripe_version } from '../../src/acquirers/stripe/requests.ts'

export type Answer = { status: number; type: string; text: string }

/** One request to the fake. `body`: as JSON, or where it is a text, as it is. */
export type Ask = (path: string, body: Record<string, unknown> | string) => Promise<Answer>

/** What came from the library: the path without its query, and the body. */
type Request = { path: string; text: string }

export type Way = {
  /** The header that carries the credentials, passed on as it came. */
  credential: string
  /** The header that the fake wants a fresh key in. */
  idempotency: string
  pass(request: Request, ask: Ask): Promise<Answer>
}

export type Door = { url: string; close(): Promise<void> }

export async function openDoor(fake_url: string, way: Way): Promise<Door> {
  async function pass(request: IncomingMessage, text: string): Promise<Answer> {
    const { pathname: path } = new URL(request.url!, 'http://door')
    return way.pass({ path, text }, async (to, body) => {
      const is_form = typeof body === 'string'
      const answer = await send(fake_url + to, {
        method: 'POST',
        headers: {
          'content-type': is_form ? 'application/x-www-form-urlencoded' : 'application/json',
          [way.credential]: String(request.headers[way.credential]),
          [way.idempotency]: randomUUID(),
          ...(is_form && { 'stripe-version': stripe_version }),
        },
        body: is_form ? body : JSON.stringify(body),
      })
      const type = String(answer.headers['content-type'])
      return { status: answer.statusCode, type, text: await answer.body.text() }
    })
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    try {
      const answer = await pass(request, text)
      response.writeHead(answer.status, { 'content-type': answer.type })
      response.end(answer.text)
    } catch (error) {
      process.stderr.write(`${request.url}: ${(error as Error).message}\n`)
      response.destroy()
    }
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => {
        server.close(closed)
      })
    },
  }
}
