// What a simulated piece of work waits for: cores, a thread on them, the device of a write-ahead log.

import { type Clock, openHeap } from './scale-clock.ts'

export type Cores = {
  run(work_ms: number, done: () => void): void
  /** Core milliseconds that were used so far. */
  used_ms(): number
}

/**
 * The cores of a machine, by processor sharing: whatever can run has an equal share of them, and no thread more than one core.
 * That is what Linux does in slices of a few milliseconds, with slices of no length: there is none to choose.
 */
export function openCores(clock: Clock, count: number): Cores {
  const running = openHeap<() => void>()
  /** How much work each that ran all the time has had; the keys of `running` are its values at their ends. */
  let had_ms = 0
  let at_ms = 0
  let used_ms = 0
  let plan = 0
  const share = () => Math.min(1, count / running.size())
  const advance = () => {
    const passed_ms = clock.now_ms() - at_ms
    at_ms = clock.now_ms()
    if (running.size() === 0) return
    had_ms += passed_ms * share()
    used_ms += passed_ms * Math.min(count, running.size())
  }
  const planNext = () => {
    // Whoever comes or goes changes all shares, so an end that was planned before counts no more.
    plan += 1
    const own = plan
    if (running.size() === 0) return
    clock.after(Math.max(0, (running.least() - had_ms) / share()), () => {
      if (own !== plan) return
      advance()
      // Sums of fractions may fall short of the key by a rounding.
      had_ms = Math.max(had_ms, running.least())
      const done = running.pop()
      planNext()
      done()
    })
  }
  return {
    run(work_ms, done) {
      advance()
      running.push(had_ms + work_ms, done)
      planNext()
    },
    used_ms() {
      advance()
      return used_ms
    },
  }
}

/** Does one thing after another, on the cores that it shares: the JavaScript of a process, or a backend of PostgreSQL. */
export type Thread = { run(work_ms: number, done: () => void): void }

export function openThread(cores: Cores): Thread {
  const turns = openTurns()
  return {
    run: (work_ms, done) =>
      turns.take((leave) => {
        cores.run(work_ms, () => {
          leave()
          done()
        })
      }),
  }
}

export type Turns = { take(work: (leave: () => void) => void): void }

/** One at a time, in the order of coming. */
export function openTurns(): Turns {
  const waiting: ((leave: () => void) => void)[] = []
  let is_taken = false
  const leave = () => {
    const next = waiting.shift()
    if (next) next(leave)
    else is_taken = false
  }
  return {
    take(work) {
      if (is_taken) return void waiting.push(work)
      is_taken = true
      work(leave)
    },
  }
}

export type LogDevice = { flush(done: () => void): void; busy_ms(): number }

/** Group commit: what comes while the log is flushed waits, and the next flush is for all of it together. */
export function openLogDevice(clock: Clock, flushMs: () => number): LogDevice {
  let waiting: (() => void)[] = []
  let is_busy = false
  let busy_ms = 0
  const flush = () => {
    const group = waiting
    waiting = []
    if (group.length === 0) {
      is_busy = false
      return
    }
    is_busy = true
    const took_ms = flushMs()
    busy_ms += took_ms
    clock.after(took_ms, () => {
      flush()
      for (const done of group) done()
    })
  }
  return {
    flush(done) {
      waiting.push(done)
      if (!is_busy) flush()
    },
    busy_ms: () => busy_ms,
  }
}
