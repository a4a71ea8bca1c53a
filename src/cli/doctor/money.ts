// The check of what the journal says of money: payments of the last day against their lines.

import type { MoneyFault } from '../../checkout/reading/compared-payment.ts'
import { moneyFaultWords } from '../audit/money-fault-words.ts'
import { type Check, counted, named, ok, problem } from './finding.ts'

export type MoneyFacts = {
  /** Compared, of those that something became of in the last day. */
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
        `rows that the journal tells otherwise of: ${named(subjects)}; ${moneyFaultWords(faults[0]!)}`,
        'Somebody has written to the tables: ripper audit verify names all of it, ripper audit show PAYMENT_ID its life.',
      )
    },
  },
]
