// The simulated acquirer as one that cannot be asked, and what it posts then: one notice for each outcome.

import type { Acquirer, Notice } from '../../src/acquirers/acquirer.ts'
import { authoriseAnswer, isFence } from '../../src/acquirers/simulated-acquirer/authorisation.ts'
import type { LedgerEntry } from '../../src/acquirers/simulated-acquirer/ledger.ts'
import { settleAnswer } from '../../src/acquirers/simulated-acquirer/settlement.ts'

export function onlyNotifying(simulator: Acquirer): Acquirer {
  return {
    ...simulator,
    learned_by: 'notice',
    lists: false,
    lookUp: async () => ({ result: 'only_notices_tell' }),
    listAuthorisations: async () => [],
  }
}

/** Null while the outcome is not known, and for a fence. */
export function noticeOf(entry: LedgerEntry, now: Date): Notice | null {
  const { reference, kind, transaction_id, known_at } = entry
  if (known_at === null || known_at > now || isFence(entry)) return null
  return {
    notice_id: `${transaction_id}-${kind}`,
    about: kind,
    reference,
    acquirer_transaction_id: transaction_id,
    authorisation_transaction_id: null,
    answer: kind === 'authorise' ? authoriseAnswer(entry) : settleAnswer(entry),
    occurred_at: known_at,
    is_ours: true,
  }
}
