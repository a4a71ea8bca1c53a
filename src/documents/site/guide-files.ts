// The guides and llms.txt, served as they stand in the repository, so that links between them work here as they do there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lasting } from '../../http/encoded.ts'
import type { Page } from '../../http/pages.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['', 'docs/', 'docs/decisions/', 'sdk/', 'bench/', 'proofs/']
const types = new Map([
  ['md', 'text/markdown; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
])

/** What is served by its path in the repository: guides, llms.txt, the description, pictures. */
function servedPaths(): string[] {
  return folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) => readdirSync(root + folder).map((name) => folder + name))
    .filter((path) => /\.md$|^docs\/\w+\.(png|webp)$/.test(path) || others.includes(path))
}

const others = ['llms.txt', 'docs/openapi.json']

/** Each at its path in the repository: `/llms.txt`, `/docs/webhooks.md`. Where one is not installed there is no page. */
export function guidePages<Context>(): Page<Context>[] {
  return servedPaths().map((path) => {
    const type = types.get(path.split('.').at(-1)!)!
    const bytes = readFileSync(root + path)
    const content = type.startsWith('image/') ? { body: '', bytes } : { body: bytes.toString() }
    const whole = { status: 200, headers: { 'content-type': type }, ...content }
    // An image is as small as it gets.
    const answer = type.startsWith('image/') ? whole : lasting(whole)
    return {
      method: 'GET',
      path: `/${path}`,
      handle: async () => answer,
    }
  })
}

/** The texts of guides and llms.txt, for the documentation's pages. */
export function guideFiles(): { path: string; text: string }[] {
  return servedPaths()
    .filter((path) => /\.(md|txt)$/.test(path))
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
}
