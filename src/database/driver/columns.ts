// A table's columns as one record, each with its type in the database and here: inserts, reads and the row's type come from it.

export type Column<Value> = {
  type: 'text' | 'bigint' | 'integer' | 'boolean' | 'json' | 'timestamptz'
  /** Never there: it carries the type. */
  value?: Value
}

export type Columns = Record<string, Column<unknown>>

/** The row of a table with these columns. */
export type Row<Of extends Columns> = {
  -readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never
}

export function column<Value>(type: Column<Value>['type']): Column<Value> {
  return { type }
}

/** The columns with times, which come as texts if a row comes as JSON. */
export function timesOf<Of extends Columns>(columns: Of): (keyof Of & string)[] {
  return Object.keys(columns).filter((name) => columns[name]!.type === 'timestamptz')
}
