// Files in folders that belong to another user, where this process is root: they are read and written with that user's
// rights, so that a link or another trap there leads to nothing that the user could not reach without us.

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

export type Account = { uid: number; gid: number }

const links_max = 40
const text_bytes_max = 1_000_000

/**
 * Acts with the rights of this user alone if this process is root, and as it is otherwise. The whole process has only these
 * rights meanwhile, so the act must not wait.
 */
export function asAccount<T>({ uid, gid }: Account, act: () => T): T {
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

/** Acts with the rights of whoever decides what is at this path, if this process is root. */
export function asOwner<T>(path: string, act: () => T): T {
  return process.geteuid?.() === 0 ? asAccount(ownerOf(path), act) : act()
}

/** Whether this process is root and works there with another user's rights. */
export function isOthers(path: string): boolean {
  return process.geteuid?.() === 0 && ownerOf(path).uid !== 0
}

/**
 * Who decides what is at a path: the first user on the way there, links included, whom root does not trust, since that one may
 * put anything in the place of what follows. If there is none, whoever owns what is there. Root trusts itself and the owner of
 * our code, which it runs.
 */
export function ownerOf(path: string): Account {
  const trusted = [0, lstatSync(import.meta.dirname).uid]
  let owner: Account = { uid: 0, gid: 0 }
  let place = '/'
  let names = resolve(path).split('/')
  for (let links = 0; names.length > 0; ) {
    const next = join(place, names.shift()!)
    const stat = lstatSync(next)
    owner = { uid: stat.uid, gid: stat.gid }
    if (!trusted.includes(stat.uid)) break
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

/** What a small file says. Throws for one that is larger than it should be. */
export function readFile(path: string): string {
  return readRegular(path, (file, size) => {
    if (size > text_bytes_max) {
      throw new Error(`${path} must be a file of at most ${text_bytes_max} bytes.`)
    }
    return readFileSync(file, 'utf8')
  })
}

/** What was written to a file since it had so many bytes; of much, the end. */
export function readEnd(path: string, since: number): string {
  return readRegular(path, (file, size) => {
    const from = Math.max(since, size - text_bytes_max)
    const bytes = Buffer.alloc(Math.max(0, size - from))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8')
  })
}

/** Only a regular file is read, since a pipe might never end. */
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

/** Writes a file for its owner alone, completely or not at all. */
export function replaceFile(path: string, text: string): void {
  asOwner(dirname(path), () => {
    const draft = `${path}.${process.pid}`
    // One of a process that had the same number and died.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  })
}

/** Gives a folder that this process has just created to another user. Root alone can. */
export function giveFolder(path: string, { uid, gid }: Account): void {
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

/** Removes a folder with all that is in it, other users' folders with their rights. */
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
