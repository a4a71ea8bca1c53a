// Works through the rows of a job, a few at once.

const at_once = 8
/** Two rows for each worker, so that the second begins and ends within the lease. */
const batch = 2 * at_once
const batches_max = 20

/**
 * Claims and works until nothing is due, a few hundred rows at most. A claim gives its rows in an order of their own: by
 * their place on disk, the same work would be done in another order each time. The lease must be longer than the work on
 * two rows may take. When the process is to stop, only claimed rows are worked on. Returns how many were claimed.
 */
export async function workOff<Item>(
  claim: (limit: number) => Promise<readonly Item[]>,
  work: (item: Item) => Promise<void>,
  stopping?: AbortSignal,
): Promise<number> {
  let count = 0
  for (let round = 0; round < batches_max && !stopping?.aborted; round++) {
    const items = await claim(batch)
    await runEach(items, work)
    count += items.length
    if (items.length < batch) break
  }
  return count
}

/** A few at once. Resolves when all are done. `work` handles its own failures. */
export async function runEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const line = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, line))
}
