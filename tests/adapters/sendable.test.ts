// Nothing that moves money is sent once somebody may look for its answer, however long the credentials took to be read.

import { describe, expect, test } from 'vitest'
import { type Acquirer, NotSent } from '../../src/acquirers/acquirer.ts'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import { checkout } from '../../src/acquirers/checkout-com/checkout.ts'
import type { AcquirerConnection, AcquirerConnector } from '../../src/acquirers/connector.ts'
import { stripe } from '../../src/acquirers/stripe/stripe.ts'
import type { Sendable } from '../../src/kernel/world.ts'
import { sendable_ms, sendableSince } from '../../src/payments/operation.ts'
import { authoriseRequest, settleRequest } from './acquirer-requests.ts'
import { openAdyenUnderTest } from './fakes/adyen/under-test.ts'
import { openCheckoutUnderTest } from './fakes/checkout/under-test.ts'
import { numberFor } from './fakes/numbers.ts'
import { openStripeUnderTest } from './fakes/stripe/under-test.ts'

const vendors = {
  checkout: { open: openCheckoutUnderTest, connector: checkout as AcquirerConnector<object> },
  stripe: { open: openStripeUnderTest, connector: stripe as unknown as AcquirerConnector<object> },
  adyen: { open: openAdyenUnderTest, connector: adyen as unknown as AcquirerConnector<object> },
}

/** A charge that was approved, and the same connection with credentials that take so long to be read. */
async function charged(vendor: keyof typeof vendors, reading_ms: number) {
  const { open, connector } = vendors[vendor]
  const { acquirer, fake, clock, wire, credentials } = await open()
  const request = authoriseRequest(numberFor('approve'))
  const prepared = await acquirer.prepare?.(request)
  const handle = prepared?.result === 'prepared' ? prepared.handle : null
  const answer = await acquirer.authorise({ ...request, handle })
  const { acquirer_transaction_id } = answer
  const connection: AcquirerConnection<object> = {
    name: `${vendor}:conn`,
    installation: 'ours',
    wire,
    clock,
    async credentials() {
      await clock.advance(reading_ms)
      return credentials
    },
  }
  const { reference } = request
  const authorisation = { reference, handle, acquirer_transaction_id }
  const slow = connector.open(connection)
  return { slow, fake, clock, request, handle, authorisation }
}

type Asked = Awaited<ReturnType<typeof charged>> & { sendable: Sendable }

const settle = ({ request, authorisation, sendable }: Asked) => settleRequest(request, { authorisation, sendable })

const calls: [string, (slow: Acquirer, asked: Asked) => Promise<unknown>][] = [
  [
    'authorise',
    (slow, { handle, sendable }) => slow.authorise(authoriseRequest(numberFor('approve'), { handle, sendable })),
  ],
  ['capture', (slow, asked) => slow.capture(settle(asked))],
  ['void', (slow, asked) => slow.void(settle(asked))],
  ['reverse', (slow, asked) => slow.reverse(settle(asked))],
  ['refund', (slow, asked) => slow.refund(settle(asked))],
]

describe.each(Object.keys(vendors) as (keyof typeof vendors)[])('%s', (vendor) => {
  test.each(calls)('%s is not sent late', async (_, call) => {
    const tested = await charged(vendor, sendable_ms + 1)
    const moves = tested.fake.moves()
    const asked = { ...tested, sendable: sendableSince(tested.clock.now()) }
    await expect(call(tested.slow, asked)).rejects.toBeInstanceOf(NotSent)
    expect(tested.fake.moves()).toBe(moves)
  })

  test('a capture in time is sent', async () => {
    const tested = await charged(vendor, 100)
    const asked = { ...tested, sendable: sendableSince(tested.clock.now()) }
    const answer = await tested.slow.capture(settle(asked))
    expect(['approved', 'accepted']).toContain(answer.result)
  })
})
