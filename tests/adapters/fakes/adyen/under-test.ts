// The connector to Adyen against the fake one, as a merchant's connection would open it.

import { onTestFinished } from 'vitest'
import type { Acquirer, Notice, OperationKind } from '../../../../src/acquirers/acquirer.ts'
import { adyen } from '../../../../src/acquirers/adyen/adyen.ts'
import type { AdyenCredentials } from '../../../../src/acquirers/adyen/credentials.ts'
import { realClock } from '../../../../src/outgoing/real-world.ts'
import { openVendorHttp } from '../../../../src/outgoing/vendor-http.ts'
import { openWire, type Wire, type WireRequest } from '../../../../src/vendors/wire.ts'
import { type ManualClock, manualClock } from '../../../support/clock.ts'
import { type AdyenFake, openAdyenFake } from './server.ts'

export const connection_name = 'adyen:conn_0123456789abcdef01234567'
export const settles_after_ms = 20_000

export type AdyenUnderTest = {
  acquirer: Acquirer
  clock: ManualClock
  fake: AdyenFake
  wire: Wire
  credentials: AdyenCredentials
  /** Each request that went out. */
  sent: WireRequest[]
  /** The same acquirer as another process would open it. */
  reopen(): Acquirer
  /** The connection with other credentials; null for none. */
  openWith(credentials: Partial<AdyenCredentials> | null): Acquirer
  /** All that was posted by now, as the connector reads it. */
  heard(bears?: 'own' | 'payment'): Notice[]
  /** The last that was posted about an operation; null while nothing is. */
  told(about: OperationKind, reference: string): Notice | null
}

/** Closed when the test has finished, which fails where the fake was asked what the vendor does not know. */
export async function openAdyenUnderTest(): Promise<AdyenUnderTest> {
  const clock = manualClock()
  const fake = await openAdyenFake({ clock, settles_after_ms })
  // The test's clock stands still: what waits for an answer waits by the real one.
  const http = openVendorHttp({ clock: realClock(), allowed_networks: ['127.0.0.1'] })
  onTestFinished(async () => {
    await http.close()
    await fake.close()
    if (fake.wrong.length > 0) throw new Error(fake.wrong.join('\n'))
  })
  const sent: WireRequest[] = []
  const plain = openWire(http)
  const wire: Wire = {
    send(request) {
      sent.push(request)
      return plain.send(request)
    },
  }
  const { api_key, merchant_account, hmac_key, url } = fake
  const credentials: AdyenCredentials = { api_key, merchant_account, hmac_key, api_url: url }
  const openWith = (change: Partial<AdyenCredentials> | null) =>
    adyen.open({
      ...{ name: connection_name, installation: 'ours', wire, clock },
      credentials: async () => change && { ...credentials, ...change },
    })
  const by = () => ({
    ...{ credentials, mode: 'sandbox' as const, installation: 'ours', now: clock.now() },
  })
  const heard = (bears?: 'own' | 'payment') =>
    fake.notices(bears).flatMap((post) => adyen.notices!.read(post, by()))
  return {
    ...{ clock, fake, wire, credentials, sent, openWith, heard },
    acquirer: openWith({}),
    reopen: () => openWith({}),
    told: (about, reference) =>
      heard().findLast((each) => each.about === about && each.reference === reference) ?? null,
  }
}
