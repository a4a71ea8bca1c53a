// `ripper reconcile resolve` where it is not alone: two people at once, and an acquirer that never tells the outcome.

import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { reverseOrphans } from '../../src/payments/orphans/reverse-orphans.ts'
import { booksOf, eventsOf, openUnverified } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { drivenClock, driving, until } from '../support/service.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const clock = drivenClock()
const service = await useService({ master_key, clock, lock_limit: 'none' })
const env = settingsOf(service, master_key)

// Commands have the real clock.
beforeEach(() => clock.advance(Date.now() - clock.now().getTime()))

/** A payment that will be held, should the acquirer ever say that it is approved; it never says anything. */
async function loseCharge(): Promise<string> {
  const { account } = service
  const session = await openUnverified(account)
  await account.client.present(session, '4000009190450000')
  const { body } = await driving(clock, account.client.confirm(session))
  expect(body.status).toBe('processing')
  return body.payment_id
}

/** No two payments have one id there. */
const resolve = (payment_id: string, outcome: string) => [
  ...['reconcile', 'resolve', payment_id, '--as', outcome, '--reason', 'seen in the portal'],
  ...(outcome === 'approved' ? ['--transaction', `acq_${payment_id}`] : []),
]

test('two people at once: one decision counts, and the other person is refused', async () => {
  const payment_id = await loseCharge()
  const people = await service.sql.begin(async (tx) => {
    await tx`select 1 from acquirer_operations where payment_id = ${payment_id} for update`
    const both = ['declined', 'failed'].map((as) => ripper(resolve(payment_id, as), { env }))
    await until(
      () => countLockWaits(service.sql),
      (count) => count === 2,
    )
    return { both }
  })
  const [first, second] = await Promise.all(people.both)
  const [done, late] = first!.status === 0 ? [first, second] : [second, first]
  expect(done).toMatchObject({ status: 0, stderr: '' })
  expect([late!.status, late!.stdout]).toEqual([1, ''])
  expect(late!.stderr).toMatch(/^ripper reconcile resolve: .* was answered meanwhile\.\n$/)
  expect(await eventsOf(service, payment_id)).toHaveLength(1)
})

test('a charge that counts as failed is taken back, even if the acquirer never lists it', async () => {
  const payment_id = await loseCharge()
  await answerOf(resolve(payment_id, 'failed'), { env })
  await clock.advance(60_000)
  await reverseOrphans(service.context)
  expect((await booksOf(service, payment_id))!.reversed_at).not.toBeNull()
})

test.each([
  ['capture', 'captured', 'captured_at'],
  ['void', 'voided', 'voided_at'],
] as const)(
  'a %s of what counts as approved goes through, though the acquirer never tells of it',
  async (verb, status, column) => {
    const payment_id = await loseCharge()
    await answerOf(resolve(payment_id, 'approved'), { env })
    const { body } = await service.account.client.decideHold(verb, payment_id)
    expect(body).toMatchObject({ status, settlement: null })
    expect((await booksOf(service, payment_id))![column]).not.toBeNull()
  },
  30_000,
)
