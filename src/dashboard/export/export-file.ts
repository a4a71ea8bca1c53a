// A list as comma-separated values: of a year at most. The file streams, and each statement reads one page.

import type { FoundRows } from '../../http/list-page.ts'
import { Refusal } from '../../kernel/errors.ts'
import { timesIn, zoneQuery } from '../zone.ts'
import { byte_order_mark, type Cell, csvLine } from './csv.ts'

export const bounds = { page_rows: 1000, rows_max: 100_000 }
const day_ms = 24 * 3_600_000
/** A leap year, and the hour that a day of it may have more or less. */
export const days_max = 366
const days_default = 90
const hour_ms = 3_600_000

export type ExportedList<Row> = {
  /** What the rows are, for the file's last line. */
  noun: string
  columns: string[]
  /** One row more than `limit` shows that there are more. */
  read(place: { behind: string | null; limit: number }): Promise<FoundRows<Row>>
  positionOf(row: Row): string
  cellsOf(rows: Row[]): Cell[][] | Promise<Cell[][]>
  /**
   * Writes into the journal that the export begins, with null, and then how many rows have left, however it ended. A process that
   * dies meanwhile has written the first.
   */
  writeDown(count: number | null): Promise<void>
}

/** The file's text in parts. Where there are more rows than it may have, its last line says so. */
export async function* linesOf<Row>(
  { noun, columns, read, positionOf, cellsOf, writeDown }: ExportedList<Row>,
  { page_rows, rows_max }: typeof bounds,
): AsyncGenerator<string> {
  let count = 0
  let has_begun = false
  try {
    for (let behind: string | null = null; ; ) {
      const limit = Math.min(page_rows, rows_max - count)
      const page = await read({ behind, limit: limit + 1 })
      const rows = page.rows.slice(0, limit)
      const is_more = page.rows.length > limit
      const is_cut = is_more && count + rows.length === rows_max
      const lines = (await cellsOf(rows)).map(csvLine).join('')
      const heading = has_begun ? '' : byte_order_mark + csvLine(columns)
      if (!has_begun) await writeDown(null)
      has_begun = true
      count += rows.length
      yield heading + lines + (is_cut ? csvLine([cutWords(rows_max, noun)]) : '')
      behind = is_more && rows.length > 0 ? positionOf(rows.at(-1)!) : page.ended_at
      if (is_cut || behind === null) return
    }
  } finally {
    if (has_begun) await writeDown(count)
  }
}

/** In the first column, where no time begins with a letter: no program reads it as a row without a word. */
function cutWords(rows_max: number, noun: string): string {
  return `NOT ALL: the file ends at ${rows_max} ${noun}. Export a shorter span for the older ones.`
}

/** Whose days and times a file has: without it, those of UTC. */
export const zoneOfFile = { zone: zoneQuery.optional() }

export function timesOfFile({ zone }: { zone?: string | undefined }): (at: Date) => string {
  return zone === undefined ? (at) => at.toISOString() : timesIn(zone)
}

type Span = { created_from?: Date | undefined; created_before?: Date | undefined }

/** Without a time, the last 90 days. Throws `invalid_request` for a longer span. */
export function withSpan<Filters extends Span>(
  filters: Filters,
  now: Date,
): Filters & { created_from: Date; created_before: Date } {
  const created_before = filters.created_before ?? new Date(now.getTime() + 1)
  const ago = (ms: number) => new Date(created_before.getTime() - ms)
  const created_from = filters.created_from ?? ago(days_default * day_ms)
  if (created_from >= ago(days_max * day_ms + hour_ms)) return { ...filters, created_from, created_before }
  const field = 'created_from'
  const words = `${field} must be at most ${days_max} days before created_before.`
  throw new Refusal('invalid_request', words, { field, fault: 'too_many_days', bound: days_max })
}

/** `payments-test-2026-09-01-2026-09-30.csv`: the first and the last day, as `timeOf` has days. */
export function fileName(
  noun: string,
  { created_from, created_before }: ReturnType<typeof withSpan>,
  timeOf: (at: Date) => string,
): string {
  const last = new Date(created_before.getTime() - 1)
  const days = [created_from, last].map((at) => timeOf(at).slice(0, 10))
  return `${noun}-${days.join('-')}.csv`
}
