// A charge that our books have as sent, though it was paid: where they went back and the acquirer has forgotten the reference,
// it is not taken back.

import { afterEach, expect, test } from 'vitest'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { every_acquirer } from '../../src/payments/orphan.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../src/payments/orphans/orphan-brake-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { booksOf } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { faults, hour_ms, second_ms, useStage } from '../support/settling.ts'

const { clock, acquirer, service, account, settle } = await useStage()
const { client } = account
const { sql } = service

afterEach(async () => {
  acquirer.calm()
  await sql`truncate orphan_brakes`
  await expectBooksAgree(service)
})

/** A charge that was made and whose answer was lost, as the books have it that went back to before it came. */
async function chargeUnknown() {
  acquirer.meet('authorise', faults.lost_after)
  const session = await client.open()
  await client.present(session, '4242424242424242')
  const { body } = await driving(clock, client.confirm(session))
  const { payment_id } = body
  return { session, payment_id, key: { merchant_id: account.merchant_id, payment_id } }
}

const pull = () =>
  pullBrake(sql, {
    acquirer: every_acquirer,
    pulled_at: clock.now(),
    pulled_by: 'service',
    reason: 'lost',
    released_at: null,
    released_by: null,
  })

/** From now on the acquirer knows of no reference. */
const forget = () => acquirer.meet('lookUp', ...Array(50).fill(async () => ({ result: 'not_found' })))

const reversals = (before: number) => acquirer.calls.slice(before).filter(({ verb }) => verb === 'reverse')

const release = async () => {
  const brakes = await listBrakes(sql, { acquirer: null, released_too: false })
  await releaseBrakes(sql, { brakes, at: clock.now(), by: 'ada' })
}

test.each<[string, () => Promise<unknown>]>([
  ['under a brake', async () => {}],
  ['under a brake that a person has released since', release],
])('%s it waits for a person, and the person says that it was paid', async (_name, afterwards) => {
  const { payment_id, key } = await chargeUnknown()
  await clock.advance(25 * hour_ms)
  await pull()
  await afterwards()
  forget()
  const before = acquirer.calls.length
  await settle()
  expect(reversals(before)).toEqual([])
  const [row] = await sql`
    select state, waits_for_person_since from acquirer_operations where payment_id = ${payment_id}`
  expect(row).toEqual({ state: 'unknown', waits_for_person_since: expect.any(Date) })
  expect(await booksOf(service, payment_id)).toMatchObject({ captured_at: expect.any(Date), reversed_at: null })
  const told = {
    acquirer_transaction_id: `acq_${payment_id}`,
    reason: 'it is in their portal',
    by: 'ada',
  }
  await resolveOperation(service.context, key, { outcome: 'approved', ...told })
  expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'captured' })
})

test.each<[string, () => Promise<unknown>, number]>([
  ['without a brake', async () => {}, 25 * hour_ms],
  ['under a brake that was pulled before it was sent', async () => {}, 25 * hour_ms],
  ['while the acquirer must know it still', pull, 60 * second_ms],
])('%s it is taken back as ever', async (name, brake, after_ms) => {
  if (name.includes('before it was sent')) {
    await pull()
    await clock.advance(second_ms)
  }
  const { payment_id } = await chargeUnknown()
  await clock.advance(after_ms)
  await brake()
  forget()
  const before = acquirer.calls.length
  await settle()
  expect(reversals(before)).toHaveLength(1)
  expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'failed' })
})
