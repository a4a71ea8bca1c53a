// A vendor's words that may be kept and shown to merchants: the reason of a decline, never data that we sent.

/** Shortened to one line, without possible card numbers; null if nothing is left. */
export function wordsOf(text: string | null): string | null {
  if (text === null) return null
  const words = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\d[\d -]{10,}\d/g, '…')
    .trim()
  return words === '' ? null : [...words].slice(0, 200).join('')
}
