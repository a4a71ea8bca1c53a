// A table as comma-separated values: RFC 4180, with a byte order mark, since spreadsheets else guess the encoding wrong.

export const byte_order_mark = '\uFEFF'

/** Of a decimal's spelling, a sign before the digits begins no formula. */
export type Cell = string | number | { decimal: string } | null

/** A line with its end. */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(spelled).join(',')}\r\n`
}

/**
 * A sign that would begin a formula, full-width ones too. It stands at the beginning of a text, or behind what some spreadsheet takes
 * for the end of a cell: a semicolon in most of Europe, or whatever its user names. Spreadsheets skip blanks and quotes before it.
 * Letters, digits, plain blanks and what stands in references (`A-1/2`, `Order - 5`, `QQ==`) end no cell.
 */
const formula = /(^|[^\p{L}\p{N}\p{M}\p{Zs}._/:#=+@＝＋－＠-])([\s"']*)(?=[=+\-@＝＋－＠])/gu
const formulaSign = new RegExp(`${formula.source}(.)`, 'gu')

/** JSON of which no reader loses anything to an apostrophe: a sign that would begin a formula is escaped as JSON escapes it. */
export function jsonCell(value: object): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(formulaSign, (_, before, pad, sign) => before + pad + escaped(sign)),
  )
}

/** Text that a spreadsheet would take for a formula gets an apostrophe before its sign. Numbers never do. */
function spelled(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.decimal
  const safe = cell.replace(formula, "$1$2'").replace(/^[\t\r]/, "'$&")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
