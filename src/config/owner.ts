// Files in folders of another user, for a process of root: they are read and written with that user's rights, so that a
// link or another trap leads to nothing beyond the user's own reach.

import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export type SystemAccount = { uid: number; gid: number }

const links_max = 40
const text_bytes_max = 1_000_000

/**
 * Acts with only the rights of this user if this process is root, and otherwise as it is. Meanwhile the whole process
 * has only these rights, so the act must not wait.
 */
export function asAccount<T>({ uid, gid }: SystemAccount, act: () => T): T {
  // Windows has no such rights.
  if (process.geteuid?.() !== 0 || uid === 0) return act()
  const groups = process.getgroups!()
  const own_gid = process.getegid!()
  try {
    process.setgroups!([])
    process.setegid!(gid)
    process.seteuid!(uid)
    return act()
  } finally {
    process.seteuid!(0)
    process.setegid!(own_gid)
    process.setgroups!(groups)
  }
}

/** Acts with the rights of the user who controls this path, if this process is root. */
export function asOwner<T>(path: string, act: () => T): T {
  return process.geteuid?.() === 0 ? asAccount(ownerOf(path), act) : act()
}

/** Whether this process is root and works there with another user's rights. */
export function isOthers(path: string): boolean {
  return process.geteuid?.() === 0 && ownerOf(path).uid !== 0
}

/**
 * The user who controls a path. That is the first user on the way there, links included, whom root does not trust,
 * because that user may replace everything below. Without one it is the owner of the target. Root trusts itself and the
 * owner of our code, which it runs.
 */
export function ownerOf(path: string): SystemAccount {
  const trustedUids = [0, lstatSync(import.meta.dirname).uid]
  let owner: SystemAccount = { uid: 0, gid: 0 }
  let place = '/'
  let names = resolve(path).split('/')
  for (let links = 0; names.length > 0; ) {
    const next = join(place, names.shift()!)
    const stat = lstatSync(next)
    owner = { uid: stat.uid, gid: stat.gid }
    if (!trustedUids.includes(stat.uid)) break
    if (!stat.isSymbolicLink()) {
      place = next
      continue
    }
    links += 1
    if (links > links_max) throw new Error(`${path} leads through too many links.`)
    const target = readlinkSync(next)
    if (target.startsWith('/')) place = '/'
    names = [...target.split('/'), ...names]
  }
  return owner
}

/** The text of a small file. Throws if it is larger than it should be. */
export function readFile(path: string): string {
  return readRegular(path, (file, size) => {
    if (size > text_bytes_max) {
      throw new Error(`${path} must be a file of at most ${text_bytes_max} bytes.`)
    }
    return readFileSync(file, 'utf8')
  })
}

/** What was added to a file after its first `since` bytes; if it is long, the end. */
export function readEnd(path: string, since: number): string {
  return readRegular(path, (file, size) => {
    const from = Math.max(since, size - text_bytes_max)
    const bytes = Buffer.alloc(Math.max(0, size - from))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8')
  })
}

/** Only a regular file is read, because a pipe might never end. */
function readRegular(path: string, read: (file: number, size: number) => string): string {
  return asOwner(dirname(path), () => {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) throw new Error(`${path} must be a file.`)
      return read(file, stat.size)
    } finally {
      closeSync(file)
    }
  })
}

/** Writes a file for its owner only, completely or not at all. */
export function replaceFile(path: string, text: string): void {
  asOwner(dirname(path), () => {
    const draft = `${path}.${process.pid}`
    // A file of an earlier process with the same number.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  })
}

/** Gives a folder that this process has just created to another user. Only root can. */
export function giveFolder(path: string, { uid, gid }: SystemAccount): void {
  asOwner(dirname(path), () => {
    if (process.geteuid?.() !== 0) return
    const folder = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      if (fstatSync(folder).uid === 0) fchownSync(folder, uid, gid)
    } finally {
      closeSync(folder)
    }
  })
}

/** Removes a folder with all its content; other users' folders with their rights. */
export function removeFolder(path: string): void {
  asOwner(dirname(path), () => remove(path))
}

function remove(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) {
    rmSync(path, { force: true })
    return
  }
  asAccount(stat, () => {
    for (const name of readdirSync(path)) remove(join(path, name))
  })
  rmdirSync(path)
}
