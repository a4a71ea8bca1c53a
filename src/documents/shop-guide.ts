// The code block of docs/shop.md, from the file that it shows.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const begin = '<!-- shop.mjs -->\n```js\n'

/** The guide with the file as it is. */
export function shopGuide(): string {
  const [before] = readFileSync(`${docs}shop.md`, 'utf8').split(begin)
  return `${before}${begin}${readFileSync(`${docs}examples/shop.mjs`, 'utf8')}\`\`\`\n`
}
