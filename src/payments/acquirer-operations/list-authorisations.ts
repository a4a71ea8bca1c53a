// Lists an acquirer's live authorisations between two times, however many there are.

import { type Acquirer, type LiveAuthorisation, TooMany } from '../../acquirers/acquirer.ts'
import type { Clock } from '../../kernel/world.ts'
import { askAcquirer } from './call-acquirer.ts'

/** The longest time that an acquirer is asked about at once. */
const widest_ms = 3_600_000
/** What does not fit into one call even then is given up. */
const narrowest_ms = 60_000

/** How one of the calls is made: `askAcquirer`, or `askPatiently` for a job. */
export type Ask = typeof askAcquirer<LiveAuthorisation[]>

/**
 * Oldest first, each once. Asks for an hour at a time, and for less from the moment that an hour is too much. Throws if the
 * acquirer could not be asked.
 */
export async function listAuthorisations(
  clock: Clock,
  acquirer: Pick<Acquirer, 'listAuthorisations'>,
  { since, until }: { since: Date; until: Date },
  ask: Ask = askAcquirer,
): Promise<LiveAuthorisation[]> {
  // An acquirer whose times are in seconds lists what lies between two pieces in both.
  const authorisations = new Map<string, LiveAuthorisation>()
  let width_ms = widest_ms
  let from_ms = since.getTime()
  while (from_ms <= until.getTime()) {
    const to_ms = Math.min(from_ms + width_ms, until.getTime())
    const piece = { since: new Date(from_ms), until: new Date(to_ms) }
    try {
      for (const each of await ask(clock, () => acquirer.listAuthorisations(piece))) {
        authorisations.set(`${each.reference} ${each.acquirer_transaction_id}`, each)
      }
      from_ms = to_ms + 1
    } catch (error) {
      if (!(error instanceof TooMany) || width_ms <= narrowest_ms) throw error
      width_ms = Math.max(Math.ceil(Math.min(width_ms, to_ms - from_ms) / 2), narrowest_ms)
    }
  }
  return [...authorisations.values()]
}
