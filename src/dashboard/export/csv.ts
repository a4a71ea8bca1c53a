// A table as comma-separated values: RFC 4180, with a byte order mark, since spreadsheets else guess the encoding wrong.

export const byte_order_mark = '\uFEFF'

export type Cell = string | number | null

/** A line with its end. */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(spelled).join(',')}\r\n`
}

/** Text that a spreadsheet would take for a formula, by full-width signs too, gets an apostrophe before it. Numbers never do. */
function spelled(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@＝＋－＠\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
