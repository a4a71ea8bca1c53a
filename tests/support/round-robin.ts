// A proxy that gives each request to the next process in turn, as one without sticky routing does.

import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RoundRobin = {
  base_url: string
  /** The processes that requests go to, in this order from now on. */
  leadTo(...targets: string[]): void
  close(): Promise<void>
}

export async function openRoundRobin(): Promise<RoundRobin> {
  let targets: string[] = []
  let turn = 0
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const target = targets[turn++ % targets.length]!
    const onward = send(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(...next) {
      targets = next
      turn = 0
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
