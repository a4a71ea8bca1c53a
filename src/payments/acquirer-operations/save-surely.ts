// The safe-keeping of an answer: a connection that drops or a lock must not lose it.

import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { SettlementContext } from '../context.ts'

/** Pauses of 8 s in all, plus the time of the tries. */
const tries_max = 12
const pause_max_ms = 1_000

/**
 * The answer could not be saved for now. The reconciler looks the operation up by its reference, and finds the answer
 * again.
 */
class SaveError extends Error {}

/**
 * A definite answer must not be lost to a connection or a lock. `save` is a compare-and-set, so it is tried again for
 * some seconds. After the last try the log holds the acquirer's answer. Returns false where an answer was saved before,
 * perhaps by an earlier try of ours: the row tells. Throws SaveError.
 */
export async function saveSurely(
  { world }: Pick<SettlementContext, 'world'>,
  save: () => Promise<boolean>,
  fields: {
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
        world.log.error(fields, 'the answer of the acquirer could not be saved')
        throw passing ? new SaveError((error as Error).message, { cause: error }) : error
      }
      await world.clock.sleep(Math.min(200 * tries, pause_max_ms))
    }
  }
}

/** An answer that could not be saved is looked for as if none had come. */
export async function unlessUnsaved<End>(settling: Promise<End>): Promise<End | 'unanswered'> {
  try {
    return await settling
  } catch (error) {
    if (error instanceof SaveError) return 'unanswered'
    throw error
  }
}
