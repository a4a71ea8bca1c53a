// Fragments that write whole rows: a row's members are its columns, spelled alike.
// The driver has helpers of its own, but guesses from the words before them what is meant, and guesses wrong in a CTE.

import type { AnySql } from './pool.ts'

/** `(columns) values (…)` for an insert. */
export function rowValues(sql: AnySql, row: object) {
  return sql`(${sql(Object.keys(row))}) values (${valuesOf(sql, row)})`
}

/** `column = …, …` for an update, of all members or of those named. */
export function assignments<Row extends object>(sql: AnySql, row: Row, ...columns: (keyof Row)[]) {
  const names = columns.length === 0 ? (Object.keys(row) as (keyof Row)[]) : columns
  return names.map((name, index) => {
    const value = row[name] as never
    return index === 0
      ? sql`${sql(String(name))} = ${value}`
      : sql`, ${sql(String(name))} = ${value}`
  })
}

/** `(columns) select … from gate`: an insert that happens only where the gate, a CTE, let the change through. */
export function rowIf(sql: AnySql, row: object, gate: string) {
  return sql`(${sql(Object.keys(row))}) select ${valuesOf(sql, row)} from ${sql(gate)}`
}

function valuesOf(sql: AnySql, row: object) {
  return Object.values(row).map((value, index) => (index === 0 ? sql`${value}` : sql`, ${value}`))
}
