// The data folder, which has the keys: created so that only its owner can write to it, and checked at every start.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { asOwner, ownerOf } from './owner.ts'

/** Our files in it that other users must neither read nor create. */
const private_files = ['master.key', 'demo.json', 'high-water.json', 'postgres-location']
const marks_of_ours = [...private_files, 'postgres']

/**
 * Creates the folder and the missing ones above it, for the owner of the first existing one. Whatever the umask is,
 * other users can neither write to it nor list it. They can pass through a folder of root's, because the database's
 * user needs to.
 */
export function makeDataFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  asOwner(firstThere(path), () => {
    const mode = process.geteuid?.() === 0 ? 0o711 : 0o700
    if (mkdirSync(path, { recursive: true, mode }) !== undefined) chmodSync(path, mode)
  })
}

function firstThere(path: string): string {
  return existsSync(path) ? path : firstThere(dirname(resolve(path)))
}

/** A file in a folder survives a power cut only if the folder's entries are synced. */
export function syncFolder(folder: string): void {
  asOwner(folder, () => {
    const descriptor = openSync(folder, constants.O_DIRECTORY)
    fsyncSync(descriptor)
    closeSync(descriptor)
  })
}

/**
 * What other users could have done to a folder and its files. `mended` says what was possible until now; `fault` says
 * what only a person can repair, in words that follow "RIPPER_DATA_DIR".
 */
export function checkDataFolder(path: string): { mended: string[]; fault: string | null } {
  const repairs: string[] = []
  const own_uid = process.getuid?.()
  // Windows has other rights, and no embedded database.
  if (own_uid === undefined) return { mended: repairs, fault: null }
  return asOwner(path, () => {
    const fault = faultOfFolder(path, own_uid, repairs) ?? faultOfFiles(path, own_uid, repairs)
    return { mended: repairs, fault }
  })
}

function faultOfFolder(path: string, own_uid: number, repairs: string[]): string | null {
  const folder = statSync(path)
  // Root works with the rights of the user who controls the path.
  const uid = own_uid === 0 ? ownerOf(path).uid : own_uid
  if (folder.uid !== uid && (own_uid === 0 || folder.uid !== 0)) {
    return own_uid === 0
      ? `must be a folder whose path is its owner's: ${path} is of uid ${folder.uid}, and uid ${uid} can put another in its place.`
      : `must be a folder of this user: ${path} is of uid ${folder.uid}.`
  }
  const open = own_uid === 0 ? openAbove(realpathSync(path)) : null
  if (open !== null) return `must be out of others' reach: every user may write to ${open}.`
  const writers = writersOf(folder)
  if (writers === null) return null
  const may_change = own_uid === 0 || own_uid === folder.uid
  if (may_change && isOurs(path, folder)) {
    chmodSync(path, folder.mode & 0o711)
    repairs.push(`${writers} could write to ${path} until now: if you do not trust them, its keys may be theirs`)
    return null
  }
  return writers === 'every user' || may_change
    ? `must be a folder of its own: ${writers} of this machine may write to ${path}.`
    : null
}

/** A folder on the path in which every user may replace the next one. */
function openAbove(path: string): string | null {
  const above = dirname(path)
  if (above === path) return null
  const { mode } = statSync(above)
  const is_open = (mode & 0o002) !== 0 && (mode & 0o1000) === 0
  return is_open ? above : openAbove(above)
}

function faultOfFiles(path: string, own_uid: number, repairs: string[]): string | null {
  const { uid } = statSync(path)
  const is_others = own_uid === 0 && uid !== 0
  const trustedUids = own_uid === 0 ? [uid] : [0, own_uid]
  const names = is_others ? [...private_files, 'postgres', 'postgres.log'] : private_files
  for (const file of names.map((name) => join(path, name))) {
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (!stat) continue
    if (!trustedUids.includes(stat.uid)) {
      return is_others
        ? `must have files of uid ${uid} alone, who owns it: ${file} is of uid ${stat.uid}.`
        : `must have files of this user alone: ${file} is of uid ${stat.uid}, who may know what it says or have made it.`
    }
    if (!stat.isFile() || (stat.mode & 0o077) === 0 || !mayChange(stat, own_uid)) continue
    if (stat.nlink > 1) return `must have files of its own: ${file} is a file elsewhere, too.`
    chmodSync(file, 0o600)
    repairs.push(`other users could reach ${file} until now`)
  }
  return null
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
 * files, stays unchanged.
 */
function isOurs(path: string, { mode }: Stats): boolean {
  const names = readdirSync(path)
  const is_shared = (mode & 0o1000) !== 0
  return !is_shared && (names.length === 0 || names.some((name) => marks_of_ours.includes(name)))
}
