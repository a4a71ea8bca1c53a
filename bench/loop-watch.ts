// Loaded into the service by the benchmark of its tail: it appends a line to a file, every half second, with the delays of the
// event loop and the collections of that time.

import { appendFileSync } from 'node:fs'
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Times since 1970, durations in milliseconds. */
export type Watched = {
  at_ms: number
  /** Above what the timer's own resolution makes. */
  delays_ms: { p50: number; p99: number; longest: number }
  collections: { at_ms: number; is_major: boolean; duration_ms: number }[]
}

type Collection = PerformanceEntry & { detail: { kind: number } }

export const watch_variable = 'RIPPER_BENCH_LOOP_FILE'

const every_ms = 500
const resolution_ms = 1

if (isMainThread && process.env[watch_variable] !== undefined) watch(process.env[watch_variable])

function watch(file: string): void {
  const delays = monitorEventLoopDelay({ resolution: resolution_ms })
  let collections: Watched['collections'] = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Collection[]) {
      const is_major = entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
      const at_ms = performance.timeOrigin + entry.startTime
      collections.push({ at_ms, is_major, duration_ms: entry.duration })
    }
  }).observe({ entryTypes: ['gc'] })
  delays.enable()
  const write = () => {
    const late = (ns: number) => Math.max(0, ns / 1e6 - resolution_ms)
    const { max } = delays
    const delays_ms = {
      p50: late(delays.percentile(50)),
      p99: late(delays.percentile(99)),
      longest: late(max),
    }
    const line: Watched = { at_ms: Date.now(), delays_ms, collections }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    delays.reset()
    collections = []
  }
  setInterval(write, every_ms).unref()
}
