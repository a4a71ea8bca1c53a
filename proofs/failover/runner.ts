// Runs programs beside the proof, and lets none outlive it.

import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

export type Runner = {
  start(program: string, args: string[]): ChildProcess
  /** Ends what still runs. */
  end(): Promise<void>
}

/** Starts programs as the servers' user, and ends what still runs. */
export function openRunner(log_file: string, account: { uid: number; gid: number }): Runner {
  const log = createWriteStream(log_file, { flags: 'a' })
  const children = new Set<ChildProcess>()
  const identity = process.getuid!() === 0 ? { uid: account.uid, gid: account.gid } : {}
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  // They must not outlive the proof.
  process.once('exit', killAll)
  return {
    start(program: string, args: string[]): ChildProcess {
      const child = spawn(program, args, { ...identity, stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (part) => log.write(part))
      children.add(child)
      child.once('exit', () => children.delete(child))
      return child
    },
    async end(): Promise<void> {
      // Its server has its streams, too, so they may stay open.
      const ended = [...children].map((child) => new Promise((done) => child.once('exit', done)))
      killAll()
      process.off('exit', killAll)
      await Promise.all(ended)
    },
  }
}
