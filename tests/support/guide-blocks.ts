// The code blocks of the guides, and what a reader does with them: run, saved as a file, or applied as a change.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type Guide = {
  text: string
  /** Code by the name that stands before each block. */
  blocks: Record<string, string>
  /** Names of those that are not run; the guide says why. */
  not_run: string[]
}

/** A guide by its path. Every block must have its name before it: `<!-- name -->`, or `<!-- name: why it is not run -->`. */
export function readGuide(path: string): Guide {
  const text = readFileSync(root + path, 'utf8')
  const guide: Guide = { text, blocks: {}, not_run: [] }
  for (const [block, name, why, code] of text.matchAll(/(?:<!-- ([\w.-]+)(: [^>]+)? -->\n)?```\w+\n([\s\S]*?)```/g)) {
    if (!name) throw new Error(`${path} has a block without a name: ${block}`)
    guide.blocks[name] = code!
    if (why) guide.not_run.push(name)
  }
  return guide
}

/** The pages for operators as one guide. */
export function readOperations(): Guide {
  const folder = 'docs/operations'
  const pages = readdirSync(root + folder)
    .toSorted()
    .map((name) => `${folder}/${name}`)
  const guides = ['docs/operations.md', ...pages].map(readGuide)
  return {
    text: guides.map(({ text }) => text).join('\n'),
    blocks: Object.assign({}, ...guides.map(({ blocks }) => blocks)),
    not_run: guides.flatMap(({ not_run }) => not_run),
  }
}

/** A file as a change leaves it, or as it was. */
export function sideOf(change: string, side: 'before' | 'after'): string {
  const other = side === 'after' ? '-' : '+'
  return change
    .split('\n')
    .filter((line) => !line.startsWith(other))
    .map((line) => line.slice(1))
    .join('\n')
}

/**
 * Puts this repository's programs in the place of those that a reader's folder has, and takes away what a machine with
 * nothing but Node and npm lacks.
 */
export const prelude = `
for program in git jq openssl perl python3 unzip wget; do
  eval "$program() { echo $program is not on every machine >&2; return 127; }"
done
npx() { shift; node '${root}bin/ripper.mjs' "$@"; }
npm() {
  if [ "$*" = 'run pack:sdk' ]; then node '${root}scripts/pack-sdk.mjs' "$PWD/dist/npm/node"
  else command npm "$@"; fi
}
`

/** The text with what a reader has otherwise here, each of which must be there. */
export function withChanges(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((changed, [words, others]) => {
    if (!changed.includes(words)) throw new Error(`${words} is not there: ${text}`)
    return changed.replaceAll(words, others)
  }, text)
}
