// The texts of receipts in the shopper's language, kept apart from the texts of the pages, which every shopper loads.

import { readdirSync, readFileSync } from 'node:fs'
import { type Language, languageFor } from '../../kernel/words.ts'

export type ReceiptLanguage = Pick<Language, 'locale' | 'direction'> & {
  /** The text of a key with its placeholders filled in. */
  say(key: ReceiptKey, values?: Record<string, string>): string
}

const folder = new URL('words/', import.meta.url)
const words = new Map(
  readdirSync(folder).map((file) => {
    const texts = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Texts
    return [file.slice(0, -5), texts]
  }),
)

type Texts = Record<ReceiptKey, string>

type ReceiptKey =
  | 'subject'
  | 'paid'
  | 'test'
  | 'amount'
  | 'date'
  | 'order'
  | 'card'
  | 'card_value'
  | 'statement'
  | 'payment'
  | 'items'
  | 'tax'
  | 'footer'

/** The texts of a language, or English if there is no such language. */
export function receiptLanguage(locale: string | null): ReceiptLanguage {
  const found = languageFor(locale, null)
  const texts = words.get(new Intl.Locale(found.locale).language) ?? words.get('en')!
  return {
    locale: found.locale,
    direction: found.direction,
    say: (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole),
  }
}
