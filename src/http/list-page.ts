// The common parts of all paged lists: the query's members, the answer's shape, and the step from rows to a page.

import { z } from 'zod'
import { Refusal } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import { cursorAfter, type ListScope, positionIn } from './list-cursor.ts'
import { rule } from './validate.ts'

export const limit_default = 20
export const limit_max = 100

/** Members of a list's query. A repeated parameter is an array, which none of them accepts. */
export const pageQuery = {
  limit: z
    .custom<string>(
      (value) => typeof value === 'string' && /^([1-9]\d?|100)$/.test(value),
      rule('invalid_pagination', `must be a whole number from 1 to ${limit_max}`),
    )
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: limit_max, default: limit_default }),
  after: z
    .custom<string>((value) => typeof value === 'string', rule('invalid_pagination', 'must be sent once'))
    .optional()
    .meta({ type: 'string', description: 'next_cursor of the page before, with the same filters' }),
  offset: z
    .custom<undefined>(
      () => false,
      rule('invalid_pagination', 'is not taken: send next_cursor of the page before as after'),
    )
    .optional()
    .meta({ not: {} }),
}

export function pageView<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(row),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
}

/** A page of an empty list. */
export const emptyPage = { data: [], has_more: false, next_cursor: null }

/** The request for a page. */
export type ListRequest = ListScope & {
  limit: number
  /** The end of the previous page; undefined for the first page. */
  after: string | undefined
}

/** The position after which the page begins; null for the first. Throws `invalid_pagination` for a foreign cursor. */
export function beginOf(keyring: Keyring, { after, ...scope }: ListRequest): string | null {
  if (after === undefined) return null
  const position = positionIn(keyring, scope, after)
  if (position !== null) return position
  throw new Refusal('invalid_pagination', 'after must be the next_cursor of a page with the same filters.', {
    field: 'after',
  })
}

/** The rows that a store returns: one row more than the page has shows that there are more. */
export type FoundRows<Row> = {
  rows: Row[]
  /** The last position that was read, if the read ended before the merchant's rows did; otherwise null. */
  ended_at: string | null
}

/** The rows of the page, and its other members. */
export function pageOf<Row>(
  keyring: Keyring,
  request: ListRequest,
  result: FoundRows<Row>,
  positionOf: (row: Row) => string,
): { rows: Row[]; has_more: boolean; next_cursor: string | null } {
  const rows = result.rows.slice(0, request.limit)
  const is_full = result.rows.length > request.limit
  const end = is_full ? positionOf(rows.at(-1)!) : result.ended_at
  return {
    rows,
    has_more: end !== null,
    next_cursor: end === null ? null : cursorAfter(keyring, request, end),
  }
}
