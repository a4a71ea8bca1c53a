// Saves what an acquirer said, though the database may be away for a moment.

import { isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { Desk } from './desk.ts'

const tries_max = 5

/**
 * A definite answer must not be lost to a connection: `save` is a compare-and-set, so it may be tried again. After the last
 * try the log holds what the acquirer said, and the operation is found again by its reference. False where somebody else
 * saved one before, which may have been an earlier try of ours: who needs to know has to look.
 */
export async function saveSurely(
  { world }: Pick<Desk, 'world'>,
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
      const passing = isRetriable(error) || isStoreUnavailable(error)
      if (!passing || tries === tries_max) {
        world.log.error(told, 'the answer of the acquirer could not be saved')
        throw error
      }
      await world.clock.sleep(200 * tries)
    }
  }
}
