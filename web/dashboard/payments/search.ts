// What a person typed into the search box, understood: an id, an e-mail, four digits, an amount, a currency, an order reference.

import { currencyCode, readAmount } from '../../shared/read-amount.ts'
import type { ScreenName } from '../frame/screen-names.ts'
import { screenOfId, screenOfSecret } from '../frame/screen-of-id.ts'
import { type Filters, queryOf } from './filters.ts'

/** A screen to go to, of which the text that was typed is a name, or one for a secret, or filters of the list of payments. */
export type Understood =
  | { screen: string; text: string }
  | { session_id: string }
  | { secret_of: 'keys' | 'webhooks' }
  | { filters: Filters }

/** Who types: their language, and which screens they may open. */
export type Reader = { locale: string; opens: (screen: ScreenName) => boolean }

/** What the service knows of a text. */
export type Matches = {
  order_references: string[]
  customer_emails: string[]
  payment_ids: string[]
  session_ids: string[]
}

/**
 * Each choice once: what an id names, then what there is, of which whole words come first, and then what the text may mean although
 * nothing is known of it.
 */
export function choicesOf(typed: string, reader: Reader, matches: Matches): Understood[] {
  const text = textOf(typed)
  const meanings = meaningsOf(text, reader)
  const known = [
    ...matches.order_references.map((order_reference) => ({ order_reference })),
    ...matches.customer_emails.map((customer_email) => ({ customer_email })),
  ]
  const isWhole = (filters: Filters) =>
    Object.values(filters).some((value) => value?.toLowerCase() === text.toLowerCase())
  const all: Understood[] = [
    // A request that a shopper was refused: its session, which more people may open than its line among the requests.
    ...matches.session_ids.map((session_id) => ({ session_id })),
    ...meanings.filter((meaning) => 'screen' in meaning),
    ...matches.payment_ids.map((id) => ({
      screen: `payments/${id}`,
      text: matches.payment_ids.length > 1 ? id : text,
    })),
    ...filtered(...known.filter(isWhole)),
    ...filtered(...known.filter((filters) => !isWhole(filters))),
    ...meanings,
  ]
  const keys = all.map((choice) => JSON.stringify(choice))
  return all.filter((_, index) => keys.indexOf(keys[index]!) === index)
}

/** What the text may mean, the likeliest first. Nothing for an empty one, nor for what the reader may not open. */
export function meaningsOf(typed: string, { locale, opens }: Reader): Understood[] {
  const text = textOf(typed)
  if (text === '') return []
  const secret_of = screenOfSecret(text)
  if (secret_of) return opens(secret_of) ? [{ secret_of }] : []
  const shown = screenOfId(text)
  if (shown) return opens(shown.screen) ? [{ screen: shown.path, text }] : []
  const order = { order_reference: text }
  if (text.includes('@')) return filtered({ customer_email: text.toLowerCase() }, order)
  const currency = currencyCode(text)
  if (currency) return filtered({ currency }, order)
  const amount = amountIn(text, locale)
  if (/^\d{4}$/.test(text)) return filtered({ card_last4: text }, order, amount)
  // A bare whole number is rather an order's.
  return /^\d+$/.test(text) ? filtered(order, amount) : filtered(amount, order)
}

/** Without the blanks around it; of a session's client secret, which pays, the session's id alone. */
export function textOf(typed: string): string {
  return typed.trim().replace(/^(cs_[0-9a-f]+)_secret_.*$/i, '$1')
}

/** Where a meaning leads, below the merchant's place. */
export function screenFor(meaning: Understood): string {
  if ('secret_of' in meaning) return meaning.secret_of
  if ('session_id' in meaning) return `sessions/${meaning.session_id}`
  return 'screen' in meaning ? meaning.screen : `payments${queryOf(meaning.filters)}`
}

function filtered(...choices: (Filters | null)[]): Understood[] {
  return choices.flatMap((filters) => (filters ? [{ filters }] : []))
}

/** `42.00`, `£42`, `42 GBP`, as people of the language write it: minor units, and the currency where one was said. */
export function amountIn(text: string, locale: string): Pick<Filters, 'amount' | 'currency'> | null {
  const read = readAmount(text, locale, null)
  if ('fault' in read || read.amount === 0) return null
  const { amount, currency } = read
  return { amount: String(amount), ...(currency && { currency }) }
}
