// How commands answer: one JSON document, or lines for people.

/** A record as JSON, or as `name  value` lines. */
export function print(record: Record<string, unknown>, json: boolean): void {
  if (json) {
    printJson(record)
    return
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  for (const [name, value] of Object.entries(record)) {
    process.stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`)
  }
}

export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}

/** Rows under headings, as wide as their longest cell. */
export function printTable(headings: string[], rows: string[][]): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  )
  for (const row of [headings, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!))
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
}

function shown(value: unknown): string {
  if (value === null) return '–'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
