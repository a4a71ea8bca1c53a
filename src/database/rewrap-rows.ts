// After a rotation of the master key: goes through the rows that are sealed under other keys, page by page.

const batch = 500

type Rewrapping<Key, Row extends Key> = {
  /** Before every key. */
  first: Key
  /** The next rows in the order of their keys, after `after`. */
  page(pageRequest: { after: Key; limit: number }): Promise<readonly Row[]>
  /** Whether the row was replaced: another writer may have been faster. */
  rewrap(row: Row): Promise<boolean>
  /** Logs a row that cannot be rewrapped. The next run tries it again. */
  failed(row: Row, error: Error): void
}

/** Returns how many rows were rewrapped. */
export async function rewrapRows<Key, Row extends Key>({
  first,
  page,
  rewrap,
  failed,
}: Rewrapping<Key, Row>): Promise<number> {
  let count = 0
  for (let after: Key = first; ; ) {
    const rows = await page({ after, limit: batch })
    for (const row of rows) {
      try {
        if (await rewrap(row)) count++
      } catch (error) {
        failed(row, error as Error)
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < batch) return count
    after = last
  }
}
