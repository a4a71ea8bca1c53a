// How much of a charge was refunded is compared with what the acquirer shows of it.

import { expect, test } from 'vitest'
import { compareBooks } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { closeFindings, listFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import { hour_ms, useOrphanStage } from '../support/orphan-stage.ts'

const { sql, clock, context, charge, writeRefund } = await useOrphanStage()

const day_ms = 24 * hour_ms
const findings = (closed_too = false) => listFindings(sql, { acquirer: null, closed_too, limit: 10 })
const paid = () => charge({ state: 'approved', payment: 'captured' })

/** Compares so much later. Returns how many findings are new. */
async function compareAfter(duration_ms = hour_ms): Promise<number> {
  await clock.advance(duration_ms)
  return compareBooks(context)
}

test('what was refunded in the portal is named with both sums, until a person closes it or more is refunded', async () => {
  const { reference, ...payment } = await paid()
  await writeRefund(payment, 'succeeded', 1000)
  await sql`update simulator.ledger set refunded_amount = 1000`
  expect(await compareAfter()).toBe(0)
  await sql`update simulator.ledger set refunded_amount = 1500`
  expect(await compareAfter(day_ms)).toBe(1)
  const money = { state: 'captured', amount: 4200, currency: 'GBP' }
  expect(await findings()).toMatchObject([
    {
      reference,
      kind: 'amount_differs',
      payment_id: payment.payment_id,
      ours: { ...money, refunded_amount: 1000 },
      theirs: { ...money, refunded_amount: 1500 },
    },
  ])
  const person = { at: clock.now(), by: 'ada', reason: 'refunded there' }
  await closeFindings(sql, { acquirer: null, references: [reference] }, person)
  expect(await compareAfter(hour_ms)).toBe(0)
  // The charge is older than the comparison's span by now, and its refund is not.
  await clock.advance(3 * day_ms)
  await compareAfter()
  await sql`update simulator.ledger set refunded_amount = 0`
  expect(await compareAfter(day_ms)).toBe(1)
  await sql`update simulator.ledger set refunded_amount = 1000`
  expect(await compareAfter(day_ms)).toBe(0)
  expect(await findings()).toEqual([])
})

test('there is no finding while a refund is under way, whether or not the acquirer counts it', async () => {
  const payment = await paid()
  await writeRefund(payment, 'pending', 1000)
  for (const refunded_amount of [0, 1000]) {
    await sql`update simulator.ledger set refunded_amount = ${refunded_amount}`
    expect(await compareAfter(day_ms)).toBe(0)
  }
  expect(await findings(true)).toEqual([])
})
