// Money: always with its currency, as people of the language write it.

import { formatAmount } from '../../shared/money.ts'
import type { AmountRead } from '../../shared/read-amount.ts'
import { locale, say } from '../words.ts'
import { amountExample } from './amount-example.ts'

/** `currency` is null where a payment failed before it was known. */
export function amountWords(amount: number, currency: string | null): string {
  return currency === null ? String(amount) : formatAmount(amount, currency, locale)
}

/** Why an amount was not read, where it has two readings; else null. */
export function unreadWords(read: AmountRead, currency: string | null): string | null {
  if (!('fault' in read) || read.fault !== 'ambiguous') return null
  return say('amount_ambiguous', { example: amountExample(currency) })
}

export function Amount({ amount, currency }: { amount: number; currency: string | null }) {
  return <span className="amount">{amountWords(amount, currency)}</span>
}
