// Creates the folder of an embedded database completely or not at all.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { syncFolder } from '../../config/data-folder.ts'
import { asOwner, giveFolder, removeFolder } from '../../config/owner.ts'
import { owner_role } from './access.ts'
import { ownAccount } from './account.ts'
import { type Home, renameOrYield } from './home.ts'
import { isAlive } from './lock-file.ts'

/** Creates the cluster if there is none. If two processes do so at once, the slower one's work is thrown away. */
export async function ensureCluster(home: Home): Promise<void> {
  if (existsSync(home.data_folder)) return
  const around = dirname(home.data_folder)
  const prefix = `${basename(home.data_folder)}.new-`
  removeLeftovers(around, prefix)
  const draft = `${around}/${prefix}${process.pid}`
  asOwner(around, () => mkdirSync(draft, { mode: 0o700 }))
  try {
    giveFolder(draft, home.account)
    await initdb(home, draft)
    renameOrYield(draft, home.data_folder)
    syncFolder(around)
  } finally {
    removeFolder(draft)
  }
}

/** How to run a program of the server: as the server's user, without our environment. */
export function runAs(home: Home): {
  uid?: number
  gid?: number
  cwd: string
  env: NodeJS.ProcessEnv
} {
  const environment = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' } }
  return ownAccount().uid === 0 ? { ...environment, ...home.account } : environment
}

function initdb(home: Home, folder: string): Promise<void> {
  // access.ts writes the access rules before the server starts.
  const options = ['--encoding=UTF8', '--locale=C', '--auth=reject', '-U', owner_role]
  return new Promise((resolve, reject) => {
    const child = spawn(home.binaries.initdb, ['-D', folder, ...options, '--no-instructions'], {
      ...runAs(home),
      stdio: ['ignore', 'ignore', 'pipe'],
      // Not in the terminal's process group, because this process handles a Ctrl-C.
      detached: true,
    })
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve()
      else reject(new Error(`The embedded database could not be made. ${complaint.trim()}`))
    })
  })
}

function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const pid = Number(name.slice(prefix.length))
    if (pid === process.pid || !isAlive(pid)) removeFolder(`${folder}/${name}`)
  }
}
