// Ends the commands that keep running.

import { terminal } from './terminal.ts'

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
