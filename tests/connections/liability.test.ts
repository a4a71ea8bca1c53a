// Who is liable for a charge: 3-D Secure grants the shift, and the acquirer may take it away. It is written
// with the outcome, however that was learned.

import { afterEach, describe, expect, test } from 'vitest'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import { checkout } from '../../src/acquirers/checkout/checkout.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import { openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const shifted = { outcome: 'Authenticated', liability_shifted: true, eci: '05' }
const kept = { ...shifted, liability_shifted: false }

describe.each(vendor_names)('at %s', async (name) => {
  const stage = await useVendorStage(name)
  const { vendor, account, clock, other } = stage
  const { client } = account

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
  })

  /** Pays, and tells what the payment says in the end. */
  async function charge(
    prepare: (session_id: string) => unknown,
    amount: 'verified' | 'held' = 'verified',
  ) {
    const session = amount === 'held' ? await openUnverified(account) : await client.open()
    await client.present(session)
    await prepare(session.id)
    await driving(clock, client.confirm(session))
    await stage.rest(true)
    const [row] = await other.sql<{ payment_id: string }[]>`
      select payment_id from payments where session_id = ${session.id}`
    const { status, authentication } = (await client.readPayment(row!.payment_id)).body
    return { status, authentication }
  }

  test('granted, and not taken away', async () => {
    expect(await charge(() => {})).toEqual({ status: 'captured', authentication: shifted })
  })

  test.each(['verified', 'held'] as const)('refused in the answer, %s', async (amount) => {
    const status = amount === 'held' ? 'held' : 'captured'
    const told = await charge(() => vendor.refuseShift(), amount)
    expect(told).toEqual({ status, authentication: kept })
  })

  test('refused where the answer is lost', async () => {
    const told = await charge(() => {
      vendor.refuseShift()
      vendor.next('lose_answer_after')
    })
    expect(told).toEqual({ status: 'captured', authentication: kept })
  })

  test('a result without its cryptogram is not sent, and shifts nothing', async () => {
    const told = await charge(
      (session_id) => other.sql`
        update attempts
        set authentication_outcome = (authentication_outcome::jsonb || '{"authentication_value": null}')::json
        where session_id = ${session_id}`,
    )
    expect(told).toEqual({ status: 'captured', authentication: kept })
  })

  test("a result without the Directory Server's id shifts nothing where it cannot be sent", async () => {
    const told = await charge(
      (session_id) => other.sql`
        update attempts set ds_transaction_id = null where session_id = ${session_id}`,
    )
    const authentication = name === 'stripe' ? kept : shifted
    expect(told).toEqual({ status: 'captured', authentication })
  })
})

const connection = {
  ...{ name: 'x:conn_1', installation: 'ours', clock: { now: () => new Date(0) } },
  ...{ credentials: async () => null, wire: { send: () => Promise.reject(new Error()) } },
}
const data = {
  ...{ version: '2.2.0', eci: '05', authentication_value: 'AAAA', ds_transaction_id: 'id' },
  ...{ status: 'Y', ares_status: 'Y' },
}

test.each([
  [{}, 'checkout stripe adyen'],
  [{ authentication_value: null }, ''],
  [{ ds_transaction_id: null }, 'checkout adyen'],
  [{ eci: null }, 'stripe adyen'],
  [{ version: '2.9.0' }, 'checkout adyen'],
])('a result with %j is sent by: %s', (change, names) => {
  const by = [checkout, stripe, adyen].filter((connector) =>
    connector.open(connection).carriesThreeDs!({ ...data, ...change }),
  )
  expect(by.map(({ name }) => name).join(' ')).toBe(names)
})
