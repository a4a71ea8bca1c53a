// The journal: one line for each change of a session, attempt, payment, hold, key, endpoint or account. Written in the
// statement of the change itself, never updated. `seal-journal.ts` chains the lines afterwards.

import type { Ids } from '../kernel/ids.ts'

/** Lines that belong to no merchant stand under this id, so that they are chained like all others. */
export const installation_id = 'm_installation'

/**
 * Who made the change: a merchant's server by its key, a page by its publishable key, a person by the dashboard,
 * somebody who has not signed in there, an operator, or the service itself.
 */
export type Actor =
  | `key ${string}`
  | `page ${string}`
  | `user ${string}`
  | 'visitor'
  | 'shopper'
  | 'bank'
  | 'rules'
  | 'reconciler'
  | 'operator'
  | 'service'

/**
 * A change: of what, and in whose name. `detail` holds ids, states, codes, amounts and hashes; for an operator, the
 * user name and the reason that they typed. Never a card's or a shopper's details, nor an acquirer's free text.
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
  /** The request that caused it; null where there was none. */
  request_id: string | null
  at: Date
}

export type JournalLine = JournalChange & { entry_id: string }

/** A line whose merchant and subject are found by the statement that writes it. */
export type OpenLine = Omit<JournalLine, 'merchant_id' | 'subject'>

/** A line that is not written yet. Its id sorts by its time. */
export function journalLine(ids: Pick<Ids, 'journalEntry'>, change: JournalChange): JournalLine {
  return { ...change, entry_id: ids.journalEntry(change.at) }
}
