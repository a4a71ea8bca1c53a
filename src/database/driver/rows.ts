// Fragments that write whole rows: a row's members are its columns, spelled alike.
// The driver has helpers of its own, but guesses from the words before them what is meant: wrongly in a CTE, and by
// searching all of the text before. So each fragment is a template as if it stood in the code, made once.

import type { Columns } from './columns.ts'
import type { AnySql } from './pool.ts'

/** `(columns) values (…)` for an insert. */
export function rowValues(sql: AnySql, row: object) {
  return listed(sql, row, { before: 'values (', after: ')' })
}

/** `(columns) select … from gate`: an insert that happens only where the gate, a CTE, let the change through. */
export function rowIf(sql: AnySql, row: object, gate: string) {
  return listed(sql, row, { before: 'select ', after: ` from ${quoted(gate)}` })
}

/** `column = …, …` for an update, of all members or of those named. */
export function assignments<Row extends object>(sql: AnySql, row: Row, ...columns: (keyof Row)[]) {
  const names = columns.length === 0 ? (Object.keys(row) as (keyof Row)[]) : columns
  const texts = names.map((name, at) => `${at === 0 ? '' : ', '}${quoted(String(name))} = `)
  const values = names.map((name) => row[name] as never)
  return sql(template([...texts, '']), ...values)
}

function listed(sql: AnySql, row: object, { before, after }: { before: string; after: string }) {
  const columns = Object.keys(row).map(quoted).join(', ')
  const values = Object.values(row) as never[]
  const commas = values.slice(1).map(() => ', ')
  return sql(template([`(${columns}) ${before}`, ...commas, after]), ...values)
}

/** `column, …` */
export function columnNames(sql: AnySql, columns: Columns) {
  return sql(template([Object.keys(columns).map(quoted).join(', ')]))
}

/** `column type, …`, as `json_to_recordset` wants them. */
export function columnTypes(sql: AnySql, columns: Columns) {
  const typed = Object.entries(columns).map(([name, { type }]) => `${quoted(name)} ${type}`)
  return sql(template([typed.join(', ')]))
}

const templates = new Map<string, TemplateStringsArray>()

/** The driver keeps something for each template that it meets, so equal ones must be the same. */
function template(texts: string[]): TemplateStringsArray {
  const spelled = texts.join('?')
  const known = templates.get(spelled)
  if (known) return known
  const made = Object.assign(texts, { raw: [...texts] })
  templates.set(spelled, made)
  return made
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A row that came as JSON has its times as text. */
export function withDates<Row>(row: Row, columns: (keyof Row)[]): Row {
  const times = columns.map((column) => {
    const at = row[column] as string | null
    return [column, at && new Date(at)]
  })
  return { ...row, ...Object.fromEntries(times) }
}
