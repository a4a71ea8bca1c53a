// An error that a vendor keeps under the key of a request: the request is never carried out under that key, however often it is sent.

import { describe, expect, test } from 'vitest'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { quick } from '../support/fault-table.ts'
import { openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const charging = { request: /confirm$|^POST (\/v72)?\/payments$/ }

/** Checkout.com keeps no error under a key, so the same request is carried out when it is sent again. */
const kept = { checkout: 'error_before', stripe: 'error_before_kept', adyen: 'error_before' } as const

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, other, account } = stage
  const { client, merchant_id } = account
  const { sql } = other
  const posts = name === 'adyen'

  async function pay(is_held: boolean) {
    const session = is_held ? await openUnverified(account) : await client.open()
    await client.present(session, quick)
    await driving(clock, client.confirm(session))
    if (!is_held) await stage.rest(posts)
    const [row] = await sql<{ payment_id: string; operation_id: string }[]>`
      select payment_id, operation_id from acquirer_operations o join payments p using (merchant_id, payment_id)
      where p.session_id = ${session.id} and kind = 'authorise'`
    return row!
  }

  const chargeOf = (reference: string) => vendor.charges().find((each) => each.reference === reference)!

  async function passing(hours: number): Promise<void> {
    for (let passed_ms = 0; passed_ms < hours * hour_ms; passed_ms += 20 * minute_ms) {
      await clock.advance(20 * minute_ms)
      if (posts) await stage.post()
      for (const job of ['handle_notices', 'reconcile', 'reverse_orphans']) await stage.run(job)
    }
  }

  test.each([
    ['capture', 'captured', { reserved: 0, taken: 4200 }],
    ['void', 'voided', { reserved: 0, taken: 0 }],
  ] as const)('a %s is done within the hour, once', async (verb, status, money) => {
    const { payment_id, operation_id } = await pay(true)
    vendor.next(kept[name])
    await driving(clock, client.decideHold(verb, payment_id))
    await passing(1)
    expect((await client.readPayment(payment_id)).body.status).toBe(status)
    expect(chargeOf(operation_id)).toMatchObject(money)
    const operations = await sql`
      select state from acquirer_operations where payment_id = ${payment_id} and kind = ${verb}`
    expect(operations).toEqual([{ state: 'approved' }])
  })

  test('a reversal is done within hours, once', async () => {
    const session = await client.open()
    await client.present(session, quick)
    const met = stage.meet(charging, 'lost_after')
    await driving(clock, client.confirm(session))
    await met
    const [row] = await sql<{ payment_id: string; operation_id: string }[]>`
      select payment_id, operation_id from acquirer_operations o join payments p using (merchant_id, payment_id)
      where p.session_id = ${session.id}`
    const { payment_id, operation_id } = row!
    const said = {
      outcome: 'failed',
      reason: 'no',
      by: 'ada',
      acquirer_transaction_id: null,
    } as const
    await resolveOperation(other.context, { merchant_id, payment_id }, said)
    if (posts) await stage.post()
    await stage.run('handle_notices')
    vendor.next(kept[name])
    await passing(6)
    expect(chargeOf(operation_id)).toMatchObject({ taken: 4200, refunded: 4200 })
  })

  // A second key might give a part of the capture back twice.
  test('a refund is never made under a second key: a person is asked in time', async () => {
    const { payment_id, operation_id } = await pay(false)
    vendor.next(kept[name])
    await driving(clock, client.refund(payment_id, { amount: 1200 }))
    await passing(name === 'checkout' ? 1 : 74)
    const [refund] = await sql`
      select state, waits_for_person_since from acquirer_operations
      where payment_id = ${payment_id} and kind = 'refund'`
    const is_done = name === 'checkout'
    expect(chargeOf(operation_id).refunded).toBe(is_done ? 1200 : 0)
    expect(refund).toEqual(
      is_done
        ? { state: 'approved', waits_for_person_since: null }
        : { state: 'unknown', waits_for_person_since: expect.any(Date) },
    )
  })
})
