// A file of separated values, as vendors and spreadsheets write it: its rows one by one, in constant memory.

import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { CsvError, parse } from 'csv-parse'
import { ReportFault } from '../line.ts'
import { type Points, pointsOf } from '../money.ts'

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A row with what a reader asks of it. A column has its name as the file spells it, without regard to case. */
export type TableRow = {
  line: number
  /** Without blanks around it; empty where the file lacks the column. */
  text(column: string): string
  /** Throws a ReportFault where there is nothing. */
  needed(column: string): string
  /** An ISO code, in capitals; null where there is nothing. */
  currency(column: string): string | null
  /** Null where there is nothing. */
  amount(column: string, currency: string): Points | null
  /** The day of a time; null where there is nothing. */
  day(column: string): string | null
  fault(column: string, words: string): ReportFault
}

const record_max = 100_000
const header_max = 20_000

/** Throws a ReportFault for what cannot be read, and for a file without one of the columns. */
export async function* readTable(bytes: Bytes, columns: readonly string[]): AsyncGenerator<TableRow> {
  const texts = decode(bytes)
  const head = await headOf(texts)
  const delimiter = delimiterIn(head)
  const parser = parse({
    delimiter,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: record_max,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  })
  let header: Map<string, number> | null = null
  pipeline(Readable.from(all(head, texts)), parser, () => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const line = info.lines - breaksIn(record)
      if (header === null) header = headerOf(record, columns, line)
      else yield rowOf(header, record, { line, comma: delimiter !== ',' })
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines = 1, column } = error as CsvError & { lines?: number; column?: number | string }
    throw new ReportFault(lines, nameAt(header, column), wordsOf[error.code] ?? 'cannot be read')
  }
  if (header === null) throw new ReportFault(1, null, 'the file is empty')
}

const wordsOf: Partial<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `is longer than ${record_max} characters, or a quote is not closed`,
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  INVALID_OPENING_QUOTE: 'a quote stands within a value that is not quoted',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
}

/** The column in which the parser stopped, by its name. */
function nameAt(header: Map<string, number> | null, column: number | string | undefined): string | null {
  return [...(header ?? [])].find(([name, at]) => name !== '' && at === column)?.[0] ?? null
}

/** UTF-8, or UTF-16 where its mark says so. The mark itself is left out. */
async function* decode(bytes: Bytes): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  let begin: Uint8Array = new Uint8Array()
  let lines = 1
  const countBreaks = (text: string) => text.split('\n').length - 1
  const decoded = (chunk: Uint8Array | undefined): string => {
    try {
      const text = decoder!.decode(chunk, { stream: chunk !== undefined })
      lines += countBreaks(text)
      return text
    } catch {
      const { encoding } = decoder!
      const [whole = ''] = new TextDecoder(encoding).decode(chunk).split('\uFFFD')
      throw new ReportFault(lines + countBreaks(whole), null, `is not written in ${encoding}`)
    }
  }
  for await (const chunk of bytes) {
    if (decoder) yield decoded(chunk)
    else {
      begin = Buffer.concat([begin, chunk])
      if (begin.length < 2) continue
      decoder = new TextDecoder(encodingOf(begin), { fatal: true })
      yield decoded(begin)
    }
  }
  if (decoder) yield decoded(undefined)
  else if (begin.length > 0) yield Buffer.from(begin).toString('latin1')
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** The text up to the end of the first line that has something, and what came with it. */
async function headOf(texts: AsyncGenerator<string>): Promise<string> {
  let head = ''
  while (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < header_max) {
    const { value, done } = await texts.next()
    if (done) break
    head += value
  }
  return head
}

async function* all(head: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  if (head !== '') yield head
  yield* texts
}

/** What stands most often in the first line, outside quotes. */
function delimiterIn(head: string): string {
  const [first = ''] = head.trimStart().split(/[\r\n]/, 1)
  const bare = first.replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((each) => ({ each, count: bare.split(each).length }))
  return counts.reduce((most, other) => (other.count > most.count ? other : most)).each
}

function breaksIn(record: string[]): number {
  return record.reduce((sum, cell) => sum + (/[\r\n]/.test(cell) ? cell.split(/\r\n|\n|\r/).length - 1 : 0), 0)
}

const nameOf = (text: string) => text.trim().toLowerCase()

function headerOf(record: string[], columns: readonly string[], line: number): Map<string, number> {
  const header = new Map<string, number>()
  for (const [at, cell] of record.entries()) {
    const name = nameOf(cell)
    if (header.has(name) && columns.some((column) => nameOf(column) === name)) {
      throw new ReportFault(line, cell.trim(), 'stands there twice')
    }
    header.set(name, at)
  }
  const missing = columns.find((column) => !header.has(nameOf(column)))
  if (missing !== undefined)
    throw new ReportFault(line, missing, 'is missing, so that this is no such report of the vendor')
  header.set('', record.length)
  return header
}

function rowOf(
  header: Map<string, number>,
  record: string[],
  { line, comma }: { line: number; comma: boolean },
): TableRow {
  const count = header.get('')!
  // Some lines end with a delimiter more than the header.
  if (record.length < count || record.slice(count).some((cell) => cell.trim() !== '')) {
    throw new ReportFault(line, null, `has ${record.length} values, and the header ${count}`)
  }
  const fault = (column: string, words: string) => new ReportFault(line, column, words)
  const text = (column: string) => record[header.get(nameOf(column)) ?? count]?.trim() ?? ''
  const needed = (column: string) => {
    const value = text(column)
    if (value === '') throw fault(column, 'is empty')
    return value
  }
  return {
    line,
    text,
    needed,
    fault,
    currency(column) {
      const code = text(column).toUpperCase()
      if (code === '') return null
      if (pointsOf('0', code, { comma }) === null) throw fault(column, 'must be a currency of ISO 4217')
      return code
    },
    amount(column, currency) {
      const value = text(column)
      if (value === '') return null
      const points = pointsOf(value, currency, { comma })
      if (points === null) throw fault(column, 'must be an amount, such as -12.30')
      return points
    },
    day(column) {
      const value = text(column)
      if (value === '') return null
      const day = dayOf(value)
      if (day === null) throw fault(column, 'must begin with a day, such as 2027-01-31')
      return day
    },
  }
}

/** The day with which a text begins; null where it is none. */
export function dayOf(text: string): string | null {
  const [day] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(text) ?? []
  if (day === undefined) return null
  const at = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? null : day
}
