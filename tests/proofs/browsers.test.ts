// The proof in other browsers where none is installed: it names what is missing, and passes only where that is asked for.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const proof = resolve(import.meta.dirname, '../../proofs/browsers/main.ts')

test.each([
  [[], 1, 'FAILED'],
  [['--skip-missing'], 0, 'skipped'],
])('with %j it ends with %i', (options, expected, word) => {
  const { status, stdout } = spawnSync(process.execPath, [proof, ...options], {
    encoding: 'utf8',
    env: { PATH: '/nowhere' },
  })
  expect(stdout.trim().split('\n')).toEqual([
    `Firefox: ${word}, firefox-esr or firefox is missing: apt-get install firefox-esr`,
    `WebKit: ${word}, WebKitWebDriver is missing: apt-get install webkit2gtk-driver xvfb`,
  ])
  expect(status).toBe(expected)
})
