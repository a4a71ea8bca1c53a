// The data folder, which holds the keys: created so that nobody else can write to it, and checked at every start.

import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

/** Our files in it that other users must neither read nor create. */
const private_files = ['master.key', 'demo.json', 'high-water.json', 'postgres-location']
const marks_of_ours = [...private_files, 'postgres']

/**
 * Creates the folder and the missing ones above it. Whatever the umask, other users can neither write to it nor list
 * it. A folder of root's can be passed through, since the database's user needs to.
 */
export function makeDataFolder(path: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  if (mkdirSync(path, { recursive: true, mode }) !== undefined) chmodSync(path, mode)
}

/** What is committed to a folder's files later is durable only if the folder's entries are synced. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * What other users could have done to a folder and its files. `mended` says what was possible until now; `fault` says
 * what only a person can repair, in words that follow "RIPPER_DATA_DIR".
 */
export function checkDataFolder(path: string): { mended: string[]; fault: string | null } {
  const mended: string[] = []
  const own_uid = process.getuid?.()
  // Windows has other rights, and no embedded database.
  if (own_uid === undefined) return { mended, fault: null }
  const folder = statSync(path)
  const trusted = [0, own_uid, ...(own_uid === 0 ? [folder.uid] : [])]
  if (!trusted.includes(folder.uid)) {
    return { mended, fault: `must be a folder of this user: ${path} is of uid ${folder.uid}.` }
  }
  const writers = writersOf(folder)
  if (writers !== null) {
    const may_change = own_uid === 0 || own_uid === folder.uid
    if (may_change && isOurs(path, folder)) {
      chmodSync(path, folder.mode & 0o711)
      mended.push(
        `${writers} could write to ${path} until now: if you do not trust them, its keys may be theirs`,
      )
    } else if (writers === 'every user' || may_change) {
      return {
        mended,
        fault: `must be a folder of its own: ${writers} of this machine may write to ${path}.`,
      }
    }
  }
  for (const file of private_files.map((name) => join(path, name))) {
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (!found) continue
    if (!trusted.includes(found.uid)) {
      const fault = `must have files of this user alone: ${file} is of uid ${found.uid}, who may know what it says or have made it.`
      return { mended, fault }
    }
    if (found.isFile() && (found.mode & 0o077) !== 0 && mayChange(found, own_uid)) {
      chmodSync(file, 0o600)
      mended.push(`other users could reach ${file} until now`)
    }
  }
  return { mended, fault: null }
}

/** The users besides the owner who may write to it, or null. */
export function writersOf({ mode }: Pick<Stats, 'mode'>): string | null {
  if ((mode & 0o002) !== 0) return 'every user'
  return (mode & 0o020) !== 0 ? 'its group' : null
}

function mayChange({ uid }: Stats, own_uid: number): boolean {
  return own_uid === 0 || own_uid === uid
}

/**
 * True for a folder that a start of ours created or that was made for one. Any other folder, such as one for temporary
 * files, is left unchanged.
 */
function isOurs(path: string, { mode }: Stats): boolean {
  const names = readdirSync(path)
  const is_shared = (mode & 0o1000) !== 0
  return !is_shared && (names.length === 0 || names.some((name) => marks_of_ours.includes(name)))
}
