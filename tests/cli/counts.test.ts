// `ripper counts rebuild`, as a user types it, on the database of a running service.

import { expect, test } from 'vitest'
import { runJob } from '../support/holding.ts'
import { useOperated } from '../support/operated.ts'
import { answer, ripper } from '../support/programs.ts'
import { drivenClock } from '../support/service.ts'

const clock = drivenClock()
const { service, env } = await useOperated({ clock })
const { merchant_id } = service.account

test('before anything was counted', async () => {
  const { stdout, status } = await ripper(['counts', 'rebuild'], { env })
  expect([stdout, status]).toEqual(['Nothing was counted yet.\n', 0])
})

test('says what was wrong, and then that nothing is', async () => {
  await service.client.pay()
  await clock.advance(60_000)
  await runJob(service, 'seal_journal')
  await runJob(service, 'count_payments')
  await service.sql`update payment_counts set n = 5 where merchant_id = ${merchant_id} and change = 'payment.captured'`
  const found = await answer(['counts', 'rebuild', '--merchant', merchant_id], { env })
  expect(found).toEqual({
    recounts: [{ merchant_id, quarters: 1, counts: expect.any(Number), corrected: 1 }],
  })
  const { stdout } = await ripper(['counts', 'rebuild'], { env })
  const { counts } = found.recounts[0]
  expect(stdout).toBe(`${merchant_id}: counts gone through: ${counts}, corrected: 0.\n`)
  const unknown = await ripper(['counts', 'rebuild', '--merchant', 'm_none'], { env })
  expect(unknown.status).not.toBe(0)
})
