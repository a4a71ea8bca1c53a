// Who is liable for a charge: 3-D Secure grants the shift, and the acquirer may take it away. It is written
// with the outcome, however that was learned.

import { afterEach, describe, expect, test } from 'vitest'
import type { AuthoriseAnswer } from '../../src/acquirers/acquirer.ts'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import { checkout } from '../../src/acquirers/checkout-com/checkout.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import { contradiction } from '../../src/payments/acquirer-operations/contradiction.ts'
import { listOperations } from '../../src/payments/acquirer-operations/operation-store.ts'
import { type BookedCase, settleOperation } from '../../src/payments/acquirer-operations/record-answer.ts'
import type { Payment } from '../../src/payments/payment.ts'
import { findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { openUnverified } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

type Approval = Extract<AuthoriseAnswer, { result: 'approved' }>

const shifted = { outcome: 'Authenticated', liability_shifted: true, eci: '05' }
const kept = { ...shifted, liability_shifted: false }

describe.each(vendor_names)('at %s', async (name) => {
  const stage = await useVendorStage(name)
  const { vendor, account, clock, other, service } = stage
  const { client } = account

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
  })

  /** Pays, and tells what the payment says in the end. */
  async function charge(prepare: (session_id: string) => unknown, amount: 'verified' | 'held' = 'verified') {
    const session = amount === 'held' ? await openUnverified(account) : await client.open()
    await client.present(session)
    await prepare(session.id)
    await driving(clock, client.confirm(session))
    await stage.rest(true)
    const [row] = await other.sql<{ payment_id: string }[]>`
      select payment_id from payments where session_id = ${session.id}`
    return read(row!.payment_id)
  }

  async function read(payment_id: string) {
    const { status, authentication } = (await client.readPayment(payment_id)).body
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

  type Hearing = (found: BookedCase, answer: Approval) => Promise<unknown>

  test.each<[string, Hearing]>([
    ['the answer in time', (found, answer) => settleOperation(service.context, found, answer)],
    ['a later notice', (found, answer) => contradiction(service.context, found, answer)],
  ])('refused after the approval was recorded, by %s', async (_source, hear) => {
    expect(await charge(() => {})).toMatchObject({ authentication: shifted })
    const [payment] = await other.sql<Payment[]>`
      select merchant_id, payment_id from payments order by created_at desc limit 1`
    const { merchant_id, payment_id } = payment!
    const whole = (await findWholePayment(other.sql, { merchant_id, payment_id }))!
    const [operation] = await listOperations(other.sql, whole.payment)
    const cause = { actor: 'reconciler', request_id: null } as const
    const approval = { ...(operation!.answer as Approval), liability_shifted: false as const }
    await driving(clock, hear({ ...whole, operation: operation!, cause }, approval))
    await driving(clock, hear({ ...whole, operation: operation!, cause }, approval))
    expect(await read(payment_id)).toEqual({ status: 'captured', authentication: kept })
    const lines = await other.sql`
      select actor from journal where subject = ${payment_id} and change = 'charge.shift_refused'`
    expect(lines).toEqual([{ actor: 'reconciler' }])
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
  name: 'x:conn_1',
  installation: 'ours',
  clock: { now: () => new Date(0) },
  credentials: async () => null,
  wire: { send: () => Promise.reject(new Error()) },
}
const data = {
  version: '2.2.0',
  eci: '05',
  authentication_value: 'AAAA',
  ds_transaction_id: 'id',
  status: 'Y',
  ares_status: 'Y',
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
