// The parts of a file as a stream reads them, the first of which was made beforehand.

/**
 * Goes on with `parts` after `first`. Whoever stops reading ends `parts`, even before they began: a generator around it would
 * never have started then, and would leave it open.
 */
export function partsFrom(first: IteratorResult<string>, parts: AsyncGenerator<string>): AsyncIterableIterator<string> {
  let is_first = true
  const iterator: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      if (!is_first) return parts.next()
      is_first = false
      return first
    },
    return: () => parts.return(undefined),
  }
  return iterator
}
