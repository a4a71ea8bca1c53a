// The system user that runs the server: this process's own, or another one, because PostgreSQL refuses root.

import { spawnSync } from 'node:child_process'
import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ownerOf, type SystemAccount } from '../../config/owner.ts'

const server_user = 'postgres'

export function ownAccount(): SystemAccount {
  return { uid: process.getuid!(), gid: process.getgid!() }
}

/**
 * The account for a cluster, never root: its owner if the cluster exists. In a folder of another user `data_dir` the server is
 * that user's.
 */
export function serverAccount(data_folder: string, data_dir = dirname(data_folder)): SystemAccount {
  const self = ownAccount()
  const owner = lstatSync(data_folder, { throwIfNoEntry: false })
  if (self.uid !== 0) {
    if (owner !== undefined && owner.uid !== self.uid) {
      throw new Error(
        `The database in ${data_folder} belongs to another user (uid ${owner.uid}). ` +
          'Run as that user, or set RIPPER_DATA_DIR to a folder of your own.',
      )
    }
    return self
  }
  const around = ownerOf(data_dir)
  if (around.uid !== 0) {
    if (owner === undefined || owner.uid === around.uid) return around
    throw new Error(
      `The database in ${data_folder} belongs to uid ${owner.uid}, and its folder to uid ${around.uid}. Give both to one user.`,
    )
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return findServerUser() ?? makeServerUser()
}

/** Whether the account can pass through every folder above this folder or file, and enter or read it. */
export function canReach(path: string, account: SystemAccount): boolean {
  const stat = statSync(path)
  const needed = stat.isDirectory() ? 0o1 : 0o5
  const shift = stat.uid === account.uid ? 6 : stat.gid === account.gid ? 3 : 0
  if (((stat.mode >> shift) & needed) !== needed) return false
  return path === '/' || canReach(dirname(path), account)
}

function findServerUser(): SystemAccount | null {
  const uid = numberFrom('-u')
  const gid = numberFrom('-g')
  return uid === null || gid === null || uid === 0 ? null : { uid, gid }
}

function numberFrom(flag: string): number | null {
  const { status, stdout } = spawnSync('id', [flag, server_user], { encoding: 'utf8' })
  return status === 0 ? Number(stdout.trim()) : null
}

function makeServerUser(): SystemAccount {
  // The first is Debian's and Red Hat's way, the others are Alpine's.
  spawnSync('useradd', ['--system', '--user-group', '--shell', '/bin/false', server_user])
  if (findServerUser() === null) {
    spawnSync('addgroup', ['-S', server_user])
    spawnSync('adduser', ['-S', '-D', '-H', '-G', server_user, server_user])
  }
  const account = findServerUser()
  if (account !== null) return account
  throw new Error(
    `PostgreSQL does not run as root, and the system user "${server_user}" could not be made. ` +
      'Run as an ordinary user, or set RIPPER_DATABASE_URL.',
  )
}
