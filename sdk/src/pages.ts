// A list that comes in pages: `await` gives one page, and a loop gives every row of all pages.

export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null }

/** `await` gives the first page; `for await` gives row after row and asks for the next page when it gets there. */
export type Pages<Row> = Promise<Page<Row>> & AsyncIterable<Row>

/** Asks for the first page at once. `read` reads the page after a cursor, or the first page without one. */
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
