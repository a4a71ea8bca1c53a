// Runs a program under another Node as if it were this process: same terminal, each signal once, same end.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** Ends this process when the other ends, with its status. */
export function runUnder(node, args) {
  const child = spawn(node, args, {
    // Over the fourth the other hears of our end, whatever ends us.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Out of the terminal's reach, so that a Ctrl-C comes to it once: from us.
    detached: true,
  })
  const last_sent = new Map()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      // npm passes on what the terminal has sent to each of us already.
      const now = performance.now()
      if (now - (last_sent.get(signal) ?? Number.NEGATIVE_INFINITY) < 500) return
      last_sent.set(signal, now)
      child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`${node} cannot be run (${error.message}). On Linux it needs glibc; elsewhere, use a Node 24.`)
    process.exit(1)
  })
  child.on('exit', (status, signal) => {
    process.exit(status ?? 128 + (constants.signals[signal] ?? 0))
  })
}
