// What happened in a simulated world, line by line: hashed as a whole, its end kept for whoever looks into a failure.

import { createHash } from 'node:crypto'

export type Trace = {
  note(line: string): void
  /** The hash of all lines so far, hex. */
  hash(): string
  /** The newest lines, oldest first. */
  tail(): string[]
}

const kept = 400

/** `watch` is told of every line at once. */
export function openTrace(watch: (line: string) => void = () => {}): Trace {
  const hash = createHash('sha256')
  const lines: string[] = []
  let unhashed: string[] = []
  const hashAll = () => {
    hash.update(unhashed.join(''))
    unhashed = []
  }
  return {
    note(line) {
      unhashed.push(`${line}\n`)
      if (unhashed.length === kept) hashAll()
      lines.push(line)
      if (lines.length > 2 * kept) lines.splice(0, kept)
      watch(line)
    },
    hash() {
      hashAll()
      return hash.copy().digest('hex')
    },
    tail: () => lines.slice(-kept),
  }
}
