// The service run by root, in folders of a user who wants to become root: what it writes never leaves the rights of that user.

import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asOwner, ownerOf, removeFolder, replaceFile } from '../../src/config/owner.ts'
import { listeningFolder } from '../../src/database/embedded/process.ts'

const is_root = process.getuid!() === 0
const nobody = 65_534
const program = fileURLToPath(new URL('../support/fixtures/write-among-traps.ts', import.meta.url))
let place: string
let bait: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ripper-foreign-'))
  chmodSync(place, 0o711)
  bait = join(place, 'bait')
  mkdirSync(join(bait, 'private'), { recursive: true })
  writeFileSync(join(bait, 'secret'), 'of root alone\n', { mode: 0o600 })
  writeFileSync(join(bait, 'private', 'kept'), 'kept', { mode: 0o600 })
})

afterEach(() => rmSync(place, { recursive: true }))

/** All that an attacker could change of root's. */
function stateOfBait() {
  return ['', 'secret', 'private', 'private/kept'].map((name) => {
    const path = join(bait, name)
    const stat = lstatSync(path)
    const content = stat.isDirectory() ? readdirSync(path).toSorted() : readFileSync(path, 'utf8')
    return { name, content, mode: stat.mode, uid: stat.uid, gid: stat.gid, ino: stat.ino }
  })
}

function folderOf(uid: number, path: string, mode = 0o711): string {
  mkdirSync(path)
  chownSync(path, uid, uid)
  chmodSync(path, mode)
  return path
}

function fileOf(uid: number, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  chownSync(path, uid, uid)
}

function linkTo(target: string): string {
  const path = join(place, 'link')
  symlinkSync(target, path)
  lchownSync(path, nobody, nobody)
  return path
}

/** A data folder of `uid`, with the cluster of the user `nobody` in it. */
function dataFolderOf(uid: number, name: string): string {
  const data_dir = folderOf(uid, join(place, name))
  const cluster = folderOf(nobody, join(data_dir, 'postgres'), 0o700)
  folderOf(nobody, join(data_dir, 'socket'), 0o700)
  for (const name of ['pg_hba.conf', 'pg_ident.conf']) fileOf(nobody, join(cluster, name), '')
  // It names a living process that is no server.
  fileOf(nobody, join(cluster, 'postmaster.pid'), `${process.pid}\n`)
  return data_dir
}

const traps = [
  'a link to a file',
  'a link to no file yet',
  'a link to a folder',
  'a file of root’s by another name',
  'a pipe',
  'a folder of links',
]
const of_the_cluster = ['access rules', 'drafts of access rules', 'a lock file', 'a lock file aside']
const of_the_folder = [
  ...['the log', 'the master key', 'demo.json', 'the high-water mark', 'the place of the data'],
  ...['a cluster', 'rights of the folder’s files', 'a folder in it'],
]

describe.runIf(is_root)('what root writes', () => {
  const writeAmong = (writer: string, uid: number) => {
    const tries = traps.flatMap((trap, at) => [dataFolderOf(uid, `data-${at}`), trap])
    const before = stateOfBait()
    const args = [program, writer, bait, ...tries]
    // What does not end in this time waits for what an attacker decides.
    const options = { encoding: 'utf8' as const, timeout: 120_000 }
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options)
    expect({ status, signal, stderr }, stdout).toEqual({ status: 0, signal: null, stderr: '' })
    expect(stdout.match(/^.*: .*(written|refused)/gm)).toHaveLength(traps.length)
    expect(stdout).not.toContain('of root alone')
    expect(stateOfBait(), stdout).toEqual(before)
  }

  test.each(of_the_cluster)('%s, into the cluster of another user, is not led astray', (writer) =>
    writeAmong(writer, 0),
  )

  test.each([...of_the_cluster, ...of_the_folder])(
    '%s, into the data folder of another user, is not led astray',
    (writer) => writeAmong(writer, nobody),
  )

  test.each([
    ['a folder of root’s', () => bait, 'socket'],
    ['a link to one', () => linkTo(bait), 'socket'],
    ['no folder', () => join(place, 'none'), 'socket'],
    ['another folder of its own', () => folderOf(nobody, join(place, 'other'), 0o700), 'other'],
  ])('a lock file of another user that names %s leads to a folder of its own', (_, lay, leads) => {
    const data_dir = dataFolderOf(0, 'data')
    const cluster = join(data_dir, 'postgres')
    fileOf(nobody, join(cluster, 'postmaster.pid'), `1\n${cluster}\n1\n5432\n${lay()}\n`)
    const home = {
      account: { uid: nobody, gid: nobody },
      binaries: { folder: '', initdb: '', postgres: '' },
      data_folder: cluster,
      socket_folder: join(data_dir, 'socket'),
      log_file: join(data_dir, 'postgres.log'),
    }
    expect(basename(listeningFolder(home))).toBe(leads)
  })

  test('into a folder that its owner swaps for a link stays that user’s', () => {
    const data_dir = folderOf(nobody, join(folderOf(nobody, join(place, 'home')), 'data'))
    const before = stateOfBait()
    const write = () =>
      asOwner(data_dir, () => {
        renameSync(data_dir, `${data_dir}-before`)
        symlinkSync(join(bait, 'private'), data_dir)
        replaceFile(join(data_dir, 'demo.json'), '{}')
      })
    expect(write).toThrow('EACCES')
    expect(stateOfBait()).toEqual(before)
    expect([process.geteuid!(), process.getegid!()]).toEqual([0, process.getgid!()])
  })

  test('is that user’s, and root’s rights are back', () => {
    const data_dir = folderOf(nobody, join(place, 'data'))
    const groups = process.getgroups!()
    replaceFile(join(data_dir, 'demo.json'), '{}')
    expect(lstatSync(join(data_dir, 'demo.json'))).toMatchObject({ uid: nobody, gid: nobody })
    expect([process.geteuid!(), process.getgroups!()]).toEqual([0, groups])
  })

  test('into a folder that is swapped without end stays out of root’s', async () => {
    const around = folderOf(nobody, join(place, 'home'))
    const data_dir = folderOf(nobody, join(around, 'data'))
    const swapping = `while :; do mv data real; ln -s ${bait}/private data; rm data; mv real data; done`
    const who = { cwd: around, uid: nobody, gid: nobody }
    const attacker = spawn('/bin/sh', ['-c', swapping], { ...who, stdio: 'ignore' })
    const before = stateOfBait()
    let writes = 0
    try {
      for (let turn = 0; turn < 3000; turn += 1) {
        try {
          replaceFile(join(data_dir, 'demo.json'), '{}')
          writes += 1
        } catch {
          // It was away, or root's.
        }
      }
    } finally {
      attacker.kill('SIGKILL')
    }
    expect(stateOfBait()).toEqual(before)
    expect(writes).toBeGreaterThan(0)
  })

  test('and removes stays out of root’s', () => {
    const tree = folderOf(nobody, join(place, 'tree'))
    folderOf(nobody, join(tree, 'inner'))
    symlinkSync(join(bait, 'private'), join(tree, 'inner', 'link'))
    symlinkSync(join(bait, 'secret'), join(tree, 'file'))
    const before = stateOfBait()
    removeFolder(tree)
    expect(stateOfBait()).toEqual(before)
    expect(lstatSync(tree, { throwIfNoEntry: false })).toBeUndefined()
  })
})

describe.runIf(is_root)('who decides what is at a path', () => {
  const other = 65_533
  type Row = [what: string, lay: () => string, uid: number]
  const table: Row[] = [
    ['root, in folders of root', () => folderOf(0, join(place, 'a')), 0],
    ['the owner of a folder in root’s', () => folderOf(nobody, join(place, 'a')), nobody],
    [
      'the owner of the folder around, for one of root’s in it',
      () => folderOf(0, join(folderOf(nobody, join(place, 'a')), 'b')),
      nobody,
    ],
    [
      'the owner of the folder around, for one of a third user',
      () => folderOf(other, join(folderOf(nobody, join(place, 'a')), 'b')),
      nobody,
    ],
    ['the owner of a link to a folder of root’s', () => linkOf(nobody, 'a', bait), nobody],
    ['the owner of what a link of root’s leads to', () => linkOf(0, 'a', folderOf(nobody, join(place, 'b'))), nobody],
    [
      'the owner of a folder that a link passes through and leaves again',
      () => linkOf(0, 'a', `${folderOf(nobody, join(place, 'b'))}/../bait`),
      nobody,
    ],
  ]
  const linkOf = (uid: number, name: string, target: string) => {
    const path = join(place, name)
    symlinkSync(target, path)
    lchownSync(path, uid, uid)
    return path
  }

  test.each(table)('%s', (_, lay, uid) => expect(ownerOf(lay()).uid).toBe(uid))

  test('nobody, where links lead in a circle', () => {
    symlinkSync('b', join(place, 'a'))
    symlinkSync('a', join(place, 'b'))
    expect(() => ownerOf(join(place, 'a'))).toThrow('too many links')
    rmSync(join(place, 'a'))
  })
})
