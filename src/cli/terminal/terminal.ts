// Where a command runs: in its process's own terminal, or in one that its caller gives it; how commands are typed
// there, and stopped.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'
import { type Environment, programName } from '../../config/config.ts'

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

/** A sentence of ours with each `ripper COMMAND` in it as it runs here. Never for what others wrote. */
export function asTyped(sentence: string): string {
  const program = programName(terminal().environment)
  if (program === 'ripper') return sentence
  return sentence.replaceAll(/(?<!npx |[\w./-])ripper (?=[a-zA-Z])/g, `${program} `)
}

/** The first SIGINT or SIGTERM ends the command in order. A second one ends it at once, with the status that shells give it. */
export function untilStopped(): { signal: Promise<void> } {
  const signal = new Promise<void>((resolve) => {
    let first_seconds: number | null = null
    const stop = (_: NodeJS.Signals, number: number) => {
      const seconds = process.uptime()
      // npm passes on the signal that the terminal has already sent to us. That is not a second one.
      if (first_seconds !== null && seconds - first_seconds > 1) process.exit(128 + number)
      first_seconds ??= seconds
      resolve()
    }
    terminal().signals.on('SIGINT', stop).on('SIGTERM', stop)
  })
  return { signal }
}
