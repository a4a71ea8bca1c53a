// The way from a connector to its fake vendor, with each request written down.

import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/kernel/world.ts'
import { openWire, type Wire, type WireRequest } from '../../../src/vendor-wire/wire.ts'
import { openLoopbackHttp } from '../../support/vendor-http.ts'

type Fake = { wrong: string[]; close(): Promise<void> }

/** Closed with the fake when the test has finished, which fails where the fake was asked what the vendor does not know. */
export function recordWire(clock: Pick<Clock, 'now'>, fake: Fake): { wire: Wire; sent: WireRequest[] } {
  const http = openLoopbackHttp(clock)
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
  return { wire, sent }
}
