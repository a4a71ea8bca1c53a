import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { areLinksMade, findBinaries } from './binaries.ts'

const place = mkdtempSync(join(tmpdir(), 'ripper-binaries-'))
afterAll(() => rmSync(place, { recursive: true }))

test('a package whose install script npm has not run is known by its missing links', async () => {
  const { folder } = await findBinaries()
  expect(areLinksMade(folder)).toBe(true)

  const native = join(place, 'native')
  mkdirSync(join(native, 'lib'), { recursive: true })
  expect(areLinksMade(native)).toBe(true)
  cpSync(`${folder}/pg-symlinks.json`, `${native}/pg-symlinks.json`)
  expect(areLinksMade(native)).toBe(false)
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(`${native}/pg-symlinks.json`, JSON.stringify(links))
  writeFileSync(`${native}/lib/libpq.so.5.18`, '')
  expect(areLinksMade(native)).toBe(false)
  symlinkSync('libpq.so.5.18', `${native}/lib/libpq.so.5`)
  expect(areLinksMade(native)).toBe(true)
})
