// The commit of a checkout, read without running Git, compared with Git's own answer.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commit, release, version } from './version.ts'

const root = new URL('../../', import.meta.url)

test.skipIf(!existsSync(new URL('.git', root)))('a checkout is at the commit that is checked out', () => {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  expect(commit()).toBe(head.slice(0, 12))
  expect(release()).toBe(`${version()} (${head.slice(0, 12)})`)
})
