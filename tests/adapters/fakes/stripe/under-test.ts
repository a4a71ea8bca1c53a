// The connector to Stripe against the fake one, as a merchant's connection would open it, and as the service asks it.

import type { Acquirer, AuthorisationName } from '../../../../src/acquirers/acquirer.ts'
import type { StripeCredentials } from '../../../../src/acquirers/stripe/credentials.ts'
import { stripe } from '../../../../src/acquirers/stripe/stripe.ts'
import type { Wire, WireRequest } from '../../../../src/vendor-wire/wire.ts'
import { manualClock } from '../../../support/clock.ts'
import { type AcquirerTraits, type AcquirerUnderTest, at_once } from '../../acquirer-requests.ts'
import { numberFor } from '../numbers.ts'
import { recordWire } from '../record-wire.ts'
import { openStripeFake, type StripeFake } from './server.ts'

export const stripeTraits: AcquirerTraits = {
  ...at_once,
  captures_parts: true,
  lapses_after_ms: 7 * 24 * 3_600_000,
  says_lapse_after_ms: 7 * 24 * 3_600_000,
  // A smaller amount is a capture of a part there.
  judges_money: false,
  keeps_refusals: false,
  settles_what_is_under_way: false,
  tells_alike_apart: false,
  lists_to_ms: 1_000,
  // The charge carries no 3-D Secure data.
  says: { liability_shifted: false, environment: 'sandbox' },
}

export const connection_name = 'stripe:conn_0123456789abcdef01234567'

export type StripeUnderTest = AcquirerUnderTest & {
  fake: StripeFake
  wire: Wire
  credentials: StripeCredentials
  /** Each request that went out. */
  sent: WireRequest[]
  /** The connection with other credentials, and nothing remembered; null for none. */
  openWith(credentials: Partial<StripeCredentials> | null): Acquirer
}

/** Closed when the test has finished, which fails where the fake was asked what the vendor does not know. */
export async function openStripeUnderTest(): Promise<StripeUnderTest> {
  const clock = manualClock()
  const fake = await openStripeFake({ clock })
  const { wire, sent } = recordWire(clock, fake)
  const { secret_key, webhook_secret, url } = fake
  const credentials = { secret_key, webhook_secret, api_url: url }
  const openWith = (change: Partial<StripeCredentials> | null) =>
    stripe.open({
      name: connection_name,
      installation: 'ours',
      credentials: async () => change && { ...credentials, ...change },
      wire,
      clock,
    })
  const handles = new Map<string, string>()
  const reopen = () => remembering(openWith({}), handles)
  const world = { traits: stripeTraits, clock, fake, wire, credentials, sent }
  return { ...world, acquirer: reopen(), reopen, openWith, numberFor }
}

/** As the service asks: each charge is prepared, and whoever asks about it later has the handle that was stored. */
function remembering(acquirer: Acquirer, handles: Map<string, string>): Acquirer {
  const named = (name: AuthorisationName): AuthorisationName => {
    return { ...name, handle: name.handle ?? handles.get(name.reference) ?? null }
  }
  const prepare: NonNullable<Acquirer['prepare']> = async (request) => {
    const answer = await acquirer.prepare!(request)
    if (answer.result === 'prepared') handles.set(request.reference, answer.handle)
    return answer
  }
  const settle =
    (kind: 'capture' | 'void' | 'reverse' | 'refund'): Acquirer['refund'] =>
    (request) =>
      acquirer[kind]({ ...request, authorisation: named(request.authorisation) })
  return {
    ...acquirer,
    prepare,
    async authorise(request) {
      const prepared = await prepare(request)
      if (prepared.result !== 'prepared') return prepared
      return acquirer.authorise({ ...request, handle: prepared.handle })
    },
    capture: settle('capture'),
    void: settle('void'),
    reverse: settle('reverse'),
    refund: settle('refund'),
    lookUp: (request) => acquirer.lookUp({ ...request, authorisation: named(request.authorisation) }),
  }
}
