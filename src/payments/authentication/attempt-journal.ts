// The journal's lines of attempts.

import { type JournalLine, journalLine } from '../../audit/journal.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Attempt } from '../attempt.ts'
import type { Cause } from '../outcome.ts'
import type { NewAttemptLines } from './attempt-store.ts'

type AttemptChange = { change: `attempt.${string}`; detail: object; at: Date }

/** A line about an attempt. */
export function attemptLine(
  ids: Pick<Ids, 'journalEntry'>,
  { merchant_id, session_id, attempt_id }: Attempt,
  cause: Cause,
  line: AttemptChange,
): JournalLine {
  return journalLine(ids, { merchant_id, session_id, subject: attempt_id, ...cause, ...line })
}

/** The lines of a new attempt and of the one that it may supersede, in this order also by their ids. */
export function newAttemptLines(ids: Pick<Ids, 'journalEntry'>, attempt: Attempt, cause: Cause): NewAttemptLines {
  const { attempt_id, number, created_at: at } = attempt
  const line = (change: Omit<AttemptChange, 'at'>) => attemptLine(ids, attempt, cause, { ...change, at })
  const superseded = line({ change: 'attempt.superseded', detail: { superseded_by: attempt_id } })
  const first = line({ change: 'attempt.opened', detail: { number } })
  const [earlier, later] = [superseded.entry_id, first.entry_id].sort() as [string, string]
  return {
    superseded: { ...superseded, entry_id: earlier },
    opened: { ...first, entry_id: later },
  }
}
