// The simulated acquirer's own books, and the port to where they are kept. No card number and no CVC is ever in them.

import type { AcquirerBehaviour } from '../../cards/test-cards.ts'
import type { Brand } from '../../kernel/values.ts'
import type { DeclineCategory, LiveAuthorisation, OperationKind } from '../acquirer.ts'

/** One request as the acquirer received it, and what became of it. */
export type LedgerEntry = {
  /** Whoever asks minted it: unique for ever. */
  reference: string
  kind: OperationKind
  /** The authorisation that the entry belongs to; an authorisation's own reference. */
  authorisation_reference: string
  /** Of an authorisation: whose it is. Null in other entries, in fences, and where an older version wrote it. */
  installation: string | null
  transaction_id: string
  amount: number
  currency: string
  /** Null where no outcome will ever be known. */
  result: 'approved' | 'declined' | 'failed' | 'refused' | null
  decline_code: string | null
  decline_category: DeclineCategory | null
  reason: string | null
  requested_at: Date
  /** From when on the outcome is told to who asks; null for never. */
  known_at: Date | null

  // Of an authorisation; null in other entries.
  capture: boolean | null
  brand: Brand | null
  last4: string | null
  behaviour: AcquirerBehaviour | null
  // Where the money is. A time may lie ahead: an outcome that is still under way happens at `known_at`.
  authorised_at: Date | null
  captured_at: Date | null
  voided_at: Date | null
  reversed_at: Date | null
  /** How much of what was captured was given back. */
  refunded_amount: number
  /** The one refusal that its number asks for was given. */
  refused_before: boolean
  /** Counts the changes of the entry: it is stored with 0. */
  version: number
}

/** What an entry has that stands for no authorisation of its own. */
export const noAuthorisation = {
  installation: null,
  capture: null,
  brand: null,
  last4: null,
  behaviour: null,
  authorised_at: null,
  captured_at: null,
  voided_at: null,
  reversed_at: null,
  refunded_amount: 0,
  refused_before: false,
  version: 0,
} satisfies Partial<LedgerEntry>

export type Ledger = {
  /** Stores an entry and yields it; where its reference is taken, changes nothing and yields the stored one. */
  insert(entry: LedgerEntry): Promise<LedgerEntry>
  find(reference: string): Promise<LedgerEntry | null>
  /**
   * In one transaction: stores the operation, and its authorisation as it becomes (captured_at, voided_at, reversed_at,
   * refunded_amount, refused_before, version). False, with nothing changed, unless the stored version is one less and the operation's
   * reference is free.
   */
  settle(operation: LedgerEntry, authorisation: LedgerEntry): Promise<boolean>
  /** What was authorised within these times, both included, and neither voided nor reversed; oldest first. */
  listLive(within: { since: Date; until: Date }): Promise<LiveAuthorisation[]>
}
