// Where a command runs: in its process's own terminal, or in one that its caller gives it.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'
import type { Environment } from '../../config/config.ts'

type Output = Writable & { isTTY?: boolean }

export type Terminal = {
  /** The process's own where it is undefined. */
  environment: Environment | undefined
  stdout: Output
  stderr: Output
  /** Emits SIGINT and SIGTERM, as a process does. */
  signals: EventEmitter
}

const terminals = new AsyncLocalStorage<Terminal>()

/** The terminal of the command that runs. */
export function terminal(): Terminal {
  return terminals.getStore() ?? ownTerminal
}

/** Runs work, a command for one, in another terminal. Several may run at once. */
export function runIn<T>(other: Terminal, work: () => Promise<T>): Promise<T> {
  return terminals.run(other, work)
}

const ownTerminal: Terminal = {
  environment: undefined,
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  signals: process,
}
