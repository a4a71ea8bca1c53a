// The version of this release, and the commit from which it was made.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** For example `0.1.0`. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version
}

/**
 * The first 12 digits of the commit: a package's own, or the one that is checked out. Null if neither is known, as in
 * an archive of the files.
 */
export function commit(): string | null {
  return (textOf(new URL('lib/commit', root)) ?? checkedOut())?.slice(0, 12) ?? null
}

/** For example `0.1.0 (5d0c7f0a9b1e)`. */
export function release(): string {
  const at = commit()
  return at === null ? version() : `${version()} (${at})`
}

/**
 * Reads Git's files without running Git: HEAD names a commit or a branch, whose commit is in a file of its own or among
 * the packed ones.
 */
function checkedOut(): string | null {
  const own = folderOf()
  const head = textOf(`${own}/HEAD`)
  const [, branch] = /^ref: (refs\/\S+)$/.exec(head ?? '') ?? []
  if (branch === undefined) return hexOf(head)
  const common = textOf(`${own}/commondir`)
  const common_folder = common === null ? own : common.startsWith('/') ? common : `${own}/${common}`
  const packedRefs = textOf(`${common_folder}/packed-refs`)?.split('\n')
  const line = packedRefs?.find((each) => each.endsWith(` ${branch}`))
  return hexOf(textOf(`${common_folder}/${branch}`) ?? line?.split(' ')[0] ?? null)
}

/** In a second worktree, `.git` is a file that names the folder. */
function folderOf(): string {
  const path = fileURLToPath(new URL('.git', root))
  const [, elsewhere] = /^gitdir: (.+)$/.exec(textOf(path) ?? '') ?? []
  return elsewhere ?? path
}

function hexOf(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40,64}$/.test(text) ? text : null
}

function textOf(path: URL | string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
