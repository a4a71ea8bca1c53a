// The Chromium that comes by npm starts on a system that has a C library, and little else.

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { expect, inject, test } from 'vitest'
import { chromiumEnvironment } from './chromium.ts'

const executable = inject('chromium')

test.skipIf(process.env.RIPPER_TEST_CHROMIUM)('brings the libraries that are not part of C’s', () => {
  // With this the loader says what it would load, and from where, and runs nothing.
  const { stdout } = spawnSync(executable, {
    env: { ...chromiumEnvironment(executable), LD_TRACE_LOADED_OBJECTS: '1' },
    encoding: 'utf8',
  })
  const loaded = [...stdout.matchAll(/^\s*(\S+) => (\S+)/gm)].map(([, name, from]) => ({
    name: name!,
    own: from!.startsWith(`${dirname(executable)}/`),
  }))
  const brought = loaded.filter(({ own }) => own).map(({ name }) => name)
  expect(brought).toEqual(expect.arrayContaining(['libnspr4.so', 'libnss3.so', 'libnssutil3.so', 'libexpat.so.1']))
  const others = loaded.filter(({ own }) => !own).map(({ name }) => name)
  expect(others.filter((name) => !of_c.test(name))).toEqual([])
})

const of_c = /^lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+$/
