import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findBinaries, linkLibraries } from './binaries.ts'

type Link = { source: string; target: string }

const place = mkdtempSync(join(tmpdir(), 'ripper-binaries-'))
afterAll(() => rmSync(place, { recursive: true }))

test('a package whose install script npm has not run gets its links', async () => {
  const { folder } = await findBinaries()
  const native = join(place, 'native')
  mkdirSync(join(native, 'lib'), { recursive: true })
  linkLibraries(native)
  expect(readdirSync(join(native, 'lib'))).toEqual([])

  cpSync(`${folder}/pg-symlinks.json`, `${native}/pg-symlinks.json`)
  const links = JSON.parse(readFileSync(`${native}/pg-symlinks.json`, 'utf8')) as Link[]
  for (const { source } of links) writeFileSync(join(place, source), source)
  linkLibraries(native)
  for (const { source, target } of links) {
    expect(lstatSync(join(place, target)).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(place, target), 'utf8')).toBe(source)
    // The script of the package makes the same.
    expect(readlinkSync(join(place, target))).toBe(readlinkSync(join(folder, '..', target)))
  }
  linkLibraries(native)
})
