// Every background job and how often it runs.

import { purgeCards } from './checkout/vault-store.ts'
import type { Context } from './context.ts'
import { purgeKeys } from './http/idempotency.ts'

export type Job = {
  name: string
  every_seconds: number
  /** Returns how many rows it dealt with. Safe to run in several processes at once. */
  run(context: Pick<Context, 'sql' | 'world'>): Promise<number>
}

export const jobs: Job[] = [
  {
    name: 'purge_cards',
    every_seconds: 60,
    run: ({ sql, world }) => purgeCards(sql, world.clock.now()),
  },
  {
    name: 'purge_idempotency_keys',
    every_seconds: 600,
    run: ({ sql, world }) => purgeKeys(sql, world.clock.now()),
  },
]
