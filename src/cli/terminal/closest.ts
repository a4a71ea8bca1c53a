// Finds the word that somebody meant by a mistyped one.

/** The word with the fewest slips; null if none is near. */
export function closest(typed: string, words: readonly string[]): string | null {
  const most = Math.max(1, Math.min(3, Math.floor(typed.length / 3)))
  const [best] = words
    .map((word) => ({ word, slips: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
  return best?.word ?? null
}

/** The number of slips between two texts: characters left out, added, changed, or swapped with the next. */
export function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const here = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const is_same = from[row - 1] === to[column - 1]
      let slips = Math.min(last[column]! + 1, here[column - 1]! + 1, last[column - 1]! + Number(!is_same))
      const is_swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && is_swapped) slips = Math.min(slips, before[column - 2]! + 1)
      here.push(slips)
    }
    before = last
    last = here
  }
  return last[to.length]!
}
