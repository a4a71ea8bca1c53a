// What the page says, in the person's language. A key that English lacks is a fault of types.

import english from '../words/dashboard/en.json' with { type: 'json' }
import { pageContext } from './page-context.ts'

export type WordKey = keyof typeof english

const words: Record<string, string> = pageContext.words ?? english

/** The text of a key, with `{placeholders}` filled in. */
export function say(key: WordKey, values: Record<string, string | number> = {}): string {
  const text = words[key] ?? english[key]
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? whole
    return typeof value === 'number' ? formatNumber(value) : value
  })
}

/** The text of `prefix_code`, or the code itself where it is a stranger: servers may know more than their page. */
export function sayCode(prefix: string, code: string): string {
  return sayKnown(prefix, code) ?? code.replaceAll('_', ' ')
}

/** The same; null where the code is a stranger. */
export function sayKnown(prefix: string, code: string, values: Record<string, string | number> = {}): string | null {
  const key = `${prefix}_${code.replace(/[.-]/g, '_')}`
  return key in english ? say(key as WordKey, values) : null
}

/** A form for 1, and for all else the one that the language's plural asks for: `many` with `_few` after it, say, or `many`. */
export function sayCount(
  one: WordKey,
  many: WordKey,
  count: number,
  values: Record<string, string | number> = {},
): string {
  const form = `${many}_${plurals.select(count)}`
  const key = count === 1 && one !== many ? one : words[form] ? (form as WordKey) : many
  return say(key, { ...values, count })
}

export const { locale } = pageContext

const plurals = new Intl.PluralRules(locale)

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(locale).format(value)
}
