// `ripper serve` begins in a folder that nobody else writes to, whatever the umask, and says it when it runs as root.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ripperProgram, serve } from '../support/programs.ts'
import { removeData } from '../support/setup-database.ts'

const root = process.getuid!() === 0
const place = mkdtempSync(join(tmpdir(), 'ripper-place-'))
// As root, the server's user has to come through.
chmodSync(place, 0o711)
const data_dir = join(place, 'data')
const env = { RIPPER_DATA_DIR: data_dir, RIPPER_PORT: '0' }
afterAll(() => {
  removeData(data_dir)
  rmSync(place, { recursive: true })
})

const modeOf = (name = '') => statSync(join(data_dir, name)).mode & 0o777

test('a start under any umask, and one in a folder that was open', async () => {
  const before = process.umask(0)
  const first = await serve({ env }).finally(() => process.umask(before))
  const { status, stderr, warned } = await first.stop()
  expect([status, stderr]).toEqual([0, ''])
  expect(warned).toMatch(root ? /^WARNING: .* as root/ : /^$/)
  expect(modeOf()).toBe(root ? 0o711 : 0o700)
  for (const name of ['master.key', 'demo.json']) expect(modeOf(name)).toBe(0o600)

  chmodSync(data_dir, 0o777)
  const second = await serve({ env: { ...env, RIPPER_LOG_LEVEL: 'warn' } })
  const { stdout } = await second.stop()
  expect(stdout).toContain(`every user could write to ${data_dir} until now`)
  expect(modeOf()).toBe(0o711)
}, 60_000)

test('a folder of something else that all may write to is refused, and left alone', async () => {
  const shared = join(place, 'shared')
  mkdirSync(shared)
  writeFileSync(join(shared, 'notes.txt'), '')
  chmodSync(shared, 0o777)
  const { status, stderr } = await ripperProgram(['serve'], {
    env: { ...env, RIPPER_DATA_DIR: shared },
  })
  expect(status).toBe(1)
  expect(stderr).toContain('RIPPER_DATA_DIR must be a folder of its own: every user ')
  expect(readdirSync(shared)).toEqual(['notes.txt'])
  expect(statSync(shared).mode & 0o777).toBe(0o777)
})
