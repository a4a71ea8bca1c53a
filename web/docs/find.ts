// Searches the entries, and returns the best first.

/** An entry of the page's index. `place` says where it is, and `words` are more words that find it. */
export type SearchEntry = { title: string; href: string; place: string; words?: string }

export const found_max = 12

/** Entries that have every word. Matches in the title come first; otherwise the order is that of the index. */
export function find(index: SearchEntry[], asked: string): SearchEntry[] {
  const words = plain(asked).split(' ').filter(Boolean)
  if (words.length === 0) return []
  return index
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, found_max)
    .map(({ entry }) => entry)
}

/** 0 if a word is missing. */
function scoreOf({ title, place, words = '' }: SearchEntry, asked: string[]): number {
  const head = plain(title)
  const rest = ` ${plain(place)} ${plain(words)} `
  let score = head === asked.join(' ') ? 8 : 0
  for (const word of asked) {
    const at = head.indexOf(word)
    if (at >= 0) score += isStart(head, at) ? 5 : 4
    else if (isStart(head, head.indexOf(stemOf(word)))) score += 3
    else if (rest.includes(` ${word} `)) score += 2
    else if (rest.includes(word)) score += 1
    else return 0
  }
  return score
}

function isStart(text: string, at: number): boolean {
  return at === 0 || (at > 0 && /[ _]/.test(text[at - 1]!))
}

/** So that `rotate` finds "Rotating keys". */
function stemOf(word: string): string {
  const stem = word.replace(/(ing|ed|es|e|s)$/, '')
  return stem.length < 4 ? word : stem
}

/** A name with low lines is one word. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()
}
