// A limited number of places for heavy work. If none is free, the work is refused, because a queue would only grow.

export type Slots = {
  /** Null if no place is free; the work is not done then. */
  run<T>(work: () => Promise<T>): Promise<{ value: T } | null>
}

export function openSlots(count: number): Slots {
  let in_use = 0
  return {
    async run(work) {
      if (in_use >= count) return null
      in_use += 1
      try {
        return { value: await work() }
      } finally {
        in_use -= 1
      }
    },
  }
}
