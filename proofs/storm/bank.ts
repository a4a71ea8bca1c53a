// The bank of a storm's processes: the simulated acquirer, with a clock of its own, or a vendor; and a place on the wire where the
// storm may stop whoever calls it.

import type { Acquirer, OperationKind } from '../../src/acquirers/acquirer.ts'
import { openSimulator } from '../../src/acquirers/simulated-acquirer/simulator.ts'
import { connect } from '../../src/database/driver/driver.ts'
import { openLedger } from '../../src/database/stores/simulator-ledger.ts'
import type { VendorHttp, World } from '../../src/kernel/world.ts'
import type { SimulatorWrapper } from '../../src/service/acquiring.ts'
import { verbOf } from '../vendors/verbs.ts'

/** `intent`: the intent is committed and nothing was sent. `answer`: the bank has answered and nobody has heard of it. */
export type CallMoment = 'intent' | 'answer'

export type Kind = OperationKind

/** What the storm asks of a process: to say so and to wait when it comes to this place next, and to go on. */
export type Order = { order: 'wait'; where: CallMoment; kinds: readonly Kind[] } | { order: 'go' }

/** What a process says when it is there. */
export type Arrived = { arrived: CallMoment; kind: Kind; reference: string }

/** The place on the wire: `pass` waits where the storm has asked for it. `tell` reaches the storm. */
export function openWire(tell: (arrived: Arrived) => void) {
  let waiting: Extract<Order, { order: 'wait' }> | null = null
  let go = Promise.withResolvers<void>()

  async function pass(arrived: CallMoment, kind: Kind, reference: string): Promise<void> {
    if (waiting?.where !== arrived || !waiting.kinds.includes(kind)) return
    waiting = null
    go = Promise.withResolvers()
    tell({ arrived, kind, reference })
    await go.promise
  }

  const around =
    <Request extends { reference: string }, Answer>(kind: Kind, call: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer> => {
      await pass('intent', kind, request.reference)
      const answer = await call(request)
      await pass('answer', kind, request.reference)
      return answer
    }

  return {
    hear(order: Order): void {
      waiting = order.order === 'wait' ? order : null
      if (waiting === null) go.resolve()
    },
    around: (bank: Acquirer): Acquirer => ({
      ...bank,
      authorise: around('authorise', bank.authorise),
      capture: around('capture', bank.capture),
      void: around('void', bank.void),
      reverse: around('reverse', bank.reverse),
      refund: around('refund', bank.refund),
    }),
    aroundVendors: (http: VendorHttp): VendorHttp => ({
      ...http,
      async send(request) {
        const kind = verbOf(request)
        if (kind === null) return http.send(request)
        await pass('intent', kind, request.url)
        const answer = await http.send(request)
        await pass('answer', kind, request.url)
        return answer
      },
    }),
  }
}

const connections_max = 4

/** A bank whose books are behind this address and whose clock is this one; without an address it is the service's own. */
export function openBank(world: Pick<World, 'clock' | 'random'>, url: string | null): SimulatorWrapper {
  if (url === null) return (simulator) => simulator
  const sql = connect(url, { connections_max, clock: world.clock })
  return () => openSimulator(world, openLedger(sql))
}
