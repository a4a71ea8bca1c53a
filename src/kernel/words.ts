// The texts of web/words in the shopper's language.

import { readdirSync, readFileSync } from 'node:fs'

export type Words = Record<string, string>

/** `words_json` is the file's content without white space, to be put into a page. */
export type Language = {
  locale: string
  direction: 'ltr' | 'rtl'
  words: Words
  words_json: string
}

const folder = new URL('../../web/words/', import.meta.url)
const languages = new Map(readdirSync(folder).map((file) => [file.slice(0, -5), read(file)]))

function read(file: string): Language {
  const locale = file.slice(0, -5)
  const words = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Words
  const direction = locale === 'ar' ? 'rtl' : 'ltr'
  return { locale, direction, words, words_json: JSON.stringify(words) }
}

/**
 * The language that was requested, else the browser's first language that we have, else English. The locale keeps the
 * region that was requested (`de-CH`), since amounts are written by it; Intl accepts it.
 */
export function languageFor(asked: string | null, accept_language: string | null): Language {
  for (const tag of [asked ?? '', ...preferences(accept_language ?? '')]) {
    const locale = localeOf(tag)
    const found = locale && languages.get(locale.language)
    // Without extensions: a link could choose digits and calendars by them.
    if (found) return { ...found, locale: locale.baseName }
  }
  return languages.get('en')!
}

/**
 * Null for what is no language tag. A text that only looks like one, such as `en-a`, would make a page's script throw.
 */
function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag)
  } catch {
    return null
  }
}

/** The tags of an Accept-Language header, the most preferred first. */
function preferences(header: string): string[] {
  return header
    .slice(0, 1000)
    .split(',')
    .map((part) => {
      const [tag, ...parameters] = part.trim().split(';')
      const quality = parameters.map((each) => /^\s*q=([\d.]+)$/.exec(each)?.[1]).find(Boolean)
      return { tag: tag!.trim(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
