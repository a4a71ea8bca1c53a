// A person's word for a charge that a vendor never answered. The person may be wrong, and may give the id of another payment.

import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/kernel/errors.ts'
import { type Resolution, resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import { quick } from '../support/fault-table.ts'
import { driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))
const charging = { request: /confirm$|^POST (\/v72)?\/payments$/ }
/** Checkout.com is asked for the charge first. It has none, so nothing is sent whose answer could be lost. */
const taking_back = {
  checkout: null,
  stripe: { request: /cancel$/ },
  adyen: { request: /v72\/cancels$/ },
}
const second_ms = 1_000

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, service, other, account } = stage
  const { client, merchant_id } = account
  const { sql } = other

  /** A charge whose request meets this fault: its payment waits for an answer. */
  async function lose(fault: 'lost_before' | 'lost_after' | 'arrives_too_late') {
    const session = await client.open()
    await client.present(session, quick)
    const met = stage.meet(charging, fault)
    const confirming = driving(clock, client.confirm(session)).catch(() => null)
    await met
    if (fault !== 'arrives_too_late') await confirming
    const [row] = await sql<{ operation_id: string; payment_id: string }[]>`
      select operation_id, payment_id from acquirer_operations o join payments p using (merchant_id, payment_id)
      where p.session_id = ${session.id} and kind = 'authorise'`
    return { ...row!, confirming }
  }

  const resolve = (payment_id: string, outcome: Resolution, said: { id?: string; operation_id?: string } = {}) =>
    resolveOperation(
      service.context,
      { merchant_id, payment_id },
      {
        outcome,
        operation_id: said.operation_id ?? null,
        reason: 'seen in the portal',
        acquirer_transaction_id: said.id ?? null,
        by: 'ada',
        author: { actor: 'user usr_ada', request_id: null, judge: null },
      },
    )

  const chargeOf = (operation_id: string) => vendor.charges().find(({ reference }) => reference === operation_id)
  const kept = (operation_id: string) => {
    const { reserved = 0, taken = 0, refunded = 0 } = chargeOf(operation_id) ?? {}
    return reserved + taken - refunded
  }
  const statusOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.status

  test.each(['failed', 'declined'] as const)(
    'a charge that a person calls %s, and that the vendor has taken: it is given back',
    async (outcome) => {
      const { operation_id, payment_id } = await lose('lost_after')
      await resolve(payment_id, outcome)
      expect(kept(operation_id)).toBe(4200)
      stage.calm()
      await stage.rest(name === 'adyen')
      expect(kept(operation_id)).toBe(0)
      expect(await statusOf(payment_id)).toBe(outcome)
    },
  )

  const reversal_step = taking_back[name]
  const late = 'a reversal that a person calls done, and a charge that arrives all the same'
  test.runIf(reversal_step)(`${late}: it is given back`, async () => {
    const { operation_id, payment_id, confirming } = await lose('arrives_too_late')
    const met = stage.meet(reversal_step!, 'lost_before')
    for (let look = 0; look < 60 && !stage.isMet(); look++) {
      await clock.advance(10 * second_ms)
      await stage.run('reconcile', [service])
    }
    await met
    const [reversal] = await sql<{ operation_id: string; state: string }[]>`
      select operation_id, state from acquirer_operations where payment_id = ${payment_id} and kind = 'reverse'`
    expect(reversal).toMatchObject({ state: 'unknown' })
    await resolve(payment_id, 'approved', { operation_id: reversal!.operation_id })
    for (let look = 0; look < 10 && (await statusOf(payment_id)) !== 'failed'; look++) {
      await clock.advance(60 * second_ms)
      await stage.run('reconcile')
    }
    expect(await statusOf(payment_id)).toBe('failed')
    await clock.advance(600 * second_ms)
    await stage.arrive()
    await driving(clock, confirming)
    expect(kept(operation_id)).toBe(4200)
    stage.calm()
    await stage.rest(name === 'adyen')
    expect(kept(operation_id)).toBe(0)
    expect(await statusOf(payment_id)).toBe('failed')
  })

  describe('an approval by the id', () => {
    const refusalOf = async (resolving: Promise<unknown>) => {
      const refusal = await resolving.then(
        () => null,
        (error: unknown) => error,
      )
      expect(refusal).toBeInstanceOf(Refusal)
      const { code, field, message, fault, members } = refusal as Refusal
      expect([code, field]).toEqual(['invalid_request', 'acquirer_transaction_id'])
      return { message, fault, members }
    }

    test('of another payment is refused, and its own is taken', async () => {
      const session = await client.open()
      await client.present(session, quick)
      await driving(clock, client.confirm(session))
      await stage.rest(name === 'adyen')
      const theirs = vendor.charges().at(-1)!
      const { operation_id, payment_id } = await lose('lost_after')
      const { fault, members } = await refusalOf(resolve(payment_id, 'approved', { id: theirs.transaction_id }))
      // An acquirer that names charges before they are sent has named this one.
      if (fault === 'other_than_known') expect(members).toEqual({ known_id: expect.any(String) })
      else {
        const [{ payment_id: their_payment }] = await sql<[{ payment_id: string }]>`
          select payment_id from payments where session_id = ${session.id}`
        expect([fault, members]).toEqual(['other_payments_id', { payment_id: their_payment }])
      }
      await refusalOf(resolve(payment_id, 'failed', { id: theirs.transaction_id }))
      expect(await statusOf(payment_id)).toBe('pending')
      const { transaction_id: id } = chargeOf(operation_id)!
      await resolve(payment_id, 'approved', { id })
      const { body } = await client.readPayment(payment_id)
      expect(body).toMatchObject({ status: 'captured', acquirer_transaction_id: id })
      await stage.rest(name === 'adyen')
      expect(kept(operation_id)).toBe(4200)
    })

    test('of a charge that was given up is refused', async () => {
      const one = await lose('lost_after')
      await resolve(one.payment_id, 'failed')
      await stage.rest(name === 'adyen')
      const { transaction_id: id } = chargeOf(one.operation_id)!
      const { operation_id, payment_id } = await lose('lost_after')
      await refusalOf(resolve(payment_id, 'approved', { id }))
      await stage.rest(name === 'adyen')
      expect(await statusOf(payment_id)).toBe('captured')
      expect(kept(operation_id)).toBe(4200)
    })

    // Stripe has named the charge before it was sent, and Adyen shows no payments.
    test.runIf(name === 'checkout')('is refused while the vendor cannot be asked', async () => {
      const { operation_id, payment_id } = await lose('lost_after')
      const { transaction_id: id } = chargeOf(operation_id)!
      const met = stage.meet({ request: /^GET/ }, 'lost_before')
      const { message, fault } = await refusalOf(resolve(payment_id, 'approved', { id }))
      expect(fault).toBe('not_comparable')
      expect(message).toMatch(/^cannot be compared with the acquirer's payment now: /)
      await met
      await resolve(payment_id, 'approved', { id })
      expect(await statusOf(payment_id)).toBe('captured')
    })
  })
})
