import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkDataFolder, makeDataFolder } from './data-folder.ts'

const root = process.getuid!() === 0
const nobody = 65_534

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ripper-data-folder-'))
})
afterEach(() => rmSync(place, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o7777

function folderOf(mode: number, files: Record<string, number> = {}): string {
  const path = join(place, 'data')
  mkdirSync(path)
  for (const [name, file_mode] of Object.entries(files)) {
    writeFileSync(join(path, name), '')
    chmodSync(join(path, name), file_mode)
  }
  chmodSync(path, mode)
  return path
}

describe('a folder that is made', () => {
  test.each([0o000, 0o002, 0o022, 0o077])('under umask %o nobody else writes to', (umask) => {
    const before = process.umask(umask)
    try {
      makeDataFolder(join(place, 'a', 'b'))
    } finally {
      process.umask(before)
    }
    expect(modeOf(join(place, 'a', 'b'))).toBe(root ? 0o711 : 0o700)
    expect(modeOf(join(place, 'a')) & 0o066).toBe(0)
    expect(checkDataFolder(join(place, 'a', 'b'))).toEqual({ mended: [], fault: null })
  })

  test('one that is there is left as it is', () => {
    const path = folderOf(0o750)
    makeDataFolder(path)
    expect(modeOf(path)).toBe(0o750)
  })
})

describe('a folder that is judged', () => {
  test.each<[string, number, Record<string, number>]>([
    ['of its owner alone', 0o700, { 'master.key': 0o600 }],
    ['that others pass through', 0o711, { 'master.key': 0o600 }],
    ['that others may list', 0o755, { 'demo.json': 0o600, 'postgres.log': 0o644 }],
  ])('%s is well', (_, mode, files) => {
    const path = folderOf(mode, files)
    expect(checkDataFolder(path)).toEqual({ mended: [], fault: null })
    expect(modeOf(path)).toBe(mode)
  })

  test.each<[string, number, Record<string, number>, RegExp, number]>([
    ['all, with a key', 0o777, { 'master.key': 0o600 }, /every user/, 0o711],
    ['all, while empty', 0o777, {}, /every user/, 0o711],
    ['its group', 0o770, { 'demo.json': 0o600 }, /its group/, 0o710],
  ])('that %s could write to is closed, and said', (_, mode, files, words, after) => {
    const path = folderOf(mode, files)
    const { mended, fault } = checkDataFolder(path)
    expect([mended.length, fault]).toEqual([1, null])
    expect(mended[0]).toMatch(words)
    expect(mended[0]).toContain(path)
    expect(modeOf(path)).toBe(after)
    expect(checkDataFolder(path)).toEqual({ mended: [], fault: null })
  })

  test.each<[string, number, Record<string, number>]>([
    ['shared by all, as one for temporary files is', 0o1777, { 'master.key': 0o600 }],
    ['of something else that all may write to', 0o777, { 'notes.txt': 0o600 }],
    ['of something else that its group may write to', 0o775, { 'notes.txt': 0o600 }],
  ])('%s is refused, and left as it is', (_, mode, files) => {
    const path = folderOf(mode, files)
    const { mended, fault } = checkDataFolder(path)
    expect(mended).toEqual([])
    expect(fault).toMatch(/^must be a folder of its own: (every user|its group) .* may write to /)
    expect(modeOf(path)).toBe(mode)
  })

  test('files with keys that others could reach are closed, and said', () => {
    const path = folderOf(0o700, { 'master.key': 0o644, 'demo.json': 0o660, 'postgres.log': 0o644 })
    const { mended, fault } = checkDataFolder(path)
    expect(fault).toBeNull()
    expect(mended).toEqual(
      ['master.key', 'demo.json'].map((name) => `other users could reach ${path}/${name} until now`),
    )
    expect(modeOf(join(path, 'master.key'))).toBe(0o600)
    expect(modeOf(join(path, 'postgres.log'))).toBe(0o644)
  })

  test('a key that a link leads to is left to whoever put it there', () => {
    const path = folderOf(0o700)
    writeFileSync(join(place, 'secret'), '', { mode: 0o644 })
    symlinkSync(join(place, 'secret'), join(path, 'master.key'))
    expect(checkDataFolder(path)).toEqual({ mended: [], fault: null })
  })

  test.runIf(root)('a key of another user is refused', () => {
    const path = folderOf(0o700, { 'master.key': 0o600 })
    chownSync(join(path, 'master.key'), nobody, nobody)
    expect(checkDataFolder(path).fault).toMatch(/^must have files of this user .*master\.key.*65534/)
  })

  test.runIf(root)('root takes the folder of another user, and the files of that one', () => {
    const path = folderOf(0o700, { 'master.key': 0o600 })
    // Root works there as that user, who must be able to reach it.
    chmodSync(place, 0o711)
    for (const each of [path, join(path, 'master.key')]) chownSync(each, nobody, nobody)
    expect(checkDataFolder(path)).toEqual({ mended: [], fault: null })
  })

  test.runIf(root)('root takes no file of its own in the folder of another user', () => {
    const path = folderOf(0o700, { 'demo.json': 0o600 })
    chmodSync(place, 0o711)
    chownSync(path, nobody, nobody)
    expect(checkDataFolder(path).fault).toMatch(/^must have files of uid 65534 alone, .*demo\.json is of uid 0\.$/)
  })

  test.runIf(root)('root takes no folder of its own in the folder of another user', () => {
    const path = folderOf(0o711)
    chmodSync(place, 0o711)
    chownSync(place, nobody, nobody)
    expect(checkDataFolder(path).fault).toMatch(/ of uid 0, and uid 65534 can put another in its place\.$/)
  })

  test.runIf(root)('root takes no folder that every user can put another in the place of', () => {
    const path = folderOf(0o711)
    chmodSync(place, 0o777)
    expect(checkDataFolder(path).fault).toMatch(/^must be out of others' reach: .* to .*folder-\w+\.$/)
  })

  test.runIf(root)('a key that others could reach and that is a file elsewhere is refused', () => {
    const path = folderOf(0o700)
    writeFileSync(join(place, 'elsewhere'), '', { mode: 0o644 })
    linkSync(join(place, 'elsewhere'), join(path, 'master.key'))
    expect(checkDataFolder(path).fault).toMatch(/^must have files of its own: .*master\.key/)
    expect(modeOf(join(place, 'elsewhere'))).toBe(0o644)
  })

  test.runIf(root)('nobody else takes it', () => {
    const path = folderOf(0o711)
    chownSync(path, 1, 1)
    chmodSync(place, 0o711)
    process.seteuid!(nobody)
    const getuid = process.getuid
    process.getuid = () => nobody
    try {
      expect(checkDataFolder(path).fault).toMatch(/^must be a folder of this user: .* uid 1\.$/)
    } finally {
      process.getuid = getuid
      process.seteuid!(0)
    }
  })
})
