// The connector to Checkout.com against the fake one, as a merchant's connection would open it.

import type { Acquirer, Notice, NoticePost } from '../../../../src/acquirers/acquirer.ts'
import { checkout } from '../../../../src/acquirers/checkout-com/checkout.ts'
import type { CheckoutCredentials } from '../../../../src/acquirers/checkout-com/credentials.ts'
import type { Wire, WireRequest } from '../../../../src/vendor-wire/wire.ts'
import { manualClock } from '../../../support/clock.ts'
import { type AcquirerTraits, type AcquirerUnderTest, at_once } from '../../acquirer-requests.ts'
import { numberFor } from '../numbers.ts'
import { recordWire } from '../record-wire.ts'
import { type CheckoutFake, openCheckoutFake } from './server.ts'

export const checkoutTraits: AcquirerTraits = {
  ...at_once,
  captures_parts: true,
  lapses_after_ms: 7 * 24 * 3_600_000,
  says_lapse_after_ms: 7 * 24 * 3_600_000,
  settles_after_ms: 20_000,
  captures_after_ms: 20_000,
  // Undocumented, or of the vendor's own kind: nothing is built on it.
  judges_repeats: false,
  judges_money: false,
  keeps_refusals: false,
  settles_what_is_under_way: false,
  says: { environment: 'sandbox' },
}

/** The mark of the installation, as the suite's charges bear it. */
const installation = 'ours'

export const connection_name = 'checkout:conn_0123456789abcdef01234567'

export type CheckoutUnderTest = AcquirerUnderTest & {
  fake: CheckoutFake
  wire: Wire
  credentials: CheckoutCredentials
  /** Each request that went out. */
  sent: WireRequest[]
  /** What is read of a post to the connection. */
  readNotices(post: NoticePost): Notice[]
  /** The connection with other credentials; null for none. */
  openWith(credentials: Partial<CheckoutCredentials> | null): Acquirer
}

/** Closed when the test has finished, which fails where the fake was asked what the vendor does not know. */
export async function openCheckoutUnderTest(traits: AcquirerTraits = checkoutTraits): Promise<CheckoutUnderTest> {
  const clock = manualClock()
  const fake = await openCheckoutFake({ clock, settles_after_ms: traits.settles_after_ms })
  const { wire, sent } = recordWire(clock, fake)
  const { secret_key, signature_key, url } = fake
  const credentials = { secret_key, signature_key, api_url: url }
  const openWith = (change: Partial<CheckoutCredentials> | null) =>
    checkout.open({
      name: connection_name,
      installation,
      credentials: async () => change && { ...credentials, ...change },
      wire,
      clock,
    })
  const reopen = () => openWith({})
  const readNotices = (post: NoticePost) =>
    checkout.notices!.read(post, { credentials, mode: 'sandbox', installation, now: clock.now() })
  const world = { readNotices, traits, clock, fake, wire, credentials, sent }
  return { ...world, acquirer: reopen(), reopen, openWith, numberFor }
}
