// Rehearsals: test sessions of an integration that names a connection of mode sandbox are paid for at the vendor's sandbox.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConnection, disableConnection } from '../../src/connections/manage-connections.ts'
import { openAdyenFake } from '../adapters/fakes/adyen/server.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { cardOf, refusal } from '../support/client.ts'
import { type Account, drivenClock, type Service, startService, until } from '../support/service.ts'
import { openLoopbackHttp } from '../support/vendor-http.ts'

const clock = drivenClock()
const http = openLoopbackHttp(clock)
const fakes = {
  checkout: await openCheckoutFake({ clock, settles_after_ms: 0 }),
  stripe: await openStripeFake({ clock }),
  adyen: await openAdyenFake({ clock }),
}
type Vendor = keyof typeof fakes

const credentials = {
  checkout: ({ secret_key, signature_key, url }: typeof fakes.checkout) => {
    return { secret_key, signature_key, api_url: url }
  },
  stripe: ({ secret_key, webhook_secret, url }: typeof fakes.stripe) => {
    return { secret_key, webhook_secret, api_url: url }
  },
  adyen: ({ api_key, merchant_account, hmac_key, url }: typeof fakes.adyen) => {
    return { api_key, merchant_account, hmac_key, api_url: url }
  },
}

let service: Service
beforeAll(async () => {
  service = await startService({ clock, vendor_http: http })
})
afterAll(async () => {
  await service.close()
  await http.close()
  for (const fake of Object.values(fakes)) {
    await fake.close()
    expect(fake.wrong).toEqual([])
  }
})

/** A merchant whose default integration rehearses at the vendor. */
async function rehearsing(vendor: Vendor): Promise<Account & { connection_id: string }> {
  const { merchant_id } = await service.newAccount({ integration: null })
  const { connection_id } = await createConnection(service.operator, merchant_id, {
    kind: 'acquirer',
    connector: vendor,
    label: 'trial',
    mode: 'sandbox',
    credentials: credentials[vendor](fakes[vendor] as never),
  })
  const account = await service.addPlace(merchant_id, { test_connections: ['trial'] })
  return { ...account, connection_id }
}

const paymentOf = async (payment_id: string) => {
  const [row] = await service.sql`
    select acquirer, status, mode, authentication, acquirer_transaction_id
    from payments where payment_id = ${payment_id}`
  return row!
}

/** Numbers that the vendor publishes and the simulator does not know. */
const rows: [Vendor, approved: string, number_of_another: string][] = [
  ['checkout', '5436031030606378', '4000000000007726'],
  ['stripe', '4000000000007726', '5436031030606378'],
  ['adyen', '4988438843884305', '4544249167673670'],
]

describe.each(rows)('a rehearsal at %s', (vendor, approved, number_of_another) => {
  test('takes the numbers of its sandbox, and pays there', async () => {
    const { client, connection_id } = await rehearsing(vendor)
    const { body } = await client.pay(approved)
    expect(body).toMatchObject({ status: 'captured' })
    expect(await paymentOf(body.payment_id)).toMatchObject({
      acquirer: `${vendor}:${connection_id}`,
      status: 'captured',
      mode: 'test',
      // The simulated bank does not know the number.
      authentication: null,
    })
  })

  test('takes our test cards, with what the simulated bank says of them', async () => {
    const { client, connection_id } = await rehearsing(vendor)
    const { body } = await client.pay('4242424242424242')
    expect(body).toMatchObject({ status: 'captured' })
    const payment = await paymentOf(body.payment_id)
    expect(payment.acquirer).toBe(`${vendor}:${connection_id}`)
    expect(payment.authentication).toMatchObject({ liability_shifted: true })
  })

  test('takes no other vendor’s numbers, and none of a real card', async () => {
    const { client } = await rehearsing(vendor)
    const session = await client.open()
    for (const number of [number_of_another, '4539578763621486']) {
      const answer = await client.referenceCard(session, cardOf(number))
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.text).not.toContain(number)
    }
  })

  test('is of that integration alone', async () => {
    const { merchant_id } = await rehearsing(vendor)
    const { client } = await service.addPlace(merchant_id, { name: 'other', is_default: true })
    const session = await client.open()
    const answer = await client.referenceCard(session, cardOf(approved))
    expect(refusal(answer)).toBe('400 invalid_request')
    expect(await paymentOf((await client.pay()).body.payment_id)).toMatchObject({
      acquirer: 'simulator',
    })
  })

  test('tells a decline by its code', async () => {
    const { client } = await rehearsing(vendor)
    const { body } = await client.pay(vendor === 'checkout' ? '4544249167673670' : '4000000000009995')
    expect(body).toMatchObject({
      status: 'declined',
      decline: { code: 'insufficient_funds', category: 'soft' },
    })
  })
})

describe('a test connection that was disabled', () => {
  test('refuses new test sessions, and charges none of those that are open', async () => {
    const { client, connection_id } = await rehearsing('checkout')
    const session = await client.open()
    await client.present(session)
    const moves = fakes.checkout.moves()
    await disableConnection(service.operator, connection_id as never)
    const refused = '422 acquiring_profile_incomplete'
    const answer = await until(
      () => client.create(),
      (each) => refusal(each) === refused,
    )
    expect(answer.body.message).toContain('names a test connection that cannot be used')
    const { body } = await client.confirm(session)
    expect(body).toMatchObject({ status: 'failed', decline: { category: 'provider_error' } })
    expect(fakes.checkout.moves()).toBe(moves)
    expect(await paymentOf(body.payment_id)).toMatchObject({ acquirer: 'none' })
  })
})

test('a payment of a sandbox is never looked up at the simulator', () => {
  const unknown = service.context.acquirerOf('test', `gone:conn_${'0'.repeat(24)}`)
  expect(unknown.name).not.toBe('simulator')
  expect(service.context.acquirerOf('test', null).name).toBe('simulator')
})
