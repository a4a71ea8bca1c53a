// The guides and llms.txt, served as they stand in the repository, so that links between them work here as they do there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lasting } from '../http/encoded.ts'
import type { Page } from '../http/pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = ['', 'docs/', 'sdk/', 'bench/', 'proofs/']
const types = new Map([
  ['md', 'text/markdown; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
])

/** Each at its path in the repository: `/llms.txt`, `/docs/webhooks.md`. Where one is not installed there is no page. */
export function guidePages<Context>(): Page<Context>[] {
  return folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) => readdirSync(root + folder).map((name) => folder + name))
    .filter((path) => path.endsWith('.md') || path === 'llms.txt' || path === 'docs/openapi.json')
    .map((path) => {
      const body = readFileSync(root + path, 'utf8')
      const headers = { 'content-type': types.get(path.split('.').at(-1)!)! }
      const answer = lasting({ status: 200, body, headers })
      return { method: 'GET', path: `/${path}`, handle: async () => answer }
    })
}
