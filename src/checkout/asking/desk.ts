// What verbs that settle money are given: in the service, in a worker, and in a command.

import type { Context } from '../../context.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { World } from '../../kernel/world.ts'

export type Desk = Pick<Context, 'sql' | 'ids' | 'acquirerOf' | 'wakeDeliveries'> & {
  world: Pick<World, 'clock' | 'random' | 'log'>
  metrics: Pick<Metrics, 'paymentConfirmed'>
  /** See JobContext. */
  stopping?: AbortSignal
}

/** From 0 up to 1. */
export function chanceOf({ random }: Desk['world']): number {
  return random.bytes(4).readUInt32BE(0) / 2 ** 32
}
