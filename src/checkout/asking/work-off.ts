// Works through what a job has to do, a few at once.

const at_once = 8
/** Two for each that work at once, so that the second begins and ends within the lease. */
const batch = 2 * at_once
const batches_max = 20

/**
 * Claims and works until nothing is due, a few hundred at most. A claim lasts for a lease, which must be longer than two
 * pieces of work may take. When the process is to stop, only what was claimed is worked on. Returns how many were claimed.
 */
export async function workOff<Item>(
  claim: (limit: number) => Promise<readonly Item[]>,
  work: (item: Item) => Promise<void>,
  stopping?: AbortSignal,
): Promise<number> {
  let count = 0
  for (let round = 0; round < batches_max && !stopping?.aborted; round++) {
    const claimed = await claim(batch)
    await runEach(claimed, work)
    count += claimed.length
    if (claimed.length < batch) break
  }
  return count
}

/** Ends when all are done. `work` deals with its own failures. */
async function runEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const line = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, line))
}
