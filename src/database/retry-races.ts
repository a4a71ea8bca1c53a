// A request that reads, and then writes by a compare-and-set: where another one was faster, it begins again.

import { isRetriable } from './failures.ts'

/** How many races a request may lose. More than that means that something else is wrong. */
const races_max = 5

/**
 * Reads and acts until it is not too late: `act` returns null where what it had read has changed. `subject` is what changes, for the
 * error.
 */
export async function retryRaces<Result>(subject: string, act: () => Promise<Result | null>): Promise<Result> {
  for (let races = 0; races < races_max; races++) {
    try {
      const result = await act()
      if (result !== null) return result
    } catch (error) {
      if (!isRetriable(error)) throw error
    }
  }
  throw new Error(`${subject} changed under every try to act on it`)
}
