// Shows what was measured: on the terminal, and in results.json, which has the newest of each table.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

export type Table = { name: string; headings: string[]; rows: string[][]; notes?: string[] }

/** A table of the newest full run, with the day and the machine. */
type Result = Omit<Table, 'name'> & { measured: string }

const results = fileURLToPath(new URL('results.json', import.meta.url))

export function print({ name, headings, rows, notes = [] }: Table): void {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  console.log([`\n${name}`, '', line(headings), ...rows.map(line), ...notes].join('\n'))
}

/** Puts the table in its place in results.json, with the day and the machine. */
export function keep({ name, headings, rows, notes = [] }: Table): void {
  const kept = { ...readResults(), [name]: { measured: machine(), headings, rows, notes } }
  const list = (values: unknown[]) => `[\n${values.map((each) => `      ${JSON.stringify(each)}`).join(',\n')}\n    ]`
  const tables = Object.entries(kept).map(([key, { measured, headings, rows, notes }]) => {
    const members = {
      measured: JSON.stringify(measured),
      headings: JSON.stringify(headings),
      rows: list(rows),
      notes: JSON.stringify(notes),
    }
    const lines = Object.entries(members).map(([member, text]) => `    "${member}": ${text}`)
    return `  "${key}": {\n${lines.join(',\n')}\n  }`
  })
  writeFileSync(results, `{\n${tables.join(',\n')}\n}\n`)
}

/** The table as a full run last measured it. */
export function readResult(name: string): Table {
  const result = readResults()[name]
  if (!result) throw new Error(`results.json has no table ${name}`)
  const { headings, rows, notes = [], measured } = result
  return { name, headings, rows, notes: [...notes, measured] }
}

export function resultNames(): string[] {
  return Object.keys(readResults())
}

function readResults(): Record<string, Result> {
  return JSON.parse(readFileSync(results, 'utf8'))
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Of ascending values: the least that `share` of them do not exceed. */
export function percentile(ascending: number[], share: number): number {
  const rank = Math.ceil(ascending.length * share) - 1
  return ascending[Math.max(0, rank)] ?? Number.NaN
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB').replaceAll(',', ' ')
}

/** The day and the machine, in a sentence. */
export function machine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? process.arch})`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  return `Measured on ${day}: ${cores}, ${memory}, ${process.platform}, Node ${process.versions.node}.`
}
