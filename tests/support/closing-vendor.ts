// A vendor with a thread of its own, which ends each connection after it has answered once: the end is on its way, or lies unread,
// while this thread is busy.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** How a connection ends, so many milliseconds after its answer. */
export type Ending = { how: 'end' | 'destroy'; after_ms: number }

export type ClosingVendor = {
  url: string
  /** How many requests it has read, those on ended connections too. */
  requests(): Promise<number>
  close(): Promise<void>
}

export async function openClosingVendor(ending: Ending): Promise<ClosingVendor> {
  const worker = new Worker(`(${serve.toString()})()`, { eval: true, workerData: ending })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/payments`,
    async requests() {
      worker.postMessage('count')
      const [count] = (await once(worker, 'message')) as [number]
      return count
    },
    async close() {
      await worker.terminate()
    },
  }
}

/** Runs in the thread, from its source text alone. */
function serve(): void {
  const { createServer } = require('node:net') as typeof import('node:net')
  const { parentPort, workerData } =
    require('node:worker_threads') as typeof import('node:worker_threads')
  const { how, after_ms } = workerData as Ending
  let count = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      count += 1
      const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
      socket.write(answer, () => {
        if (after_ms === 0) socket[how]()
        else setTimeout(() => socket[how](), after_ms)
      })
    })
  })
  server.listen(0, '127.0.0.1', () => {
    parentPort!.postMessage((server.address() as import('node:net').AddressInfo).port)
  })
  parentPort!.on('message', () => parentPort!.postMessage(count))
}
