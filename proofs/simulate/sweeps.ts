// When the bank is gone through next, as often as the service does: while something may be on its list that was not there before.

import { jobs } from '../../src/jobs.ts'
import type { Bank } from './bank/bank.ts'
import { swept_ms } from './bank/traits.ts'
import type { Scheduler } from './scheduler.ts'

type Rounds = {
  /** Null while another round would find what the last one did. `swept_until` is how far the bank was gone through. */
  dueAt(swept_until: Date | null): number | null
  begin(): void
}

export type Sweeps = Record<'sweep_orphans' | 'compare_books', Rounds>

const every_ms = jobs.find(({ name }) => name === 'sweep_orphans')!.every_seconds * 1000
/** What is younger is left alone, and an inconsistent list shows it later. */
const young_ms = 12 * 60_000
/** A comparison is due a day after the last one, or an hour after one that failed: it is begun somewhat more often. */
const compared_every_ms = 70 * 60_000
/** One may fail, be lost with its process, and fail again. */
const compared_for_ms = 48 * 3_600_000

export function openSweeps({ scheduler, bank }: { scheduler: Scheduler; bank: Bank }): Sweeps {
  /** Vendors list what nobody here asked them for as well. */
  const listed_ms = () =>
    Math.max(
      0,
      ...[...bank.authorisations.values()].map((entry) => entry.listed_ms ?? 0),
      ...bank.accounts.flatMap((vendor) => vendor.charges().map(({ known_at }) => known_at?.getTime() ?? 0)),
    )
  const rounds = (each_ms: number, forMs: () => number): Rounds => {
    let last_ms = scheduler.now().getTime()
    return {
      dueAt(swept_until) {
        // A process whose clock was behind may have begun to go through it anew.
        const is_behind = (swept_until?.getTime() ?? 0) < listed_ms() + young_ms
        return is_behind || listed_ms() + forMs() > last_ms ? last_ms + each_ms : null
      },
      begin() {
        last_ms = scheduler.now().getTime()
      },
    }
  }
  /** A sweep may miss what is listed late, or was left out of a list. */
  const mayBeMissed = () =>
    bank.traits.lists_after_ms > swept_ms || [...bank.authorisations.values()].some(({ missed_once }) => missed_once)
  return {
    sweep_orphans: rounds(every_ms, () => young_ms),
    compare_books: rounds(compared_every_ms, () =>
      Math.max(mayBeMissed() ? compared_for_ms : 0, bank.compared_until_ms - listed_ms()),
    ),
  }
}
