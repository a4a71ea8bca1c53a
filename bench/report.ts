// Shows what was measured: on the terminal, and in README.md, where each table has a place of its own.

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

export type Table = { name: string; headings: string[]; rows: string[][]; notes?: string[] }

const readme = fileURLToPath(new URL('README.md', import.meta.url))

export function print({ name, headings, rows, notes = [] }: Table): void {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  console.log([`\n${name}`, '', line(headings), ...rows.map(line), ...notes].join('\n'))
}

/** Puts the table in its place in README.md, with the day and the machine. */
export function keep(table: Table): void {
  const text = readFileSync(readme, 'utf8')
  const begin = `<!-- ${table.name} -->\n`
  const end = `<!-- end of ${table.name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to === -1) throw new Error(`README.md has no place for ${table.name}`)
  writeFileSync(readme, text.slice(0, from) + begin + markdown(table) + text.slice(to))
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

function markdown({ headings, rows, notes = [] }: Table): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const ruler = headings.map((_, column) => (column === 0 ? '---' : '---:'))
  const table = [headings, ruler, ...rows].map(line).join('')
  return `\n${table}\n${[...notes, machine()].map((note) => `${note}\n`).join('\n')}\n`
}

/** The day and the machine, in a sentence. */
export function machine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? process.arch})`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  return `Measured on ${day}: ${cores}, ${memory}, ${process.platform}, Node ${process.versions.node}.`
}
