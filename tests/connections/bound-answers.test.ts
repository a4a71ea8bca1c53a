// An acquirer that carries out another amount than it was asked for: never an approval, but of a capture, which took what it says. A
// person hears of it, and nothing is sent again, whichever of answer, look-up and notice says so.

import { afterEach, describe, expect, test } from 'vitest'
import { posted, signed } from '../adapters/fakes/adyen/views.ts'
import { findingsOf, hold } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { hour_ms } from '../support/settling.ts'
import { useVendorStage, type VendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const part = 100

describe.each(vendor_names)('at %s', async (name) => {
  const stage = await useVendorStage(name)
  const { vendor, account, clock, other } = stage
  const { client } = account

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
  })

  const paid = async () => (await driving(clock, client.pay())).body.payment_id as string
  const held = async () => (await driving(clock, hold(account))).payment_id
  const statusOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.status
  const decide = (kind: 'capture' | 'void', payment_id: string) => driving(clock, client.decideHold(kind, payment_id))

  async function chargeThere(payment_id: string) {
    const [row] = await other.sql<{ reference: string }[]>`
      select operation_id as reference from acquirer_operations
      where payment_id = ${payment_id} and kind = 'authorise'`
    return vendor.charges().find(({ reference }) => reference === row!.reference)!
  }

  test('a capture of a part: what was taken is captured, and a person is told', async () => {
    const payment_id = await held()
    vendor.carryOutPart(part)
    await decide('capture', payment_id)
    await pass(stage, 4)
    const payment = (await client.readPayment(payment_id)).body
    expect(payment).toMatchObject({ status: 'captured', amount: 4200, captured_amount: part })
    expect(await chargeThere(payment_id)).toMatchObject({ taken: part })
    // Stripe's notice has the charge looked at: both books agree by then, which ends the finding.
    const finding = {
      kind: 'amount_differs',
      ours: { state: 'held', amount: 4200, currency: 'GBP' },
      theirs: { state: 'captured', amount: part, currency: 'GBP' },
    }
    expect(await findingsOf(other, payment_id)).toMatchObject(name === 'stripe' ? [] : [finding])
    expect(await waiting(stage, payment_id)).toEqual([])
    expect(stage.other.log.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('another amount than was asked for'),
    )
    const again = await client.decideHold('capture', payment_id)
    expect(again.status).toBe(409)
    expect((await driving(clock, client.refund(payment_id, { amount: part + 1 }))).status).toBe(409)
    if (name !== 'adyen') return
    // The same once more: our books say so by now.
    const [capture] = await other.sql<{ operation_id: string }[]>`
      select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'capture'`
    await tellOfCapture(stage, { reference: capture!.operation_id, psp: payment.acquirer_transaction_id })
    await pass(stage, 1)
    expect(await findingsOf(other, payment_id)).toMatchObject([finding])
  })

  test('a capture of a part whose answer is lost', async () => {
    const payment_id = await held()
    vendor.carryOutPart(part)
    vendor.next('lose_answer_after')
    await decide('capture', payment_id)
    await pass(stage, 4)
    expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'captured', captured_amount: part })
    expect(await findingsOf(other, payment_id)).toMatchObject(name === 'stripe' ? [] : [{ kind: 'amount_differs' }])
    expect(await waiting(stage, payment_id)).toEqual([])
  })

  // The other two show how much was captured with the charge, and are asked: see the tests of their standings.
  test.runIf(name === 'adyen')('a notice of another amount of what was captured at once', async () => {
    const payment_id = await paid()
    await pass(stage, 1)
    const { body } = await client.readPayment(payment_id)
    const { reference } = await chargeThere(payment_id)
    await tellOfCapture(stage, { reference, psp: body.acquirer_transaction_id })
    await pass(stage, 1)
    expect(await statusOf(payment_id)).toBe('captured')
    expect(await findingsOf(other, payment_id)).toMatchObject([
      {
        reference,
        kind: 'amount_differs',
        ours: { state: 'captured', amount: 4200 },
        theirs: { state: 'captured', amount: part },
      },
    ])
  })

  test('a refund of a part: it stays pending, and is not made again', async () => {
    const payment_id = await paid()
    await pass(stage, 1)
    vendor.carryOutPart(part)
    const { body } = await driving(clock, client.refund(payment_id, { amount: 1200 }))
    expect(body).toMatchObject({ status: 'pending' })
    await pass(stage, 100)
    expect(await chargeThere(payment_id)).toMatchObject({ taken: 4200, refunded: part })
    expect((await client.readRefund(body.id)).body).toMatchObject({ status: 'pending' })
    expect(await findingsOf(other, payment_id)).toContainEqual(
      expect.objectContaining({
        kind: 'amount_differs',
        ours: { state: 'pending', amount: 1200, currency: 'GBP' },
        theirs: { state: 'refunded', amount: part, currency: 'GBP' },
      }),
    )
    expect(await waiting(stage, payment_id)).toEqual(['refund'])
  })

  // Stripe cancels an intent as a whole, and has no cancel of a part.
  test.skipIf(name === 'stripe')('a void of a part: the payment stays held', async () => {
    const payment_id = await held()
    vendor.carryOutPart(part)
    await decide('void', payment_id)
    await pass(stage, 4)
    expect(await statusOf(payment_id)).toBe('held')
    expect(await findingsOf(other, payment_id)).toMatchObject([
      { kind: 'amount_differs', theirs: { state: 'voided', amount: part } },
    ])
    expect(await waiting(stage, payment_id)).toEqual(['void'])
  })
})

/** As Adyen posts it for the capture of a part: an own one by its reference, or one that nobody here asked for. */
async function tellOfCapture(
  { vendor, other, connection_id, clock }: VendorStage,
  { reference, psp }: { reference: string; psp: string },
): Promise<void> {
  const { merchant_account, hmac_key } = vendor.credentials
  const item = signed(hmac_key!, {
    pspReference: `OF${reference.slice(-14)}`.toUpperCase(),
    originalReference: psp,
    merchantReference: reference,
    merchantAccountCode: merchant_account!,
    eventCode: 'CAPTURE',
    success: 'true' as const,
    amount: { value: part, currency: 'GBP' },
    eventDate: clock.now().toISOString(),
    reason: '',
    additionalData: {},
  })
  const url = `${other.base_url}/acquirers/${connection_id}/notices`
  const answer = await fetch(url, { method: 'POST', ...posted([item]) })
  expect(answer.status).toBe(200)
}

/** Time passes, with every job that may ask or send. */
async function pass({ clock, run, post }: VendorStage, hours: number): Promise<void> {
  for (const step of [0.005, 0.01, ...Array.from({ length: Math.ceil(hours / 4) }, () => 4)]) {
    await clock.advance(Math.min(step, hours) * hour_ms)
    await post()
    for (const job of ['handle_notices', 'reconcile', 'reverse_orphans']) await run(job)
  }
}

/** What waits for a person. */
async function waiting({ other }: VendorStage, payment_id: string): Promise<string[]> {
  const rows = await other.sql<{ kind: string }[]>`
    select kind from acquirer_operations
    where payment_id = ${payment_id} and waits_for_person_since is not null and next_check_at is null`
  return rows.map(({ kind }) => kind)
}
