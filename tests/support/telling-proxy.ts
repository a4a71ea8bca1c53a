// Stands between a client and the service, tells what passed, and can lose an answer on its way back.

import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Passed = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  /** What the service answered. */
  status: number
}

export type RecordingProxy = {
  port: number
  passed: Passed[]
  /** The next so many answers are cut off, their connections with them. */
  loseAnswers(count: number): void
  /** Called with each request once its answer is there, before it goes on. */
  onAnswer(hear: (passed: Passed) => void | Promise<void>): void
  close(): Promise<void>
}

export async function openTellingProxy(target: string): Promise<RecordingProxy> {
  const passed: Passed[] = []
  let to_lose = 0
  let hear: (passed: Passed) => void | Promise<void> = () => {}
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const { method = '', url = '', headers } = request
    const onward = send(target + url, { method, headers }, async (answer) => {
      const told: Buffer[] = []
      for await (const part of answer) told.push(part as Buffer)
      const status = answer.statusCode ?? 0
      const one = { method, path: url, headers: headers as Record<string, string>, status }
      passed.push({ ...one, body: body.toString() })
      await hear(passed.at(-1)!)
      if (to_lose > 0) {
        to_lose -= 1
        request.socket.destroy()
        return
      }
      response.writeHead(status, answer.headers).end(Buffer.concat(told))
    })
    onward.end(body)
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  return {
    port: (server.address() as AddressInfo).port,
    passed,
    loseAnswers(count) {
      to_lose = count
    },
    onAnswer(next) {
      hear = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
