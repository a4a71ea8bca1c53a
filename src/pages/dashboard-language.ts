// The dashboard's language and its words: as the person chose in this browser, else as the browser asks.

import { type Language, languageAmong, readLanguages } from '../kernel/words.ts'

const languages = readLanguages(new URL('../../web/words/dashboard/', import.meta.url))

/** `chosen` is a tag without a region, such as `de`; a browser that prefers that language adds its own region. */
export function dashboardLanguage(chosen: string | null, accept_language: string | null): Language & { tag: string } {
  const browsers = languageAmong(languages, null, accept_language)
  const found = tagOf(browsers) === chosen ? browsers : languageAmong(languages, chosen, accept_language)
  return { ...found, tag: tagOf(found) }
}

function tagOf({ locale }: Language): string {
  return new Intl.Locale(locale).language
}
