// Serves the guides and llms.txt as they are in the repository, so that the links between them work here as they do there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lasting } from '../../http/encoded.ts'
import type { Page } from '../../http/pages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = [
  '',
  'docs/',
  'docs/connect/',
  'docs/operations/',
  'docs/examples/',
  'docs/decisions/',
  ...['sdk/', 'sdk/python/', 'sdk/php/', 'sdk/go/'],
  'bench/',
  'proofs/',
]
const types = new Map([
  ['md', 'text/markdown; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  // As a text to read: no page loads it as a script.
  ['mjs', 'text/plain; charset=utf-8'],
  ['diff', 'text/plain; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
])

/** The files that are served at their path in the repository: guides, llms.txt, the API's description, pictures. */
function servedPaths(): string[] {
  return folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) => readdirSync(root + folder).map((name) => folder + name))
    .filter((path) => /\.md$|^docs\/\w+\.(png|webp)$|^bench\/[\w-]+\.svg$/.test(path) || others.includes(path))
}

const others = ['llms.txt', 'docs/openapi.json', 'docs/examples/shop.mjs', 'docs/examples/from-stripe.diff']

/** Each file at its path in the repository, such as `/docs/webhooks.md`. A file that is not installed has no page. */
export function guidePages<Context>(): Page<Context>[] {
  return servedPaths().map((path) => {
    const type = types.get(path.split('.').at(-1)!)!
    const bytes = readFileSync(root + path)
    const content = type.startsWith('image/') ? { body: '', bytes } : { body: bytes.toString() }
    const whole = { status: 200, headers: { 'content-type': type }, ...content }
    // Compression would not make an image smaller.
    const answer = type.startsWith('image/') ? whole : lasting(whole)
    return {
      method: 'GET',
      path: `/${path}`,
      handle: async () => answer,
    }
  })
}

/** The texts of the guides and llms.txt, for the pages of the documentation. */
export function guideFiles(): { path: string; text: string }[] {
  return servedPaths()
    .filter((path) => /\.(md|txt)$/.test(path))
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
}
