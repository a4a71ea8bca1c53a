// The clock of a simulation: what happens next, and chance that a seed decides. Nothing here knows of a real clock.

export type Clock = {
  now_ms(): number
  after(ms: number, happen: () => void): void
  /** Until nothing is left to happen, or until that time. */
  run(until_ms?: number): void
}

export function openClock(): Clock {
  const coming = openHeap<() => void>()
  let now_ms = 0
  return {
    now_ms: () => now_ms,
    after: (ms, happen) => coming.push(now_ms + ms, happen),
    run(until_ms = Number.POSITIVE_INFINITY) {
      while (coming.size() > 0 && coming.least() <= until_ms) {
        now_ms = coming.least()
        coming.pop()()
      }
    },
  }
}

export type Heap<T> = {
  push(key: number, item: T): void
  /** The least key; infinite where nothing is there. */
  least(): number
  /** The item of the least key; of equal keys the one that came first, so that a seed says all. */
  pop(): T
  size(): number
}

export function openHeap<T>(): Heap<T> {
  type Entry = { key: number; order: number; item: T }
  const entries: Entry[] = []
  let pushed = 0
  const isBefore = (a: Entry, b: Entry) => a.key < b.key || (a.key === b.key && a.order < b.order)
  const rise = (entry: Entry) => {
    let at = entries.length
    entries.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, entries[parent]!)) break
      entries[at] = entries[parent]!
      at = parent
    }
    entries[at] = entry
  }
  const sink = (entry: Entry) => {
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= entries.length) break
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child += 1
      if (!isBefore(entries[child]!, entry)) break
      entries[at] = entries[child]!
      at = child
    }
    entries[at] = entry
  }
  return {
    push(key, item) {
      pushed += 1
      rise({ key, order: pushed, item })
    },
    least: () => entries[0]?.key ?? Number.POSITIVE_INFINITY,
    pop() {
      const [first] = entries
      if (!first) throw new Error('nothing is there')
      const last = entries.pop()!
      if (entries.length > 0) sink(last)
      return first.item
    },
    size: () => entries.length,
  }
}

export type Chance = {
  /** Evenly from 0 up to, but not including, 1. */
  even(): number
  /** Of an exponential distribution with this mean. */
  exponential(mean: number): number
  /** A whole number from 0 up to, but not including, `count`. */
  below(count: number): number
}

/** Mulberry32: small, and its period of 2^32 is some hundred times what a run draws. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0
  const even = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    even,
    exponential: (mean) => -mean * Math.log(1 - even()),
    below: (count) => Math.floor(even() * count),
  }
}
