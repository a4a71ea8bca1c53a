// Fragments that write whole rows: a row's members are its columns, spelled alike.
// Each is a template as if it stood in the code, made once.

import type { Columns } from './columns.ts'
import type { AnySql } from './pool.ts'
import { template } from './templates.ts'
import { quoted } from './write.ts'

/** `(columns) values (…)` for an insert. */
export function rowValues(sql: AnySql, row: object) {
  return listed(sql, row, { before: 'values (', after: ')' })
}

/** `(columns) select … from gate`: an insert that happens only if the gate, a CTE, has a row. */
export function rowIf(sql: AnySql, row: object, gate: string) {
  return listed(sql, row, { before: 'select ', after: ` from ${quoted(gate)}` })
}

/** `column = …, …` for an update, of all members or of the given ones. */
export function assignments<Row extends object>(sql: AnySql, row: Row, ...columns: (keyof Row)[]) {
  const names = columns.length === 0 ? Object.keys(row) : (columns as string[])
  const shape = shapeOf('assignments', names, () => {
    const texts = names.map((name, at) => `${at === 0 ? '' : ', '}${quoted(name)} = `)
    return [...texts, '']
  })
  return sql(shape, ...names.map((name) => row[name as keyof Row] as never))
}

function listed(sql: AnySql, row: object, { before, after }: { before: string; after: string }) {
  const names = Object.keys(row)
  const shape = shapeOf(after, names, () => {
    const commas = names.slice(1).map(() => ', ')
    return [`(${quoted(names)}) ${before}`, ...commas, after]
  })
  return sql(shape, ...(Object.values(row) as never[]))
}

type Shape = { names: string[]; template: TemplateStringsArray }

const shapes = new Map<string, Shape[]>()

/** The template for rows with these names, in one kind of fragment: spelled for the first such row. */
function shapeOf(kind: string, names: string[], spell: () => string[]): TemplateStringsArray {
  const candidates = shapes.get(kind) ?? []
  const same = candidates.find((shape) => areSame(shape.names, names))
  if (same) return same.template
  const newShape = { names, template: template(spell()) }
  shapes.set(kind, [...candidates, newShape])
  return newShape.template
}

function areSame(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at])
}

/** `column, …` */
export function columnNames(sql: AnySql, columns: Columns) {
  return sql(template([quoted(Object.keys(columns))]))
}

/** `column type, …`, as `json_to_recordset` wants them. */
export function columnTypes(sql: AnySql, columns: Columns) {
  const typedColumns = Object.entries(columns).map(([name, { type }]) => `${quoted(name)} ${type}`)
  return sql(template([typedColumns.join(', ')]))
}

/** A row that came as JSON has its times as text. */
export function withDates<Row>(row: Row, columns: (keyof Row)[]): Row {
  const times = columns.map((column) => {
    const at = row[column] as string | null
    return [column, at && new Date(at)]
  })
  return { ...row, ...Object.fromEntries(times) }
}
