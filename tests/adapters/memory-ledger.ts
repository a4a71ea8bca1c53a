// The simulated acquirer's books in memory, for tests; `entries` lets them look inside.

import type { Ledger, LedgerEntry } from '../../src/acquirers/simulated-acquirer/ledger.ts'

export function memoryLedger(): Ledger & { entries: Map<string, LedgerEntry> } {
  const entries = new Map<string, LedgerEntry>()
  const keep = (entry: LedgerEntry) => entries.set(entry.reference, Object.freeze({ ...entry }))
  return {
    entries,
    async insert(entry) {
      if (!entries.has(entry.reference)) keep(entry)
      return entries.get(entry.reference)!
    },
    async find(reference) {
      return entries.get(reference) ?? null
    },
    async settle(operation, authorisation) {
      const stored = entries.get(authorisation.reference)
      if (stored?.version !== authorisation.version - 1) return false
      if (entries.has(operation.reference)) return false
      const { captured_at, voided_at, reversed_at, refunded_amount } = authorisation
      const { captured_amount, refused_before, version } = authorisation
      keep({
        ...stored,
        captured_at,
        voided_at,
        reversed_at,
        refunded_amount,
        captured_amount,
        refused_before,
        version,
      })
      keep(operation)
      return true
    },
    async listLive({ since, until }) {
      return [...entries.values()]
        .flatMap(({ reference, installation, amount, currency, ...entry }) => {
          const { authorised_at, captured_at, voided_at, reversed_at } = entry
          const { transaction_id: acquirer_transaction_id } = entry
          if (!authorised_at || authorised_at < since || authorised_at > until) return []
          if (voided_at || reversed_at) return []
          const captured = captured_at !== null
          const names = { reference, acquirer_transaction_id, installation }
          const { refunded_amount } = entry
          return [
            { ...names, amount: entry.captured_amount ?? amount, currency, refunded_amount, captured, authorised_at },
          ]
        })
        .sort((a, b) => a.authorised_at.getTime() - b.authorised_at.getTime())
    },
  }
}
