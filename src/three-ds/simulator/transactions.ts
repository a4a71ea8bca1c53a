// What the simulated ACS keeps of its challenges, and for how long.

import type { ThreeDsBehaviour } from '../../cards/test-cards.ts'
import type { Clock } from '../../kernel/world.ts'
import type { Version } from '../emv/versions.ts'

export type Transaction = {
  server_transaction_id: string
  acs_transaction_id: string
  ds_transaction_id: string
  version: Version
  behaviour: ThreeDsBehaviour
  merchant_name: string
  amount: string
  /** ISO 4217, numeric. */
  currency: string
  exponent: number
  notification_url: string
  /** The values that a Y would carry. They are made when the AReq arrives, so that the card number need not be kept. */
  proof: { authentication_value: string; eci: string }
  created_at: Date
  opened: boolean
  tries: number
  session_data: string | null
  /** The status in the CRes; set once, when the challenge ends. */
  ended: 'Y' | 'N' | null
  /** Settles once the result was sent. */
  delivered: Promise<void> | null
  /** Cancels every wait of the ACS for this transaction. */
  timer: AbortController
}

type Transactions = {
  add(transaction: Transaction): void
  find(acs_transaction_id: string): Transaction | null
  close(): void
}

const keep_ms = 3_600_000
/** Each transaction takes some 2 KB. */
export const transactions_max = 10_000

export function openTransactions(clock: Clock): Transactions {
  const kept = new Map<string, Transaction>()

  function drop(transaction: Transaction): void {
    transaction.timer.abort()
    kept.delete(transaction.acs_transaction_id)
  }

  return {
    add(transaction) {
      const old = clock.now().getTime() - keep_ms
      // A Map keeps the order of arrival, so the oldest come first.
      for (const oldest of kept.values()) {
        if (oldest.created_at.getTime() > old && kept.size < transactions_max) break
        drop(oldest)
      }
      kept.set(transaction.acs_transaction_id, transaction)
    },
    find: (acs_transaction_id) => kept.get(acs_transaction_id) ?? null,
    close() {
      for (const transaction of kept.values()) drop(transaction)
    },
  }
}
