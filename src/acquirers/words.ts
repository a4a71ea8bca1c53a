// Words of a vendor that may be kept and shown to merchants: a decline's reason, never what was sent.

/** Short, one line, and without what could be a card's number; null where nothing is left. */
export function wordsOf(text: string | null): string | null {
  if (text === null) return null
  const words = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\d[\d -]{10,}\d/g, '…')
    .trim()
  return words === '' ? null : [...words].slice(0, 200).join('')
}
