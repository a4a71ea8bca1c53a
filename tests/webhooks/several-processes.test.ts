// An endpoint has one window, however many processes deliver to it.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { window_max } from '../../src/webhooks/sending/lane.ts'
import { until } from '../support/service.ts'
import { addEndpoints, newKeyring, openPosts, pollClock, startLoop } from '../support/webhook-loop.ts'
import { openQueue, type Queue, queueRows, tell } from '../support/webhook-rows.ts'

const keyring = newKeyring()
const first = 1_200
const then = 400
let queue: Queue
beforeAll(async () => {
  queue = await openQueue()
})
afterAll(() => queue.drop())

test('four processes have no more under way at it than one would', async () => {
  const { sql } = queue
  await addEndpoints(sql, keyring, 1)
  for (let n = 0; n < first; n += 1) await tell(sql, { payment_id: `pay_${n}` })
  const http = openPosts()
  const clocks = [pollClock(), pollClock(), pollClock(), pollClock()]
  const loops = clocks.map((clock) => startLoop(sql, { clock, http, keyring, processes: () => clocks.length }))
  await until(
    async () => http.came.length,
    (count) => count === first,
  )
  await until(
    () => queueRows(sql),
    ({ length }) => length === 0,
  )
  http.hold()
  for (let n = 0; n < then; n += 1) await tell(sql, { payment_id: `pay_${first + n}` })
  for (let round = 0; round < 10; round += 1) await Promise.all(clocks.map(({ poll }) => poll()))
  const leased = (await queueRows(sql)).filter(({ attempt_id }) => attempt_id !== null)
  expect(leased.length).toBeLessThanOrEqual(window_max)
  expect(leased.length).toBeGreaterThan(clocks.length)
  http.release()
  for (const { stop } of loops) await stop()
})
