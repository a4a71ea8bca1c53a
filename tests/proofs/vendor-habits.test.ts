// What the simulation lets vendors do by themselves: what is in their books afterwards, and what they post of it.

import { describe, expect, test } from 'vitest'
import type { PortalAct } from '../../proofs/vendors/portal.ts'
import { kindOf } from '../../proofs/vendors/twist.ts'
import { makeVendor, type VendorName, vendor_names } from '../../proofs/vendors/vendor.ts'
import type { StripeCredentials } from '../../src/acquirers/stripe/credentials.ts'
import { cancelRequest } from '../../src/acquirers/stripe/requests.ts'
import { authoriseRequest, mintReference, settleRequest } from '../adapters/acquirer-requests.ts'
import { manualClock } from '../support/clock.ts'

const reference = 'd'.repeat(32)
const day_ms = 24 * 3_600_000

function vendorWith(name: VendorName, capture: boolean) {
  const clock = manualClock()
  const vendor = makeVendor(name, { clock, settles_after_ms: 0 })
  vendor.addStranger({ reference, mark: 'ours', amount: 4_200, capture })
  const [charge] = vendor.charges()
  const act = (what: PortalAct) => vendor.act(charge!.id, what)
  return { vendor, clock, id: charge!.id, act }
}

const everywhere: readonly VendorName[] = vendor_names

describe.each(vendor_names)('at %s', (name) => {
  test.each<[PortalAct, boolean, string, readonly VendorName[]]>([
    ['capture', false, 'capture 4200', everywhere],
    ['capture_in_part', false, 'capture 2100', everywhere],
    ['void', false, 'void 4200', everywhere],
    ['expire', false, 'expire 4200', everywhere],
    ['refund', true, 'refund 4200', everywhere],
    ['refund_in_part', true, 'refund 2100', everywhere],
    // No other vendor has one word for both.
    ['cancel_or_refund', true, 'reverse 4200', ['adyen']],
    ['cancel_or_refund', false, 'reverse 4200', ['adyen']],
  ])('a person or time does %s, taken at once: %s', async (what, capture, done, where) => {
    const { vendor, clock, act } = vendorWith(name, capture)
    await clock.advance(1_000)
    const told = vendor.posts().length
    const moments = vendor.moments().length
    expect(act(what)).toBe(where.includes(name))
    if (!where.includes(name)) return
    // Whoever posts its notices looks at none before something has happened.
    expect(vendor.moments().length).toBeGreaterThan(moments)
    const acts = vendor.charges()[0]!.acts.map(({ kind, amount }) => `${kind} ${amount}`)
    expect(acts).toEqual([done])
    expect(vendor.posts().length).toBeGreaterThan(told)
    expect(new Set(vendor.posts().map((post) => post.name)).size).toBe(vendor.posts().length)
    // What is gone is not done again.
    const again = what === 'capture_in_part' || what === 'refund_in_part'
    expect(again || !act(what)).toBe(true)
  })

  test('a charge is made twice under one reference', () => {
    const { vendor, act } = vendorWith(name, true)
    expect(act('charge_again')).toBe(true)
    const read = vendor.charges()
    expect(read.map((each) => [each.reference, each.mark, each.amount, each.is_unasked])).toEqual([
      [reference, 'ours', 4_200, false],
      [reference, 'ours', 4_200, true],
    ])
  })

  test('a refund comes back after days, and that is posted', async () => {
    const { vendor, clock, act } = vendorWith(name, true)
    await clock.advance(1_000)
    expect(act('refund')).toBe(true)
    expect(act('send_back')).toBe(false)
    await clock.advance(day_ms)
    const told = vendor.posts().map((post) => post.name)
    const moments = vendor.moments().length
    expect(act('send_back')).toBe(true)
    expect(vendor.moments().length).toBeGreaterThan(moments)
    expect(vendor.charges()[0]!.acts.map(({ is_approved }) => is_approved)).toEqual([false])
    expect(vendor.posts().filter((post) => !told.includes(post.name))).toHaveLength(1)
  })
})

test('an error that is kept under a key befalls no other request', async () => {
  const { vendor, id, clock } = vendorWith('stripe', false)
  const credentials = vendor.credentials as StripeCredentials
  const cancel = (key: string) => {
    const request = cancelRequest('void', settleRequest(authoriseRequest(''), { reference: key }), id, credentials)
    return { ...request, path: new URL(request.url).pathname, body: request.body! }
  }
  const statusOf = async (key: string) => {
    const reply = await vendor.reply(cancel(key))
    return reply === 'lost' ? reply : reply.status
  }
  const [first, second] = [mintReference(), mintReference()]
  vendor.twist(cancel(first), 'kept_error', clock.now())
  expect([await statusOf(first), await statusOf(first), await statusOf(second)]).toEqual([500, 500, 200])
})

test.each([
  ['/payments/pay_1/captures', '{"amount":4200}', 'capture'],
  ['/payments/pay_1/reversals', '{}', 'reverse'],
  ['/v1/refunds', 'payment_intent=pi_1&metadata%5Bripper_kind%5D=reverse', 'reverse'],
  ['/v1/refunds', 'payment_intent=pi_1&amount=1', 'refund'],
  ['/v72/payments/A1/cancels', '{}', 'void'],
  ['/v72/payments', '{}', null],
] as const)('%s %s may be twisted as %s', (path, body, kind) => {
  expect(kindOf({ method: 'POST', path, headers: {}, body })).toBe(kind)
})
