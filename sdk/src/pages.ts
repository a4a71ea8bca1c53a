// A list that comes in pages: awaited it is a page, looped over it is every row of all of them.

export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null }

/** `await` gives the first page; `for await` gives row after row and asks for the next page when it gets there. */
export type Pages<Row> = Promise<Page<Row>> & AsyncIterable<Row>

/** The first page is asked for at once. `read` reads the page after a cursor, the first one where there is none. */
export function openPages<Row>(read: (after?: string) => Promise<Page<Row>>): Pages<Row> {
  const first = read()
  async function* rows(): AsyncGenerator<Row> {
    let page = await first
    for (;;) {
      yield* page.data
      if (!page.has_more || page.next_cursor === null) return
      page = await read(page.next_cursor)
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: rows })
}
