// Charges in the other platform's words: a payment from its capture or hold on, and the refunds that name it.

import { expect, test } from 'vitest'
import { fault, openCompatible } from '../support/compatible.ts'
import { hold } from '../support/holding.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { client } = service
const compatible = openCompatible(client, service.account)

const intent = async (id: string) => (await compatible.read(id)).body
const charge = (id: string, headers: object = compatible.bearer) =>
  client.send('GET', `/v1/charges/${id}`, { headers: headers as Record<string, string> })
const refund = (body: object) => client.send('POST', '/v1/refunds', { headers: compatible.bearer, body })

/** Members of which each depends on what happened to the money. */
const taken = { amount_captured: 4200, amount_refunded: 0, captured: true, refunded: false }
const reserved = { ...taken, amount_captured: 0, captured: false }

test('a captured payment, refunded in part and then wholly', async () => {
  const session = (
    await compatible.create({ amount: 4200, currency: 'gbp', receipt_email: 'ada@example.com', description: 'Tea' })
  ).body
  expect(session.latest_charge).toBeNull()
  await client.present(session)
  const { payment_id } = (await client.confirm(session)).body
  const { latest_charge, amount_received } = await intent(session.id)
  expect([latest_charge, amount_received]).toEqual([payment_id.replace('pay_', 'ch_'), 4200])
  expect((await charge(latest_charge)).body).toMatchObject({
    id: latest_charge,
    object: 'charge',
    amount: 4200,
    currency: 'gbp',
    ...taken,
    description: 'Tea',
    billing_details: { email: 'ada@example.com' },
    payment_intent: session.id,
    status: 'succeeded',
    balance_transaction: null,
    ripper: { payment_id, card: { brand: 'visa', last4: '4242' } },
  })
  const part = await refund({ charge: latest_charge, amount: 200 })
  expect(part.body).toMatchObject({ amount: 200, charge: latest_charge, payment_intent: session.id })
  expect((await charge(latest_charge)).body).toMatchObject({ ...taken, amount_refunded: 200 })
  await refund({ charge: latest_charge })
  expect((await charge(latest_charge)).body).toMatchObject({ ...taken, amount_refunded: 4200, refunded: true })
  expect(fault(await refund({ charge: latest_charge }))).toContain('400 invalid_request_error charge_already_refunded')
})

test('a held payment, and a voided one, which has let go of the whole amount', async () => {
  const { session, payment_id } = await hold(service.account)
  const held = await intent(session.id)
  expect(held).toMatchObject({ amount_capturable: held.amount, amount_received: 0 })
  const { amount } = held
  expect((await charge(held.latest_charge)).body).toMatchObject({ ...reserved })
  expect(fault(await refund({ charge: held.latest_charge }))).toContain(
    '400 invalid_request_error payment_not_refundable',
  )
  await client.decideHold('void', payment_id)
  expect(await intent(session.id)).toMatchObject({ amount_capturable: 0, latest_charge: held.latest_charge })
  expect((await charge(held.latest_charge)).body).toMatchObject({
    ...reserved,
    amount_refunded: amount,
    refunded: true,
  })
})

test('no charge: a decline, another merchant’s, and what is no id, to refund either', async () => {
  const declined = (await client.pay('4000009105150000')).body.payment_id.replace('pay_', 'ch_')
  const other = await service.newAccount()
  const theirs = (await other.client.pay()).body.payment_id.replace('pay_', 'ch_')
  for (const id of [declined, theirs, `ch_${'0'.repeat(24)}`, 'ch_', 'x', '%00']) {
    expect(fault(await charge(id))).toBe('404 invalid_request_error resource_missing id resource_not_found')
    expect(fault(await refund({ charge: id }))).toBe(
      '404 invalid_request_error resource_missing charge resource_not_found',
    )
  }
})
