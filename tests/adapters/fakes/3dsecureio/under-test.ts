// The connector to 3dsecure.io against the fake one, as a merchant's connection would open it.

import type { Mode } from '../../../../src/kernel/values.ts'
import { threeDsecureIo } from '../../../../src/three-ds/3dsecureio/3dsecureio.ts'
import type { ThreeDsecureIoCredentials } from '../../../../src/three-ds/3dsecureio/credentials.ts'
import type { FetchedThreeDs } from '../../../../src/three-ds/three-ds.ts'
import { openWire, type Wire } from '../../../../src/vendor-wire/wire.ts'
import { type ManualClock, manualClock } from '../../../support/clock.ts'
import { openLoopbackHttp } from '../../../support/vendor-http.ts'
import { fakeWorld, type LogLine } from '../../three-ds-fixtures.ts'
import { openThreeDsecureIoFake, type ThreeDsecureIoFake } from './server.ts'

export const connection_name = '3dsecureio:conn_0123456789abcdef01234567'
export const pages = 'https://pay.example/3ds/'

export type ThreeDsecureIoUnderTest = {
  fake: ThreeDsecureIoFake
  threeDs: FetchedThreeDs
  clock: ManualClock
  log: LogLine[]
  wire: Wire
  credentials: ThreeDsecureIoCredentials
  /** The connection with other credentials; null for none. */
  openWith(credentials: Partial<ThreeDsecureIoCredentials> | null, mode?: Mode): FetchedThreeDs
  /** Fails if the fake was asked what the vendor does not know. */
  close(): Promise<void>
}

export async function openThreeDsecureIoUnderTest(): Promise<ThreeDsecureIoUnderTest> {
  const clock = manualClock()
  const fake = await openThreeDsecureIoFake({ clock, pages_url: () => pages })
  const http = openLoopbackHttp(clock)
  const wire = openWire(http)
  const world = fakeWorld({ post: () => Promise.reject(new Error('nobody posts')) })
  const credentials = { api_key: fake.api_key, api_url: fake.url }
  const openWith: ThreeDsecureIoUnderTest['openWith'] = (change, mode = 'test') =>
    threeDsecureIo.openThreeDs({
      name: connection_name,
      mode,
      credentials: async () => change && { ...credentials, ...change },
      wire,
      world: { clock, log: world.log },
    })
  const parts = { fake, clock, log: world.lines, wire, credentials }
  return {
    ...parts,
    openWith,
    threeDs: openWith({}),
    async close() {
      await http.close()
      await fake.close()
      if (fake.wrong.length > 0) throw new Error(fake.wrong.join('\n'))
    },
  }
}
