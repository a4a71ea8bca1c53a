// Reads the facts for the check of payments against the journal.

import { verifyRecentPayments } from '../../checkout/reading/verify-payments.ts'
import type { Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import type { MoneyFacts } from './money.ts'

const recent_ms = 24 * 3600 * 1000

export async function readMoney(sql: Sql, now: Date): Promise<MoneyFacts> {
  return verifyRecentPayments(sql, idsFrom(new Date(now.getTime() - recent_ms)))
}
