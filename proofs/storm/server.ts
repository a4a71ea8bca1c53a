// The processes of the embedded database's server, found by its own lock file and by whose children they are.

import { readFileSync } from 'node:fs'
import type { Home } from '../../src/database/embedded/home.ts'
import { servingPid } from '../../src/database/embedded/process.ts'

/** The server's first process, or null while none serves. */
export const postmasterOf = (home: Home | null): number | null => home && servingPid(home)

/** The processes that serve the service's connections. */
export function backendsOf(home: Home | null): number[] {
  const postmaster = postmasterOf(home)
  if (postmaster === null) return []
  return childrenOf(postmaster).filter((pid) => textOf(`/proc/${pid}/cmdline`).startsWith('postgres: ripper ripper'))
}

/** Ends a server as a machine does that loses its power: its first process and every other one, before any can say a word. */
export function killServer(home: Home): void {
  const postmaster = servingPid(home)
  if (postmaster !== null) killWhole(postmaster)
}

/** Ends a server by its first process. */
export function killWhole(postmaster: number): void {
  signal(postmaster, 'SIGSTOP')
  const all = [postmaster, ...childrenOf(postmaster)]
  for (const pid of all) signal(pid, 'SIGKILL')
}

/** False where the process is gone already. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Whose parent this process is. */
export function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
