// What ends an orphan though its own reversal did not: a void whose answer came after a person's word, and what people do in the
// vendor's portal. The vendor refuses each reversal meanwhile. A part that was given back ends nothing.

import { afterEach, describe, expect, test } from 'vitest'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import type { Orphan } from '../../src/payments/orphan.ts'
import { quick } from '../support/fault-table.ts'
import { openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { hour_ms } from '../support/settling.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))
const charging = /confirm$|^POST (\/v72)?\/payments$/
const voiding = /(cancel|voids|cancels)$/

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, service, other, account, acquirer } = stage
  const { client, merchant_id } = account
  const { sql } = other

  afterEach(async () => {
    vendor.habits.refuses_reversals = false
    stage.calm()
    expect(vendor.wrong).toEqual([])
    vendor.wrong.length = 0
    await sql`update orphan_brakes set released_at = pulled_at, released_by = 'test' where released_at is null`
    await sql`update orphan_authorisations set state = 'left', next_try_at = null, settled_at = found_at, left_by = 'test',
      left_reason = 'test' where state = 'found'`
  })

  const chargeOf = (session_id: string) =>
    sql<{ operation_id: string; payment_id: string }[]>`
      select operation_id, payment_id from acquirer_operations join payments using (merchant_id, payment_id)
      where session_id = ${session_id} and kind = 'authorise'`
  const resolve = (payment_id: string, outcome: 'approved' | 'failed') =>
    resolveOperation(
      other.context,
      { merchant_id, payment_id },
      { outcome, reason: 'seen there', by: 'ada', acquirer_transaction_id: null },
    )
  const orphanOf = async (reference: string) => {
    const [orphan] = await sql<Orphan[]>`
      select * from orphan_authorisations where acquirer = ${acquirer} and reference = ${reference}`
    return orphan!
  }
  const kept = (reference: string) => {
    const charge = vendor.charges().find((each) => each.reference === reference)!
    return charge.reserved + charge.taken - charge.refunded
  }
  async function pass(hours: number) {
    for (let hour = 0; hour < hours; hour++) {
      await clock.advance(hour_ms)
      await stage.post()
      for (const job of ['handle_notices', 'reconcile', 'reverse_orphans']) await stage.run(job)
    }
  }

  /** A charge that the vendor made, and that a person has given up. */
  async function giveUp(open: () => Promise<{ id: string; client_secret: string }>) {
    const session = await open()
    await client.present(session, quick)
    const met = stage.meet({ request: charging }, 'lost_after')
    await driving(clock, client.confirm(session))
    await met
    stage.calm()
    const [charge] = await chargeOf(session.id)
    await resolve(charge!.payment_id, 'failed')
    return charge!.operation_id
  }

  test('a void that a person rightly calls done before the vendor answers', async () => {
    const session = await openUnverified(account)
    await client.present(session, quick)
    const confirmed = await client.confirm(session)
    await stage.rest(true)
    const { payment_id } = confirmed.body
    const met = stage.meet({ request: voiding }, 'lost_after')
    await driving(clock, client.decideHold('void', payment_id))
    await met
    stage.calm()
    await resolve(payment_id, 'approved')
    const [charge] = await chargeOf(session.id)
    const { operation_id: reference } = charge!
    expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
    await pass(2)
    expect(kept(reference)).toBe(0)
    const { state } = await orphanOf(reference)
    expect(['reversed', 'nothing_to_reverse']).toContain(state)
    expect((await client.readPayment(payment_id)).body.status).toBe('voided')
  })

  type Act = 'void' | 'expire' | 'refund' | 'reverse'
  const portal = vendor.portal as never as Record<Act, (reference: string, of?: number) => void>
  const unverified = () => openUnverified(account)
  const verified = () => client.open()
  const rows: [string, typeof unverified, (reference: string) => void, string[]?][] = [
    // Stripe cancels whatever is reserved.
    ['a void of what is reserved', unverified, (it) => portal.void(it), ['checkout', 'adyen']],
    ['a lapse', unverified, (it) => portal.expire(it), ['checkout', 'adyen']],
    ['a refund of what was taken', verified, (it) => portal.refund(it, 4200)],
    ['a "cancel or refund"', verified, (it) => portal.reverse(it), ['adyen']],
  ]
  const own = rows.filter(([, , , at]) => at === undefined || at.includes(name))

  test.each(own)('%s in the portal', async (_, open, act) => {
    vendor.habits.refuses_reversals = true
    const reference = await giveUp(open)
    await pass(4)
    expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
    act(reference)
    await pass(2)
    const orphan = await orphanOf(reference)
    expect(['reversed', 'nothing_to_reverse']).toContain(orphan.state)
    expect(orphan.acquirer_transaction_id ?? orphan.handle).not.toBe(null)
    await stage.post('again')
    await pass(2)
    expect(await orphanOf(reference)).toMatchObject({ state: orphan.state })
  })

  test.each(own)('%s in the portal, of one that is held back', async (_, open, act) => {
    const session = await open()
    await client.present(session, quick)
    await client.confirm(session)
    await clock.advance(60_000)
    await stage.rest(true)
    const [charge] = await chargeOf(session.id)
    const lost = service.context.ids.operation(clock.now())
    vendor.repeat(charge!.operation_id, lost)
    for (let look = 0; look < 4; look++) {
      await clock.advance(60_000)
      await stage.post()
      await stage.run('handle_notices')
    }
    await stage.run('sweep_orphans')
    expect(await orphanOf(lost)).toMatchObject({ state: 'found', held_back_at: expect.any(Date) })
    act(lost)
    await pass(2)
    expect(['reversed', 'nothing_to_reverse']).toContain((await orphanOf(lost)).state)
  })

  test('a part that is refunded in the portal ends nothing, and the rest goes back', async () => {
    vendor.habits.refuses_reversals = true
    const reference = await giveUp(verified)
    await pass(4)
    portal.refund(reference, 1200)
    await pass(2)
    expect(await orphanOf(reference)).toMatchObject({ state: 'found' })
    vendor.habits.refuses_reversals = false
    await pass(4)
    expect(kept(reference)).toBe(0)
    expect((await orphanOf(reference)).state).toBe('reversed')
  })

  // Only there is what its notices tell all that can be known.
  test.runIf(name === 'adyen')('the approval is told after what took it back', async () => {
    vendor.habits.refuses_reversals = true
    const reference = await giveUp(unverified)
    portal.void(reference)
    await clock.advance(hour_ms)
    const url = `${other.base_url}/acquirers/${stage.connection_id}/notices`
    for (const about of ['CANCELLATION', 'AUTHORISATION']) {
      for (const { headers, body } of vendor.notices().filter((it) => it.body.includes(about))) {
        expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
      }
      await stage.run('handle_notices')
      await clock.advance(hour_ms)
      await stage.run('reverse_orphans')
    }
    await pass(3)
    expect((await orphanOf(reference)).state).toBe('reversed')
  })
})
