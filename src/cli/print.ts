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

/** A sentence for people. */
export function tell(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}

/** A time for a table: whole seconds, still ISO 8601. */
export function shortTime(at: Date | string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** Milliseconds as people read them. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
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
