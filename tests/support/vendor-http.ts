// Calls to fake vendors on loopback.

import type { Clock, VendorHttp } from '../../src/kernel/world.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { realClock } from './world.ts'

/** A test's clock tells what may still be sent. Waiting for an answer takes real time, since that clock may stand still. */
export function openLoopbackHttp({ now }: Pick<Clock, 'now'>): VendorHttp {
  const clock = { now, sleep: realClock.sleep }
  return openVendorHttp({ clock, allowed_networks: ['127.0.0.1'] })
}
