// Starts things at the same time, each a little after the other; a seed decides how much, so that a round can be had again.

/** Numbers from 0 up to the one that is asked for, always the same ones for a seed. */
export function drawing(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Starts each a few turns of the event loop after the other; the seed decides how many. */
export function together<Result>(seed: number, ...starts: (() => Promise<Result>)[]): Promise<Result[]> {
  const next = drawing(seed)
  return Promise.all(
    starts.map(async (start) => {
      await turns(next(8) * next(8))
      return start()
    }),
  )
}

/** Lets everything else go on for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}
