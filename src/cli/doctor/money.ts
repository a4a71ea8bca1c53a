// Checks money against the journal: the payments of the last day and their lines.

import type { MoneyFault } from '../../checkout/reading/money-fault.ts'
import { verifyRecentPayments } from '../../checkout/reading/verify-payments.ts'
import type { Sql } from '../../database/open.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { moneyFaultWords } from '../audit-verify.ts'
import { type Check, counted, named, ok, problem } from './finding.ts'

export type MoneyFacts = {
  /** The number of payments with an outcome in the last day that were compared. */
  payments: number
  fault_count: number
  /** The first of them. */
  faults: MoneyFault[]
}

export const moneyChecks: Check<MoneyFacts>[] = [
  {
    name: 'Payments',
    judge({ payments, fault_count, faults }) {
      if (fault_count === 0) {
        const those = `${counted(payments, 'payment')} of the last day`
        return ok(`${those} compared with the journal; ripper audit verify compares all`)
      }
      const subjects = [...new Set(faults.map(({ subject }) => subject))]
      return problem(
        `rows that contradict the journal: ${named(subjects)}; ${moneyFaultWords(faults[0]!)}`,
        'Somebody has changed the tables. ripper audit verify names every change; ripper audit show PAYMENT_ID shows a payment.',
      )
    },
  },
]

const recent_ms = 24 * 3600 * 1000

/** Reads the facts for the check of payments against the journal. */
export async function readMoney(sql: Sql, now: Date): Promise<MoneyFacts> {
  return verifyRecentPayments(sql, idsFrom(new Date(now.getTime() - recent_ms)))
}
