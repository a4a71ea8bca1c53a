// The journal: one line for each change of a session, attempt, payment, hold, key or account. Written in the statement of
// the change itself, never updated. `seal-journal.ts` chains the lines afterwards.

import type { Ids } from '../kernel/ids.ts'

/** Who did it: a merchant's server by its key, a page by its publishable key, or one of ourselves. */
export type Actor =
  | `key ${string}`
  | `page ${string}`
  | 'shopper'
  | 'bank'
  | 'rules'
  | 'reconciler'
  | 'operator'
  | 'service'

/**
 * A change: of what, in whose name. `detail` holds ids, states, codes, amounts and hashes; of an operator, the user name and
 * the reason that they typed. Never a card's or a shopper's details, nor an acquirer's free text.
 */
export type JournalChange = {
  merchant_id: string
  /** The session it belongs to; null for keys and accounts. */
  session_id: string | null
  /** The id of what changed. */
  subject: string
  /** Such as `payment.captured`. */
  change: string
  detail: object
  actor: Actor
  /** Of the request that brought it about; null where there was none. */
  request_id: string | null
  at: Date
}

export type JournalLine = JournalChange & { entry_id: string }

/** A line of which the statement that writes it finds whose it is and of what. */
export type OpenLine = Omit<JournalLine, 'merchant_id' | 'subject'>

/** A line that is not written yet. Its id sorts by its time. */
export function journalLine(ids: Pick<Ids, 'journalEntry'>, change: JournalChange): JournalLine {
  return { ...change, entry_id: ids.journalEntry(change.at) }
}
