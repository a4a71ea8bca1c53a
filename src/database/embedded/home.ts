// Where the embedded server's programs, data, socket and log are, so that the server's user can reach them.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { makeDataFolder } from '../../config/data-folder.ts'
import {
  asOwner,
  giveFolder,
  isOthers,
  ownerOf,
  readFile,
  removeFolder,
  replaceFile,
  type SystemAccount,
} from '../../config/owner.ts'
import { canReach, ownAccount, serverAccount } from './account.ts'
import { type Binaries, binariesIn, findBinaries, versionOf } from './binaries.ts'

export type Home = {
  account: SystemAccount
  binaries: Binaries
  /** The cluster's folder. It may not exist yet, but its parent does. */
  data_folder: string
  socket_folder: string
  log_file: string
}

/** Only for root: files that the server's user cannot reach in a private checkout are kept here instead. */
const system_folder = '/var/lib/ripper'

export async function findHome(data_dir: string): Promise<Home> {
  makeDataFolder(data_dir)
  const visible_folder = realpathSync(data_dir)
  if (ownAccount().uid === 0 && ownerOf(data_dir).uid !== ownerOf(visible_folder).uid) {
    throw new Error(`${data_dir} is a link of another user's than the owner of ${visible_folder}.`)
  }
  const location = readLocation(visible_folder)
  const account = serverAccount(`${location ?? visible_folder}/postgres`, data_dir)
  const folder = location ?? placeData(visible_folder, account)
  const binaries = await findBinaries()
  return {
    account,
    binaries: canReach(binaries.postgres, account) ? binaries : copyBinaries(binaries),
    data_folder: `${folder}/postgres`,
    socket_folder: makeSocketFolder(folder, account),
    log_file: `${visible_folder}/postgres.log`,
  }
}

/** Whether the creation of a database for a data folder was begun or finished. Creates nothing itself. */
export function isMade(data_dir: string): boolean {
  return existsSync(`${readLocation(data_dir) ?? data_dir}/postgres`)
}

function readLocation(folder: string): string | null {
  try {
    return readFile(`${folder}/postgres-location`).trim()
  } catch {
    return null
  }
}

function placeData(folder: string, account: SystemAccount): string {
  const exists = lstatSync(`${folder}/postgres`, { throwIfNoEntry: false }) !== undefined
  if (exists || canReach(folder, account)) return folder
  // The name contains the folder's inode number and birth time. A checkout that is deleted and made again at the same place
  // must not find the old data, because it lacks the old keys.
  const { ino, birthtimeMs } = statSync(folder)
  const place = `${makeSystemFolder()}/data-${hash(`${folder} ${ino} ${birthtimeMs}`)}`
  mkdirSync(place, { recursive: true })
  chmodSync(place, 0o711)
  replaceFile(`${folder}/postgres-location`, `${place}\n`)
  return place
}

function makeSystemFolder(): string {
  if (mkdirSync(system_folder, { recursive: true }) !== undefined) chmodSync(system_folder, 0o755)
  if (isOthers(system_folder)) {
    throw new Error(
      `${system_folder} belongs to another user, so root keeps nothing there. ` +
        'Set RIPPER_DATA_DIR to a folder that the user "postgres" can reach, and keep the programs where it can, too.',
    )
  }
  return system_folder
}

function copyBinaries(from: Binaries): Binaries {
  const place = `${makeSystemFolder()}/postgresql-${versionOf(from)}`
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
    const draft = `${place}.new-${process.pid}`
    cpSync(from.folder, draft, { recursive: true, verbatimSymlinks: true })
    openToAll(draft)
    renameOrYield(draft, place)
  }
  return binariesIn(place)
}

/** In a checkout made under a strict umask, only the owner may run the programs. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) openToAll(path)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** Moves a finished folder to its place in one step. If another process was faster, its folder stays. */
export function renameOrYield(draft: string, place: string): void {
  try {
    asOwner(dirname(place), () => renameSync(draft, place))
  } catch (error) {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) throw error
    removeFolder(draft)
  }
}

/** The path of a socket is limited to about 100 bytes, and a deep checkout exceeds that. */
function makeSocketFolder(folder: string, account: SystemAccount): string {
  const near = `${folder}/socket`
  const fits = Buffer.byteLength(`${near}/.s.PGSQL.5432`) < 100
  const place = fits ? near : `${tmpdir()}/ripper-${account.uid}-${hash(folder)}`
  try {
    asOwner(dirname(place), () => mkdirSync(place, { mode: 0o700 }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // Another process of ours, running as root, may have created the folder and not given it away yet.
  if (lstatSync(place).isDirectory()) giveFolder(place, account)
  const stat = lstatSync(place)
  const is_its_own = stat.isDirectory() && stat.uid === account.uid
  if (!is_its_own || (stat.mode & 0o77) !== 0) {
    throw new Error(`${place} must be a folder that only the database's user can enter; remove it.`)
  }
  return place
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
