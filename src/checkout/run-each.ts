// Works through a list with a few at once.

/** Ends when all are done. `work` deals with its own failures. */
export async function runEach<Item>(
  items: readonly Item[],
  at_once: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const line = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, line))
}
