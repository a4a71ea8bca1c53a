// Starts and stops the server process of an embedded database.

import { spawn } from 'node:child_process'
import { closeSync, constants, fchownSync, fstatSync, lstatSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { asOwner, readEnd } from '../../config/owner.ts'
import { keepAccessRules } from './access.ts'
import { runAs } from './cluster.ts'
import type { Home } from './home.ts'
import { disown, readLockFile, serves } from './lock-file.ts'

/** A server that this process started. `ended` is null while it runs. */
export type Launch = { ended: string | null; log_offset: number }

const log_bytes_max = 10_000_000

/** To append; a pipe that stands in its place must not make us wait for its reader. */
const log_flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

const settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  shared_buffers: '256MB',
  max_connections: '200',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Details and statements can contain personal data.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

export function launch(home: Home): Launch {
  keepAccessRules(home)
  disown(lockPath(home), home)
  disown(`${home.socket_folder}/.s.PGSQL.5432.lock`, home)
  const log = openLog(home)
  const newLaunch: Launch = { ended: null, log_offset: fstatSync(log).size }
  const all = { ...settings, unix_socket_directories: home.socket_folder }
  const child = spawn(
    home.binaries.postgres,
    ['-D', home.data_folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // The server gets a process session of its own: it outlives us, and a Ctrl-C does not reach it before our last requests are
    // done.
    { ...runAs(home), detached: true, stdio: ['ignore', log, log] },
  )
  child.on('error', (error) => {
    newLaunch.ended = error.message
  })
  child.on('exit', (status, signal) => {
    newLaunch.ended = `exit status ${status ?? signal}`
  })
  child.unref()
  closeSync(log)
  return newLaunch
}

/** The process that serves this cluster, or null. */
export function servingPid(home: Home): number | null {
  const lock = readLockFile(lockPath(home), home)
  return lock !== null && serves(lock.pid, home.data_folder) ? lock.pid : null
}

/**
 * Where the running server listens. It may have been started with another temporary folder, but never in one of another
 * user: the file could otherwise send us to that user's server.
 */
export function listeningFolder(home: Home): string {
  const folder = readLockFile(lockPath(home), home)?.socket_folder
  const stat = folder ? lstatSync(folder, { throwIfNoEntry: false }) : undefined
  return folder && stat?.isDirectory() && stat.uid === home.account.uid ? folder : home.socket_folder
}

/** Asks the server to end its sessions, write all data to disk and exit. */
export function askToStop(pid: number): void {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The last lines that the server has written to its log since this start. */
export function complaint(home: Home, launch: Launch): string {
  const text = readEnd(home.log_file, launch.log_offset)
  return text.trim().split('\n').slice(-5).join('\n')
}

function lockPath(home: Home): string {
  return `${home.data_folder}/postmaster.pid`
}

function openLog({ log_file, account }: Home): number {
  return asOwner(dirname(log_file), () => {
    const size = statSync(log_file, { throwIfNoEntry: false })?.size
    if (size !== undefined && size > log_bytes_max) renameSync(log_file, `${log_file}.1`)
    const log = openSync(log_file, log_flags, 0o600)
    if (size === undefined && process.geteuid!() === 0) fchownSync(log, account.uid, account.gid)
    return log
  })
}
