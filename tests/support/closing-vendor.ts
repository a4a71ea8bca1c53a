// A vendor with a thread of its own, which ends each connection after it has answered once. Whoever calls it can stand still until the
// end has been sent, and so has it unread.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** How a connection ends, and whether as soon as the answer is written or when it is told to. */
export type Ending = { how: 'end' | 'destroy'; when: 'at_once' | 'when_told' }

export type ClosingVendor = {
  url: string
  /** Has the last connection ended, and holds up this thread until so many are. */
  endUnread(count: number): void
  /** How many requests it has read, those on ended connections too. */
  requests(): Promise<number>
  close(): Promise<void>
}

/** No more than a guard: a thread that is held up notices no other limit. */
const held_up_max_ms = 60_000

export async function openClosingVendor(ending: Ending): Promise<ClosingVendor> {
  const ended = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: WorkerData = { ...ending, ended }
  const worker = new Worker(`(${serve.toString()})()`, { eval: true, workerData })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/payments`,
    endUnread(count) {
      if (ending.when === 'when_told') worker.postMessage('end')
      for (let now = 0; now < count; now = Atomics.load(ended, 0)) {
        const woken = Atomics.wait(ended, 0, now, held_up_max_ms)
        if (woken === 'timed-out') throw new Error('the vendor did not end the connection')
      }
    },
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

type WorkerData = Ending & { ended: Int32Array }

/** Runs in the thread, from its source text alone. */
function serve(): void {
  const { createServer } = require('node:net') as typeof import('node:net')
  const { parentPort, workerData } = require('node:worker_threads') as typeof import('node:worker_threads')
  const { how, when, ended } = workerData as WorkerData
  let count = 0
  let last: import('node:net').Socket | null = null
  const endLast = () => {
    // By then the end is with the other side.
    last!.once(how === 'end' ? 'finish' : 'close', () => {
      Atomics.add(ended, 0, 1)
      Atomics.notify(ended, 0)
    })
    last![how]()
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      count += 1
      last = socket
      const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
      socket.write(answer, () => {
        if (when === 'at_once') endLast()
      })
    })
  })
  server.listen(0, '127.0.0.1', () => {
    parentPort!.postMessage((server.address() as import('node:net').AddressInfo).port)
  })
  parentPort!.on('message', (asked: 'count' | 'end') => {
    if (asked === 'end') endLast()
    else parentPort!.postMessage(count)
  })
}
