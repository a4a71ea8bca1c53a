// Texts of web/words in the language that a person wants.

import { readdirSync, readFileSync } from 'node:fs'

export type Words = Record<string, string>

/** `words_json` is the file's content without white space, for use in a page. */
export type Language = {
  locale: string
  direction: 'ltr' | 'rtl'
  words: Words
  words_json: string
}

/** By their tags, such as `de`. */
export type Languages = Map<string, Language>

const shoppersLanguages = readLanguages(new URL('../../web/words/', import.meta.url))

/** The languages of the files directly in the folder. */
export function readLanguages(folder: URL): Languages {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return new Map(files.map((file) => [file.slice(0, -5), read(file.slice(0, -5), new URL(file, folder))]))
}

function read(locale: string, file: URL): Language {
  const words = JSON.parse(readFileSync(file, 'utf8')) as Words
  const direction = locale === 'ar' ? 'rtl' : 'ltr'
  return { locale, direction, words, words_json: JSON.stringify(words) }
}

/**
 * The requested language, otherwise the browser's first language that we have, otherwise English. The locale keeps the
 * requested region (`de-CH`), because amounts are written by it; Intl accepts it.
 */
export function languageFor(wished_tag: string | null, accept_language: string | null): Language {
  return languageAmong(shoppersLanguages, wished_tag, accept_language)
}

/** Like `languageFor`, for other texts. */
export function languageAmong(
  languages: Languages,
  wished_tag: string | null,
  accept_language: string | null,
): Language {
  for (const tag of [wished_tag ?? '', ...preferences(accept_language ?? '')]) {
    const locale = localeOf(tag)
    const language = locale && languages.get(locale.language)
    // Without extensions: a link could choose digits and calendars by them.
    if (language) return { ...language, locale: locale.baseName }
  }
  return languages.get('en')!
}

type Locale = Pick<Intl.Locale, 'language' | 'baseName'>

/**
 * Shoppers' browsers send the same few tags. Other senders gain no more memory than this many tags and their length.
 */
const known_max = 1_000
const known_length_max = 12
const locales = new Map<string, Locale | null>()

/**
 * Null if the text is no language tag. A text that only looks like one, such as `en-a`, would make a page's script
 * throw.
 */
function localeOf(tag: string): Locale | null {
  if (tag.length > known_length_max) return readLocale(tag)
  const before = locales.get(tag)
  if (before !== undefined) return before
  const locale = readLocale(tag)
  if (locales.size === known_max) locales.clear()
  locales.set(tag, locale)
  return locale
}

function readLocale(tag: string): Locale | null {
  try {
    const { language, baseName } = new Intl.Locale(tag)
    return { language, baseName }
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
