// Why an amount did not verify, in the person's language. The service keeps it as an English sentence of a few forms.

import type { WordKey } from '../words.ts'

type Form = [form: RegExp, key: WordKey]

const forms: Form[] = [
  [/^the amount came without items/, 'hold_detail_no_items'],
  [
    /^the amount is (?<amount>\d+) (?<currency>[A-Z]{3}) and the integration's is (?<expected>\d+) (?<other>[A-Z]{3})$/,
    'hold_detail_other_amount',
  ],
  [/^the amount is (?<amount>\d+) and the items come to (?<expected>\d+)$/, 'hold_detail_other_sum'],
  [/^items\[(?<index>\d+)\] is a discount/, 'hold_detail_discount'],
  [/^items\[(?<index>\d+)\] has no sku/, 'hold_detail_no_sku'],
  [/^items\[(?<index>\d+)\]\.sku is not on the price list in (?<currency>[A-Z]{3})$/, 'hold_detail_unlisted'],
  [
    /^items\[(?<index>\d+)\]\.unit_amount is (?<amount>\d+), on the price list it is (?<expected>\d+)$/,
    'hold_detail_other_price',
  ],
  [/^The amount is verified, and the acquirer has reserved/, 'hold_detail_reserved'],
]

/** The key of the words, and the amounts and the line in them. */
export type HoldDetail = {
  key: WordKey
  currency: string | null
  amount?: number
  expected?: number
  /** Of `expected`, where it is another one. */
  other?: string
  number?: number
}

/** Null for a sentence of no form that is known here. */
export function holdDetailIn(detail: string, payment_currency: string | null): HoldDetail | null {
  for (const [form, key] of forms) {
    const parts = form.exec(detail)
    if (!parts) continue
    const { amount, expected, index, currency = payment_currency, other } = parts.groups ?? {}
    return {
      key,
      currency,
      ...(amount && { amount: Number(amount) }),
      ...(expected && { expected: Number(expected) }),
      ...(other && { other }),
      ...(index && { number: Number(index) + 1 }),
    }
  }
  return null
}
