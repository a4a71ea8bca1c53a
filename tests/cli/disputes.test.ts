// `ripper dispute …`, as a user types it, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Json } from '../support/client.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { client } = service
const env = settingsOf(service, master_key)
const answer = (...args: string[]): Promise<Json> => answerOf(['dispute', ...args], { env })
const run = (...args: string[]) => ripper(['dispute', ...args], { env })
const read = async (id: string) => (await client.send('GET', `/v1/disputes/${id}`, { headers: client.withKey })).body

test('a test payment is disputed, listed and shown, and its dispute ends', async () => {
  const { payment_id } = (await client.pay()).body
  const opened = await answer('simulate', payment_id, '--amount', '1200')
  expect(opened).toEqual(await read(opened.id))
  expect(opened).toMatchObject({ payment_id, status: 'needs_response', amount: 1200 })
  expect((await answer('list')).disputes).toEqual([opened])
  expect((await run('list')).stdout).toMatch(/\ndsp_\w{24} +pay_\w{24} +GBP 12\.00 +needs_response +\S/)
  expect(await answer('show', opened.id)).toEqual(opened)
  expect((await run('show', opened.id)).stdout).toMatch(/^dispute_id +dsp_\w{24}\npayment_id +pay_/)

  await answer('simulate', payment_id, '--status', 'under_review')
  const lost = await answer('simulate', payment_id, '--status', 'lost')
  expect(lost).toMatchObject({ id: opened.id, status: 'lost', closed_at: expect.any(String) })
  // What is closed is never opened again.
  expect((await run('simulate', payment_id)).stdout).toMatch(/^Nothing has changed\./)
  expect((await answer('list')).disputes).toEqual([])
  expect((await answer('list', '--all')).disputes).toEqual([lost])

  const refused = await ripper(['refund', 'create', payment_id], { env })
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('dispute')])
  const refund = await answerOf(['refund', 'create', payment_id, '--amount', '100', '--accept-dispute'], { env })
  expect(refund).toMatchObject({ amount: 100, status: 'succeeded' })
}, 60_000)

test.each<[string[], number, RegExp]>([
  [['show', 'dsp_1'], 2, /24 hexadecimal/],
  [['show', `dsp_${'0'.repeat(24)}`], 1, /There is no dispute/],
  [['simulate', `pay_${'0'.repeat(24)}`], 1, /no payment/],
  [['simulate', `pay_${'0'.repeat(24)}`, '--status', 'open'], 2, /status/],
])('%j ends with %i', async (args, status, words) => {
  const refused = await run(...args)
  expect(refused.status).toBe(status)
  expect(refused.stderr).toMatch(words)
})
