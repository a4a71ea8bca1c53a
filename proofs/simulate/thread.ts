// A thread that lives worlds for another one: on the databases that it is given, as many at a time.

import './few-methods.ts'
import './few-routes.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { type Lived, type Ordered, openLanes } from './lanes.ts'

const port = parentPort!
const { lanes, close } = await openLanes(workerData as string[])

port.on('message', async (asked: Ordered | 'close') => {
  if (asked === 'close') {
    await close()
    return port.close()
  }
  const { lane, order } = asked
  port.postMessage(await live(lane, order))
})
port.postMessage('ready')

async function live(lane: number, order: Ordered['order']): Promise<Lived> {
  try {
    return { lane, report: await lanes[lane]!(order) }
  } catch (error) {
    return { lane, error }
  }
}
