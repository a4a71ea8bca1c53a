// Saves what an acquirer said, though the database may be away or busy for a while.

import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { SettlementContext } from '../context.ts'

/** Pauses of 8 s in all, and what the tries themselves take. */
const tries_max = 12
const pause_max_ms = 1_000

/** It could not be saved for now. The operation will be looked up by its reference, and its answer found again. */
export class NotSaved extends Error {}

/**
 * A definite answer must not be lost to a connection or a lock: `save` is a compare-and-set, so it may be tried again, for
 * some seconds. After the last try the log holds what the acquirer said. False where somebody
 * else saved an answer before, which may have been an earlier try of ours: the row tells. Throws NotSaved.
 */
export async function saveSurely(
  { world }: Pick<SettlementContext, 'world'>,
  save: () => Promise<boolean>,
  told: {
    operation_id: string | undefined
    result: string
    acquirer_transaction_id: string | null
  },
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await save()
    } catch (error) {
      const passing = isRetriable(error) || isStoreUnavailable(error) || isLockTimeout(error)
      if (!passing || tries === tries_max) {
        world.log.error(told, 'the answer of the acquirer could not be saved')
        throw passing ? new NotSaved((error as Error).message, { cause: error }) : error
      }
      await world.clock.sleep(Math.min(200 * tries, pause_max_ms))
    }
  }
}
