// Reads amounts as people of a language write them: the way back of `formatAmount`. What has two readings is read as neither,
// since money may be moved by it.

import { exponentOf, odd_currencies } from './money.ts'

/** In minor units, with the currency that the text names. `ambiguous`: people of another language mean another amount by it. */
export type AmountRead = { amount: number; currency: string | null } | { fault: 'unreadable' | 'ambiguous' }

/** `currency` is that of the amount; null where only the text can name one, and two digits count without it. */
export function readAmount(text: string, locale: string, currency: string | null): AmountRead {
  const plain = plainOf(text)
  const parts = /^(\D*?)(\d.*\d|\d)(\D*)$/.exec(plain)
  if (!parts) return unreadable
  const [, before = '', figure = '', after = ''] = parts
  const mark = (before + after).trim()
  const named = mark === '' ? null : currencyOf(mark, locale, currency)
  if (named === undefined || (before.trim() && after.trim())) return unreadable
  const of = currency ?? named
  const decimals_max = exponentOf(of ?? '')
  const read = readFigure(figure, signsOf(locale, of), decimals_max)
  if ('fault' in read) return read
  const amount = Number(read.whole + read.decimals.padEnd(decimals_max, '0'))
  return Number.isSafeInteger(amount) ? { amount, currency: named } : unreadable
}

/** The amount without its currency, as a field shows it: digits and the language's own decimal point, no groups. */
export function typedAmount(amount: number, currency: string | null, locale: string): string {
  const digits = exponentOf(currency ?? '')
  const fractions = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const parts = partsOf(amount / 10 ** digits, locale, currency, fractions)
  return parts.flatMap(({ type, value }) => (figures.includes(type) ? [value] : [])).join('')
}

const figures: Intl.NumberFormatPartTypes[] = ['integer', 'decimal', 'fraction']

/** Some countries have another point in money than in other figures. */
function partsOf(value: number, locale: string, currency: string | null, options?: Intl.NumberFormatOptions) {
  const style = currency ? ({ style: 'currency', currency } as const) : {}
  return new Intl.NumberFormat(locale, { ...style, ...options }).formatToParts(value)
}

const unreadable = { fault: 'unreadable' } as const
const ambiguous = { fault: 'ambiguous' } as const

const zeros = ['٠', '۰', '०']

/** Digits of other scripts as ours, blanks of all widths as one, and without the marks of direction. */
function plainOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\s/g, ' ')
    .replace(/[٠-٩۰-۹०-९]/g, (digit) => {
      const zero = zeros.map((each) => digit.charCodeAt(0) - each.charCodeAt(0))
      return String(zero.find((value) => value >= 0 && value <= 9))
    })
    .trim()
}

type Signs = { group: string; point: string }

function signsOf(locale: string, currency: string | null): Signs {
  const parts = partsOf(12345.6, locale, currency, { minimumFractionDigits: 1 })
  const signOf = (type: string) => plainOf(parts.find((part) => part.type === type)?.value ?? '')
  return { group: signOf('group'), point: signOf('decimal') }
}

type Figure = { whole: string; decimals: string } | typeof unreadable | typeof ambiguous

/** Full stops and commas part groups in one language and are the point in another. Blanks and apostrophes only part groups. */
function readFigure(figure: string, { group, point }: Signs, decimals_max: number): Figure {
  const text = figure.replaceAll('٫', 'P')
  if (/[^\d.,P '’٬]/.test(text)) return unreadable
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','), text.lastIndexOf('P'))
  if (last === -1) return wholeOf(text, '')
  const sign = text[last]!
  const head = text.slice(0, last)
  const tail = text.slice(last + 1)
  if (/\D/.test(tail)) return wholeOf(text, '')
  // Signs of one kind that stand there more than once part groups; behind groups of another kind stands the point.
  if (head.includes(sign)) return wholeOf(text, '')
  const is_point = sign === 'P' || /\D/.test(head)
  if (is_point || tail.length !== 3 || !/^[1-9]\d{0,2}$/.test(head)) {
    return tail.length > decimals_max ? unreadable : wholeOf(head, tail)
  }
  // `1,234`: a group, or the decimals of a currency that has three. It counts only as this language writes that currency.
  if (sign === point) return decimals_max < 3 ? ambiguous : { whole: head, decimals: tail }
  return sign === group && decimals_max < 3 ? { whole: head + tail, decimals: '' } : ambiguous
}

function wholeOf(text: string, decimals: string): Figure {
  const sign = /\D/.exec(text)?.[0]
  if (!sign) return { whole: text, decimals }
  const groups = text.split(sign)
  const is_grouped =
    groups.every((group) => /^\d+$/.test(group)) && (isThrees(groups) || (groups.length > 2 && isLakhs(groups)))
  return is_grouped ? { whole: groups.join(''), decimals } : unreadable
}

function isThrees([first = '', ...others]: string[]): boolean {
  return /^[1-9]\d{0,2}$/.test(first) && others.every(({ length }) => length === 3)
}

/** As in India: `1,23,456`. */
function isLakhs([first = '', ...others]: string[]): boolean {
  const [last, ...middle] = others.toReversed()
  return /^[1-9]\d?$/.test(first) && last?.length === 3 && middle.every(({ length }) => length === 2)
}

/** The signs that people type for their own currency, whatever their language writes. */
const usual: Record<string, string> = { '£': 'GBP', '€': 'EUR', $: 'USD', '¥': 'JPY' }

/** The currency that a mark stands for; undefined for a stranger. Of a known currency its own marks count alone. */
function currencyOf(mark: string, locale: string, known: string | null): string | undefined {
  const code = mark.toUpperCase()
  if (known === null) return currencyCode(mark) ?? markedOf(locale)[mark] ?? usual[mark]
  const own = [known, markOf(known, locale, 'symbol'), markOf(known, locale, 'narrowSymbol')]
  return own.includes(mark) || code === known || usual[mark] === known ? known : undefined
}

let codes: string[] | null = null

/** `eur` → `EUR`; null for what is no currency's code. */
export function currencyCode(text: string): string | null {
  codes ??= [...Intl.supportedValuesOf('currency'), ...odd_currencies]
  const code = text.toUpperCase()
  return codes.includes(code) ? code : null
}

/** Currencies by the marks that one language has for them. */
const marked: Record<string, Record<string, string>> = {}

function markedOf(locale: string): Record<string, string> {
  marked[locale] ??= Object.fromEntries(
    Intl.supportedValuesOf('currency').map((code) => [markOf(code, locale, 'symbol'), code]),
  )
  return marked[locale]
}

function markOf(currency: string, locale: string, form: 'symbol' | 'narrowSymbol'): string {
  const parts = partsOf(1, locale, currency, { currencyDisplay: form })
  return plainOf(parts.find(({ type }) => type === 'currency')?.value ?? currency)
}
