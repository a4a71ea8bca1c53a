// An amount as people of the language write it.

import { exponentOf } from '../../shared/money.ts'
import { typedAmount } from '../../shared/read-amount.ts'
import { locale } from '../words.ts'

/** Such as `1234.50`: it shows the point of the language, and how many decimals the currency has. */
export function amountExample(currency: string | null): string {
  const digits = exponentOf(currency ?? '')
  return typedAmount(12345 * 10 ** Math.max(0, digits - 1), currency, locale)
}
