// The journal: one line for each change of a session, attempt, payment, hold, key, endpoint or account. Written in the
// statement of the change itself, never updated. `seal-journal.ts` chains the lines afterwards.

import type { Ids } from '../kernel/ids.ts'

/** Lines without a merchant have this id instead, so that they are chained like all others. */
export const installation_id = 'm_installation'

/**
 * Who made the change: a merchant's server by its key, a page by its publishable key, a person in the dashboard, a
 * visitor there who has not signed in, an operator, or the service itself.
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
 * What changed, and who changed it. `detail` has ids, states, codes, amounts and hashes; for an operator, also the user
 * name and the typed reason. It never has a card's or a shopper's details, nor an acquirer's free text.
 */
export type JournalChange = {
  merchant_id: string
  /** The session of the change; null for keys and accounts. */
  session_id: string | null
  /** The id of the changed thing. */
  subject: string
  /** For example `payment.captured`. */
  change: string
  detail: object
  actor: Actor
  /** The request that caused it; null without one. */
  request_id: string | null
  at: Date
}

export type JournalLine = JournalChange & { entry_id: string }

/** A line whose merchant and subject the statement that writes it finds. */
export type OpenLine = Omit<JournalLine, 'merchant_id' | 'subject'>

/** A new line, not written yet. Its id sorts by its time. */
export function journalLine(ids: Pick<Ids, 'journalEntry'>, change: JournalChange): JournalLine {
  return { ...change, entry_id: ids.journalEntry(change.at) }
}
