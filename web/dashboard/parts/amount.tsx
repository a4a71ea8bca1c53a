// Money: always with its currency, as people of the language write it.

import { exponentOf, formatAmount } from '../../shared/money.ts'
import { type AmountRead, typedAmount } from '../../shared/read-amount.ts'
import { locale, say } from '../words.ts'

/** `currency` is null where a payment failed before it was known. */
export function amountWords(amount: number, currency: string | null): string {
  return currency === null ? String(amount) : formatAmount(amount, currency, locale)
}

/** Why an amount was not read, where it has two readings; else null. */
export function unreadWords(read: AmountRead, currency: string | null): string | null {
  if (!('fault' in read) || read.fault !== 'ambiguous') return null
  return say('amount_ambiguous', { example: amountExample(currency) })
}

/** Such as `1234.50`: it shows the point of the language, and how many decimals the currency has. */
export function amountExample(currency: string | null): string {
  const digits = exponentOf(currency ?? '')
  return typedAmount(12345 * 10 ** Math.max(0, digits - 1), currency, locale)
}

export function Amount({ amount, currency }: { amount: number; currency: string | null }) {
  return <span className="amount">{amountWords(amount, currency)}</span>
}
