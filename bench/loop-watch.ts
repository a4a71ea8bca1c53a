// Loaded into the service by the benchmark of its tail: it appends a line to a file, every half second, with the delays of the
// event loop and the collections of the whole heap in that time.

import { appendFileSync } from 'node:fs'
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export type Watched = {
  /** Since 1970. */
  at_ms: number
  /** Above what the timer's own resolution makes. */
  delays_ms: { p99: number; longest: number }
  major_collections: number
}

type Collection = PerformanceEntry & { detail: { kind: number } }

export const watch_variable = 'RIPPER_BENCH_LOOP_FILE'

const every_ms = 500
const resolution_ms = 1

if (isMainThread && process.env[watch_variable] !== undefined) watch(process.env[watch_variable])

function watch(file: string): void {
  const delays = monitorEventLoopDelay({ resolution: resolution_ms })
  let major_collections = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Collection[]) {
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major_collections += 1
    }
  }).observe({ entryTypes: ['gc'] })
  delays.enable()
  const write = () => {
    const late = (ns: number) => Math.max(0, ns / 1e6 - resolution_ms)
    const delays_ms = { p99: late(delays.percentile(99)), longest: late(delays.max) }
    const line: Watched = { at_ms: Date.now(), delays_ms, major_collections }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    delays.reset()
    major_collections = 0
  }
  setInterval(write, every_ms).unref()
}
