// The reversal of what no payment stands behind, where the vendor refuses it for days, or the shopper's bank sends the money back.

import { afterEach, describe, expect, test } from 'vitest'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { type Orphan, standingOf } from '../../src/payments/orphan.ts'
import { quick } from '../support/fault-table.ts'
import { findingsOf, openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))
const hour_ms = 3_600_000

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, other, account } = stage
  const { client, merchant_id } = account
  const { sql } = other
  const posts = name === 'adyen'

  afterEach(() => {
    vendor.habits.refuses_reversals = false
  })

  /** The vendor has taken the money of a charge that a person has given up. */
  async function loseOrphan(): Promise<string> {
    const session = await client.open()
    await client.present(session, quick)
    const charging = /confirm$|^POST (\/v72)?\/payments$/
    const met = stage.meet({ request: charging }, 'lost_after')
    await driving(clock, client.confirm(session))
    await met
    const [row] = await sql<{ operation_id: string; payment_id: string }[]>`
      select operation_id, payment_id from acquirer_operations o join payments p using (merchant_id, payment_id)
      where p.session_id = ${session.id} and kind = 'authorise'`
    const { operation_id, payment_id } = row!
    const said = { outcome: 'failed', reason: 'it is not there', by: 'ada' } as const
    const key = { merchant_id, payment_id }
    await resolveOperation(other.context, key, { ...said, acquirer_transaction_id: null })
    stage.calm()
    return operation_id
  }

  const kept = (reference: string) => {
    const { reserved, taken, refunded } = vendor.charges().find((each) => each.reference === reference)!
    return reserved + taken - refunded
  }
  const orphanOf = async (reference: string) => {
    const [orphan] = await sql<Orphan[]>`
      select * from orphan_authorisations where reference = ${reference}`
    return orphan!
  }

  test('that is refused for days stays with a person, and is done once the vendor takes it', async () => {
    const reference = await loseOrphan()
    vendor.habits.refuses_reversals = true
    for (let hours = 0; hours < 9 * 24; hours += 4) {
      await clock.advance(4 * hour_ms)
      if (posts) await stage.post()
      for (const job of ['handle_notices', 'reverse_orphans']) await stage.run(job)
    }
    const orphan = await orphanOf(reference)
    expect(orphan).toMatchObject({ state: 'found', next_try_at: expect.any(Date) })
    expect(standingOf(orphan, clock.now())).toBe('unreversed')
    expect(kept(reference)).toBe(4200)
    const told = other.log.filter(({ message }) => message === 'orphaned authorisation not reversed')
    expect(told.at(-1)).toMatchObject({ level: 'error' })
    vendor.habits.refuses_reversals = false
    await clock.advance(4 * hour_ms)
    await stage.rest(posts)
    expect(kept(reference)).toBe(0)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
  })

  test('that was a refund, and that the bank sends back: it is done again once a notice says so', async () => {
    const reference = await loseOrphan()
    await stage.rest(posts)
    await stage.post()
    await stage.run('handle_notices')
    expect(kept(reference)).toBe(0)
    await clock.advance(96 * hour_ms)
    vendor.sendBack(reference)
    expect(kept(reference)).toBe(4200)
    await stage.post()
    await stage.run('handle_notices')
    const orphan = await orphanOf(reference)
    expect(orphan).toMatchObject({ state: 'found', tries: 0, next_try_at: expect.any(Date) })
    await stage.rest(posts)
    expect(kept(reference)).toBe(0)
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
    const change = 'orphan.found'
    const lines = await sql`
      select detail from journal where subject = ${orphan.payment_id} and change = ${change}
        and detail ->> 'failed' is not null`
    expect(lines).toHaveLength(1)
    // What is posted again, or late, changes nothing.
    await stage.post('again')
    await stage.run('handle_notices')
    expect(await orphanOf(reference)).toMatchObject({ state: 'reversed' })
  })

  // Stripe answers a cancel with its end, and Adyen posts that once.
  test.runIf(name === 'checkout')(
    'of a hold, done and then undone by the vendor: it is done again once a notice says so',
    async () => {
      const session = await openUnverified(account)
      await client.present(session, quick)
      const { payment_id } = (await client.confirm(session)).body
      await stage.rest(posts)
      await client.decideHold('void', payment_id)
      await stage.rest(posts)
      const [charge] = await sql<{ reference: string }[]>`
        select operation_id as reference from acquirer_operations
        where payment_id = ${payment_id} and kind = 'authorise'`
      const { reference } = charge!
      expect(kept(reference)).toBe(0)
      await clock.advance(96 * hour_ms)
      vendor.portal.undoVoid(reference)
      expect(kept(reference)).toBe(4200)
      await stage.post()
      await stage.run('handle_notices')
      expect(await orphanOf(reference)).toMatchObject({ next_try_at: expect.any(Date) })
      await stage.rest(posts)
      expect(kept(reference)).toBe(0)
      expect((await client.readPayment(payment_id)).body.status).toBe('voided')
      expect(await findingsOf(other, payment_id)).toEqual([])
    },
  )

  // Adyen cannot be asked what became of a reversal.
  test.runIf(name !== 'adyen')(
    'that was a refund, and that the bank sends back: the comparison finds it in its first days and after seven',
    async () => {
      const [young, old] = [await loseOrphan(), await loseOrphan()]
      await stage.rest(posts)
      const compareAfter = async (hours: number, reference: string) => {
        await clock.advance(hours * hour_ms)
        vendor.sendBack(reference)
        await stage.run('compare_books')
        await stage.rest(posts)
      }
      await compareAfter(6 * 24, young)
      expect(kept(young)).toBe(0)
      await clock.advance(3 * 24 * hour_ms)
      await stage.run('compare_books')
      await compareAfter(24, old)
      expect(kept(old)).toBe(4200)
    },
  )
})
