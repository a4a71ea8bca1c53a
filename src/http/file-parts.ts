// The parts of a file in the form of a stream. The first part was made beforehand.

/**
 * Continues with `parts` after `first`. A reader that stops ends `parts`, even if it has not read any: a generator
 * around `parts` would then not have started, and would leave it open.
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
