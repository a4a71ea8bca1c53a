// When the bank is gone through next, as often as the service does: while something may be on its list that was not there before.

import { jobs } from '../../src/jobs.ts'
import type { Bank } from './bank/bank.ts'
import { swept_ms } from './bank/traits.ts'
import type { Scheduler } from './scheduler.ts'

type Rounds = {
  /** Null while another round would find what the last one did. */
  dueAt(): number | null
  begin(): void
}

export type Sweeps = Record<'sweep_orphans' | 'compare_books', Rounds>

const every_ms = jobs.find(({ name }) => name === 'sweep_orphans')!.every_seconds * 1000
/** What is younger is left alone, and an inconsistent list shows it later. */
const young_ms = 12 * 60_000
/** A comparison is due a day after the last one, or an hour after one that failed: it is begun somewhat more often. */
const compared_every_ms = 70 * 60_000
const compared_for_ms = 30 * 3_600_000

export function openSweeps({ scheduler, bank }: { scheduler: Scheduler; bank: Bank }): Sweeps {
  const listed_ms = () =>
    Math.max(0, ...[...bank.authorisations.values()].map((entry) => entry.listed_ms ?? 0))
  const rounds = (each_ms: number, for_ms: number): Rounds => {
    let last_ms = scheduler.now().getTime()
    return {
      dueAt: () => (listed_ms() + for_ms > last_ms ? last_ms + each_ms : null),
      begin() {
        last_ms = scheduler.now().getTime()
      },
    }
  }
  const is_late = bank.traits.lists_after_ms > swept_ms
  return {
    sweep_orphans: rounds(every_ms, young_ms),
    compare_books: rounds(compared_every_ms, is_late ? compared_for_ms : 0),
  }
}
