// The simulated acquirer's own books, and the port to their storage. They never contain a card number or a CVC.

import type { AcquirerBehaviour } from '../../cards/test-cards.ts'
import type { Brand } from '../../kernel/values.ts'
import type { DeclineCategory, LiveAuthorisation, OperationKind } from '../acquirer.ts'

/** One request as the acquirer received it, and its outcome. */
export type LedgerEntry = {
  /** The requester's reference, unique for ever. */
  reference: string
  kind: OperationKind
  /** The reference of the authorisation that the entry belongs to; for an authorisation it is its own reference. */
  authorisation_reference: string
  /** The owner of an authorisation. Null in other entries, in fences, and in entries of an older version. */
  installation: string | null
  transaction_id: string
  amount: number
  currency: string
  /** Null if no outcome will ever be known. */
  result: 'approved' | 'declined' | 'failed' | 'refused' | null
  decline_code: string | null
  decline_category: DeclineCategory | null
  reason: string | null
  requested_at: Date
  /** When the outcome becomes visible to look-ups; null for never. */
  known_at: Date | null

  // Only for authorisations; null in other entries.
  capture: boolean | null
  brand: Brand | null
  last4: string | null
  behaviour: AcquirerBehaviour | null
  // The state of the money. A time may lie in the future: a pending outcome happens at `known_at`.
  authorised_at: Date | null
  captured_at: Date | null
  voided_at: Date | null
  reversed_at: Date | null
  /** How much was captured. Null where nothing was, or all of it. */
  captured_amount: number | null
  /** How much of the capture was refunded. */
  refunded_amount: number
  /** Whether the one refusal that the card number asks for was already given. */
  refused_before: boolean
  /** Counts the changes of the entry. A new entry has 0. */
  version: number
}

/** These members of an entry that is no authorisation. */
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
  captured_amount: null,
  refunded_amount: 0,
  refused_before: false,
  version: 0,
} satisfies Partial<LedgerEntry>

export type Ledger = {
  /** Stores an entry and returns it. If its reference is taken, changes nothing and returns the stored entry. */
  insert(entry: LedgerEntry): Promise<LedgerEntry>
  find(reference: string): Promise<LedgerEntry | null>
  /**
   * Stores the operation and the changed authorisation in one transaction (captured_at, captured_amount, voided_at, reversed_at,
   * refunded_amount, refused_before, version). Returns false, with nothing changed, unless the stored version is one less and
   * the operation's reference is free.
   */
  settle(operation: LedgerEntry, authorisation: LedgerEntry): Promise<boolean>
  /** The authorisations made between these times, both included, and neither voided nor reversed; oldest first. */
  listLive(within: { since: Date; until: Date }): Promise<LiveAuthorisation[]>
}
