// The version of this release.

import { readFileSync } from 'node:fs'

/** Such as `0.1.0`. */
export function version(): string {
  const path = new URL('../../package.json', import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')).version
}
