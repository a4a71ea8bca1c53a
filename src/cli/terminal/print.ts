// Prints the answers of commands: one JSON document, or lines for people.

import { stripVTControlCharacters, styleText } from 'node:util'
import { inMajorUnits, timestamp } from '../../kernel/values.ts'
import { asTyped, terminal } from './terminal.ts'

/** A record as JSON, or as `name  value` lines. */
export function print(record: Record<string, unknown>, json: boolean): void {
  if (json) {
    printJson(record)
    return
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  for (const [name, value] of Object.entries(record)) {
    terminal().stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`)
  }
}

/** The same for people, without what is null or empty. */
export function printKnown(record: Record<string, unknown>): void {
  const entries = Object.entries(record).filter(([, value]) => String(value ?? '') !== '')
  print(Object.fromEntries(entries), false)
}

/** Times as the API writes them. */
export function printJson(document: unknown): void {
  terminal().stdout.write(`${JSON.stringify(document, withTimes, 2)}\n`)
}

/** `value` is a date's own text already, in another form. */
function withTimes(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const member = this[name]
  return member instanceof Date ? timestamp(member) : value
}

/** One of several documents, in a line of its own. */
export function printJsonLine(document: unknown): void {
  terminal().stdout.write(`${JSON.stringify(document)}\n`)
}

/** A sentence for people. */
export function printLine(sentence: string): void {
  terminal().stdout.write(`${asTyped(sentence)}\n`)
}

/** A time for a table: whole seconds, still ISO 8601; a dash where there is none. */
export function shortTime(at: Date | string | null): string {
  return at === null ? '–' : `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** To the minute. */
export const minutes = (at: Date) => `${at.toISOString().slice(0, 16)}Z`

/** Milliseconds as people read them. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `GBP 42.00`: an amount in minor units, written out by the ISO 4217 exponent of its currency. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  return `${currency} ${inMajorUnits(amount, currency)}`
}

/** Text from others, in one line of limited length, without control characters, which a terminal would obey. */
export function oneLine(text: string, length_max: number): string {
  const plain = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return plain.length > length_max ? `${plain.slice(0, length_max - 1)}…` : plain
}

/** How a list is shown to people. */
type List<Row> = {
  headings: string[]
  cells(row: Row): string[]
  /** Stand below the row, indented. */
  notes?(row: Row): (string | false | null)[]
  /** What is said in place of an empty table. */
  nothing: string
  has_more?: boolean
}

/** Prints a table, or that there is nothing, and whether there is more than the limit allowed. */
export function printList<Row>(rows: Row[], { headings, cells, notes, nothing, has_more = false }: List<Row>): void {
  if (rows.length === 0) printLine(nothing)
  else {
    const lines = rows.map((row) => notes?.(row).filter((note) => typeof note === 'string') ?? [])
    printTable(headings, rows.map(cells), lines)
  }
  if (has_more) printLine(`\nThere are more: --limit takes up to ${limit_max}.`)
}

/** The columns of a list, behind that of the merchant where it is of all. */
export function ofMerchants<Row extends { merchant_id: string }>(
  merchant_id: string | null,
  { headings, cells }: Pick<List<Row>, 'headings' | 'cells'>,
): Pick<List<Row>, 'headings' | 'cells'> {
  if (merchant_id !== null) return { headings, cells }
  return { headings: ['merchant', ...headings], cells: (row) => [row.merchant_id, ...cells(row)] }
}

/** `There is no key`, or that the merchant has none. */
export function hasNo(what: string, merchant_id: string | null): string {
  return `${merchant_id === null ? 'There is' : `The merchant ${merchant_id} has`} no ${what}`
}

/** How many rows a list shows that does not come in pages. */
export const limit_max = 1000

/** The rows that are shown, of those up to one beyond the limit. */
export function within<Row>(limit: number, rows: Row[]): { shown: Row[]; has_more: boolean } {
  return { shown: rows.slice(0, limit), has_more: rows.length > limit }
}

/** Prints rows under headings, as wide as their longest cells. Each row's notes follow it, indented. */
export function printTable(headings: string[], rows: string[][], notes: string[][] = []): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => widthOf(row[column]!))),
  )
  const line = (row: string[]) =>
    row.map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell))).join('  ')
  terminal().stdout.write(`${paint('bold', line(headings).trimEnd())}\n`)
  for (const [index, row] of rows.entries()) {
    const below = (notes[index] ?? []).map((note) => `    ${note}\n`)
    terminal().stdout.write(`${line(row).trimEnd()}\n${below.join('')}`)
  }
}

/** The width of a cell, without the characters for its colour. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length
}

function shown(value: unknown): string {
  if (value === null) return '–'
  if (value instanceof Date) return timestamp(value)
  return Array.isArray(value) ? value.join(', ') : String(value)
}

type Style = Parameters<typeof styleText>[0]

/** Text for standard output. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: terminal().stdout })
}

/** The word before a failure's message on standard error. */
export function paintError(text: string): string {
  return styleText('red', text, { stream: terminal().stderr })
}

const styles: Record<string, Style> = {
  succeeded: 'green',
  captured: 'green',
  usable: 'green',
  active: 'green',
  ok: 'green',
  failed: 'yellow',
  pending: 'yellow',
  pending_review: 'yellow',
  escalated: 'yellow',
  dead_lettered: 'red',
  declined: 'red',
  WARNING: 'yellow',
  PROBLEM: 'red',
  revoked: 'dim',
  expired: 'dim',
  disabled: 'dim',
  suspended: 'red',
}

/** The word for a state, in a colour that shows whether the state is good. */
export function paintState(word: string): string {
  const style = Object.hasOwn(styles, word) ? styles[word] : undefined
  return style === undefined ? word : paint(style, word)
}
