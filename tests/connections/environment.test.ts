// A vendor that answers from the other of its two environments: no payment counts by that, and real money goes back.

import { afterEach, describe, expect, test } from 'vitest'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import { checkout } from '../../src/acquirers/checkout-com/checkout.ts'
import type { ConnectionMode } from '../../src/acquirers/connector.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { openWire } from '../../src/vendor-wire/wire.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { drivenClock, driving } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'

// Nothing in Adyen's answers shows the environment. Its address does, and a notice from the other one is refused.
describe.each(['checkout', 'stripe'] as const)('%s, live in a test connection', async (name) => {
  const stage = await useVendorStage(name)
  const { vendor, account, clock, other, service } = stage
  const { client } = account

  afterEach(() => {
    expect(vendor.wrong).toEqual([])
  })

  test.each([
    ['in time', []],
    ['by a look-up', ['lose_answer_after']],
  ])('a charge, told %s', async (_, faults) => {
    vendor.beLive()
    for (const fault of faults) vendor.next(fault)
    const session = await client.open()
    await client.present(session)
    await driving(clock, client.confirm(session))
    await stage.rest(true)
    const [payment] = await other.sql`
      select status, decline from payments where session_id = ${session.id}`
    expect(payment).toMatchObject({ status: 'failed', decline: { category: 'provider_error' } })
    const { reserved, taken, refunded } = vendor.charges().at(-1)!
    expect({ reserved, left: taken - refunded }).toEqual({ reserved: 0, left: 0 })
    expect([...service.log, ...other.log]).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({
          reason: expect.stringContaining('live environment, and the connection is of mode sandbox'),
        }),
      }),
    )
  })
})

test.each<[string, ConnectionMode | undefined]>([
  ['https://api.sandbox.checkout.com', 'sandbox'],
  ['https://tea.api.sandbox.checkout.com/', 'sandbox'],
  ['https://tea.api.checkout.com', 'live'],
  ['https://api.checkout.com.example', undefined],
  ['https://checkout-test.adyen.com/v72', 'sandbox'],
  ['https://17-Tea-checkout-live.adyenpayments.com/checkout/v72', 'live'],
  ['https://checkout-test.adyen.com.example/v72', undefined],
  ['https://api.stripe.com', undefined],
  ['https://vendor.example', undefined],
])('behind the address %s: %s', (url, environment) => {
  const [shown] = [checkout, stripe, adyen].flatMap(({ environmentAt }) => environmentAt?.(url).environment ?? [])
  expect(shown).toBe(environment)
})

test.each([
  ['live', false, 'fails'],
  ['live', true, 'works'],
  ['sandbox', true, 'fails'],
  ['sandbox', false, 'works'],
] as const)('the check of a connection of mode %s, livemode %s: %s', async (mode, is_live, result) => {
  const clock = drivenClock()
  const fake = await openStripeFake({ clock })
  const http = openVendorHttp({ clock, allowed_networks: ['127.0.0.1'] })
  fake.books.environment.is_live = is_live
  const { secret_key, webhook_secret, url: api_url } = fake
  const credentials = { secret_key, webhook_secret, api_url }
  const asked = { credentials, mode, wire: openWire(http) }
  expect(await stripe.check(asked)).toMatchObject({ result })
  fake.books.create({ amount: 1, currency: 'gbp' } as never, fake.books.keepMethod('approve', '4242'))
  expect(await stripe.check(asked)).toMatchObject({ result })
  expect(fake.wrong).toEqual([])
  await Promise.all([http.close(), fake.close()])
})
