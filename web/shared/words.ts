// Texts in the shopper's language, by their keys in web/words/en.json.

export type Words = Record<string, string>

/** The text of a key with its placeholders filled in: `Pay {amount}`. The key itself if there is no text. */
export function say(words: Words, key: string, values: Record<string, string> = {}): string {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
}

/** Right to left or left to right. */
export function directionOf(locale: string): 'rtl' | 'ltr' {
  return /^ar\b/.test(locale) ? 'rtl' : 'ltr'
}
