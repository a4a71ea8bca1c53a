// Reads a server's lock file (`postmaster.pid`): which process it names, and whether that process really serves the cluster.

import { spawnSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { asAccount, readFile } from '../../config/owner.ts'
import type { Home } from './home.ts'

type LockFile = { pid: number; socket_folder: string | null; text: string }

export function readLockFile(path: string, { account }: Home): LockFile | null {
  let text: string
  try {
    text = asAccount(account, () => readFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const lines = text.split('\n')
  return { pid: Number(lines[0]), socket_folder: lines[4] || null, text }
}

export function isAlive(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the process lives and is a PostgreSQL server of this cluster, not another process that got its number. */
export function serves(pid: number, data_folder: string): boolean {
  if (!isAlive(pid)) return false
  const command = commandOf(pid)
  // If the command cannot be read, the lock file is believed.
  if (command === null) return true
  const program = command.split(/[\0 ]/, 1)[0]!
  return basename(program).startsWith('postgres') && command.includes(data_folder)
}

/**
 * Changes a lock file that names a living stranger, so that it names no process. Numbers repeat after a container
 * restarts. The file is not removed: the server reads from it whether processes of its predecessor still use the data.
 */
export function disown(path: string, home: Home): void {
  const lockFile = readLockFile(path, home)
  if (lockFile === null || !isAlive(lockFile.pid) || serves(lockFile.pid, home.data_folder)) return
  asAccount(home.account, () => replaceUnless(path, lockFile.text))
}

/** Keeps the file of a server that has started meanwhile, because its text then differs. */
function replaceUnless(path: string, text: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    if (readFile(aside) !== text) linkSync(aside, path)
    else writeFileSync(path, text.replace(/^-?\d+/, nobody), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Higher than any process number on every system. */
const nobody = '2147483646'

function commandOf(pid: number): string | null {
  try {
    // Empty for a process that has ended but was not reaped.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    const { status, stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
    })
    return status === 0 ? stdout : null
  }
}
