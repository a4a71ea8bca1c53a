// Writes amounts as people of a language do, with the digits of ISO 4217, because `Intl` has other digits for some currencies.

const exponents: Record<string, number> = {}
for (const [digits, codes] of [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const) {
  for (const code of codes.split(' ')) exponents[code] = digits
}

/** Those with other digits than two. */
export const odd_currencies = Object.keys(exponents)

/** Digits after the point, by ISO 4217. */
export function exponentOf(currency: string): number {
  return exponents[currency] ?? 2
}

/** `amount` in minor units; `£42.00`, `42,00 €`, `¥4,200`. */
export function formatAmount(amount: number, currency: string, locale: string): string {
  const digits = exponentOf(currency)
  const written = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits)
  // In a right-to-left text the letters of `UK£` would end up after its sign.
  return written.replace(/^(\u200f.*)([A-Z]{2}\p{Sc})/u, '$1\u2066$2\u2069')
}
