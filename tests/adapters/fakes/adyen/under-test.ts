// The connector to Adyen against the fake one, as a merchant's connection would open it.

import type { Acquirer, AuthorisationName, Notice, OperationKind } from '../../../../src/acquirers/acquirer.ts'
import { adyen } from '../../../../src/acquirers/adyen/adyen.ts'
import type { AdyenCredentials } from '../../../../src/acquirers/adyen/credentials.ts'
import type { Wire, WireRequest } from '../../../../src/vendor-wire/wire.ts'
import { manualClock } from '../../../support/clock.ts'
import { type AcquirerTraits, type AcquirerUnderTest, at_once } from '../../acquirer-requests.ts'
import { numberFor } from '../numbers.ts'
import { recordWire } from '../record-wire.ts'
import { type AdyenFake, openAdyenFake } from './server.ts'

export const connection_name = 'adyen:conn_0123456789abcdef01234567'
export const settles_after_ms = 20_000

export const adyenTraits: AcquirerTraits = {
  ...at_once,
  captures_parts: true,
  lapses_after_ms: 28 * 24 * 3_600_000,
  settles_after_ms,
  // Undocumented, or of the vendor's own kind: nothing is built on it.
  judges_repeats: false,
  judges_money: false,
  settles_what_is_under_way: false,
  lists_to_ms: null,
  names_refusals: false,
  captures_by_reference: false,
}

export type AdyenUnderTest = AcquirerUnderTest & {
  fake: AdyenFake
  wire: Wire
  credentials: AdyenCredentials
  /** Each request that went out. */
  sent: WireRequest[]
  /** The connection with other credentials; null for none. */
  openWith(credentials: Partial<AdyenCredentials> | null): Acquirer
  /** All that was posted by now, as the connector reads it. */
  heard(bears?: 'own' | 'payment'): Notice[]
  told(about: OperationKind, reference: string): Notice | null
}

/** Closed when the test has finished, which fails where the fake was asked what the vendor does not know. */
export async function openAdyenUnderTest(): Promise<AdyenUnderTest> {
  const clock = manualClock()
  const fake = await openAdyenFake({ clock, settles_after_ms })
  const { wire, sent } = recordWire(clock, fake)
  const { api_key, merchant_account, hmac_key, url } = fake
  const credentials: AdyenCredentials = { api_key, merchant_account, hmac_key, api_url: url }
  const openWith = (change: Partial<AdyenCredentials> | null) =>
    adyen.open({
      name: connection_name,
      installation: 'ours',
      wire,
      clock,
      credentials: async () => change && { ...credentials, ...change },
    })
  const by = () => ({ credentials, mode: 'sandbox' as const, installation: 'ours', now: clock.now() })
  const heard = (bears?: 'own' | 'payment') => fake.notices(bears).flatMap((post) => adyen.notices!.read(post, by()))
  const told = (about: OperationKind, reference: string) =>
    heard().findLast((each) => each.about === about && each.reference === reference) ?? null
  return {
    traits: adyenTraits,
    clock,
    fake,
    wire,
    credentials,
    sent,
    openWith,
    heard,
    told,
    acquirer: openWith({}),
    reopen: () => openWith({}),
    numberFor,
  }
}

/** As the service asks: whatever an answer or a notice has named is asked about by that name. */
export async function openRememberingAdyen(): Promise<AdyenUnderTest> {
  const tested = await openAdyenUnderTest()
  const { told } = tested
  const ids = new Map<string, string | null>()
  const named = (name: AuthorisationName): AuthorisationName => {
    const { reference } = name
    const heard = () => told('authorise', reference)?.acquirer_transaction_id ?? null
    return { ...name, acquirer_transaction_id: ids.get(reference) ?? heard() }
  }
  const remembering = (acquirer: Acquirer): Acquirer => {
    const settle =
      (kind: 'capture' | 'void' | 'reverse' | 'refund'): Acquirer['refund'] =>
      (request) =>
        acquirer[kind]({ ...request, authorisation: named(request.authorisation) })
    return {
      ...acquirer,
      async authorise(request) {
        const answer = await acquirer.authorise(request)
        ids.set(request.reference, answer.acquirer_transaction_id)
        return answer
      },
      capture: settle('capture'),
      void: settle('void'),
      reverse: settle('reverse'),
      refund: settle('refund'),
    }
  }
  const reopen = () => remembering(tested.openWith({}))
  return { ...tested, acquirer: reopen(), reopen }
}
