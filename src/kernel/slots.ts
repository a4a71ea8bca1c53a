// A few places for work that is heavy: whoever finds none free is turned away, since a queue would only grow.

export type Slots = {
  /** Null where no place is free; nothing is done then. */
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
