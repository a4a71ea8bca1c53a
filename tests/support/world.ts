// The parts of the world that a test may take as they are: real time, and a log that says nothing.

import { setTimeout } from 'node:timers/promises'
import type { Clock, Log } from '../../src/kernel/world.ts'

export const realClock: Clock = {
  now: () => new Date(),
  sleep: async (duration_ms, signal) => {
    await setTimeout(duration_ms, undefined, { signal })
  },
}

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
