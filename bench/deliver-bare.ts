// The other side of the flat-out benchmark: undici's bare `request`, posting what was made beforehand, in a process of
// its own.

import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { answerOrders, settingOf } from './deliver-child.ts'
import { eventOf, type Series } from './deliver-events.ts'

export type BareSetting = { ports: number[]; concurrency: number }

/** Posts the events of a series, each as the engine would. */
export type BareOrder = { series: Series; count: number }

const { ports, concurrency } = settingOf<BareSetting>()

async function postAll({ series, count }: BareOrder): Promise<void> {
  const posts = Array.from({ length: count }, (_, index) => postOf(series, index))
  // A connection for each post that is under way, none kept from an earlier turn.
  const dispatcher = new Agent({ pipelining: 1 })
  let next = 0
  const work = async () => {
    while (next < count) {
      const { url, headers, body } = posts[next++]!
      const answer = await request(url, { method: 'POST', headers, body, dispatcher })
      await answer.body.text()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  await dispatcher.close()
}

/** The headers are as long as the engine's, and made without signing anything. */
function postOf(series: Series, index: number) {
  const { payment_id, type, merchant_id, body } = eventOf(series, index, new Date())
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Ripper-Checkout',
    'rip-idempotency-key': `evt:${payment_id}#${type}#${endpoint_id}`,
    'rip-signature': `t=1800000000,v1=${signature}`,
    'accept-encoding': 'identity',
  }
  const port = ports[index % ports.length]!
  return { url: `http://127.0.0.1:${port}/hooks/${merchant_id}?type=${type}`, headers, body }
}

const endpoint_id = `whep_${'0'.repeat(24)}`
const signature = randomBytes(32).toString('hex')

answerOrders<BareOrder>(postAll)
