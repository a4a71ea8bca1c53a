// Money: always with its currency, as people of the language write it.

import { formatAmount } from '../../shared/money.ts'
import { locale } from '../words.ts'

/** `currency` is null where a payment failed before it was known. */
export function amountWords(amount: number, currency: string | null): string {
  return currency === null ? String(amount) : formatAmount(amount, currency, locale)
}

export function Amount({ amount, currency }: { amount: number; currency: string | null }) {
  return <span className="amount">{amountWords(amount, currency)}</span>
}
