// Says in the log that a limit refuses shoppers, once a minute for each limit: the operator may have named no proxy, so that all
// shoppers count as one, and a shopper cannot tell them.

import { openTally, type Tally } from '../../http/summed-log.ts'
import type { World } from '../../kernel/world.ts'
import type { Context } from '../context.ts'

/** Of several merchants in a minute the last one is named. */
export function openLimitLog({ clock, log }: Pick<World, 'clock' | 'log'>): Context['limitLog'] {
  const tallies = new Map<string, Tally>()
  const merchants = new Map<string, string>()

  function tallyOf(limit: string): Tally {
    const current = tallies.get(limit)
    if (current) return current
    const tally = openTally(clock, (times) => {
      log.warn({ limit, times, merchant_id: merchants.get(limit) }, 'shoppers refused by a limit')
    })
    tallies.set(limit, tally)
    return tally
  }

  return {
    note(limit, merchant_id) {
      merchants.set(limit, merchant_id)
      tallyOf(limit).count()
    },
    close() {
      for (const tally of tallies.values()) tally.close()
    },
  }
}
