// A statement on its way over one connection of the driver `pg`. Its form is prepared if the connection has none yet.
// The driver accepts such an object in place of its own statement, and calls it with the server's messages.

import type { Socket } from 'node:net'
import pg from 'pg'
import type { SendableStatement, Spelled } from './spell.ts'
import { readerOf, writeValue } from './types.ts'

/** Rows as objects. */
class Rows extends Array<Record<string, unknown>> {
  #count = 0

  /** How many were read or written. */
  get count(): number {
    return this.#count
  }

  set count(count: number) {
    this.#count = count
  }

  /** Lists made from rows, such as by `map`, are plain lists. */
  static override get [Symbol.species]() {
    return Array
  }
}

type Column = { name: string; read: (text: string) => unknown }

/** A form as one connection has prepared it. */
type Prepared = {
  name: string
  /** Null until the server has described them. */
  columns: Column[] | null
}

export type { Rows }

/** What is known about a connection while it lives. */
export type Preparations = {
  /** Begins the names of its prepared statements. A pooler may lend one connection of the server to several of ours. */
  prefix: string
  count: number
  prepared: WeakMap<object, Prepared>
  /** Whether statements may be prepared under names. Otherwise each one is prepared again, together with its run. */
  has_names: boolean
  /** Names that are no longer used. */
  stale_names: string[]
  /** The statements whose parameters the server was asked for, in order; null until the first. */
  describing: RunningStatement[] | null
}

type Settle = {
  resolve: (rows: Rows) => void
  reject: (error: unknown) => void
  /** It was not done: its parameters are known now, and it can be sent. */
  described: () => void
}

const DriverStatement = pg.Query as unknown as new (text: string) => object

export class RunningStatement extends DriverStatement {
  private readonly preparations: Preparations
  private readonly statement: SendableStatement
  private readonly settle: Settle
  private prepared: Prepared | null = null
  private is_describing = false
  private columns: Column[] | null = null
  private result_rows = new Rows()
  /** For several statements, the rows of the earlier ones. */
  private earlier: Rows[] = []
  private failure: unknown = null

  constructor(preparations: Preparations, statement: SendableStatement, settle: Settle) {
    super(statement.text)
    this.preparations = preparations
    this.statement = statement
    this.settle = settle
  }

  submit(connection: Wire): null {
    const { statement } = this
    if (statement.form === null) {
      connection.query(statement.text)
      return null
    }
    connection.stream.cork()
    try {
      this.prepared = this.prepare(connection, statement)
      const { parameter_types } = statement.form
      if (parameter_types === null) this.describe(connection, this.prepared)
      else this.execute(connection, { ...this.prepared, parameter_types, statement })
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    return null
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.columns ?? this.prepared!.columns!
    const row: Record<string, unknown> = {}
    try {
      for (let at = 0; at < fields.length; at += 1) {
        const { name, read } = columns[at]!
        const text = fields[at]!
        row[name] = text === null ? null : read(text)
      }
      this.result_rows.push(row)
    } catch (error) {
      this.failure ??= error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.result_rows.count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    if (this.statement.form !== null) return
    this.earlier.push(this.result_rows)
    this.result_rows = new Rows()
    this.columns = null
  }

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    if (this.prepared !== null) this.prepared.columns ??= this.columns ?? []
    if (this.is_describing) this.settle.described()
    else if (this.failure !== null) this.settle.reject(this.failure)
    else this.settle.resolve(this.result())
  }

  handleError(error: unknown): void {
    this.forget(error)
    this.settle.reject(error)
  }

  handleParameterTypes(types: number[]): void {
    this.statement.form!.parameter_types = types
  }

  private prepare(connection: Wire, { form, text }: Spelled): Prepared {
    const { preparations } = this
    if (!preparations.has_names) {
      connection.parse({ name: '', text, types: form.declared_types })
      return { name: '', columns: null }
    }
    const preparation = preparations.prepared.get(form)
    if (preparation) return preparation
    for (const name of preparations.stale_names.splice(0)) connection.close({ type: 'S', name })
    preparations.count += 1
    const newPreparation = { name: `${preparations.prefix}${preparations.count}`, columns: null }
    preparations.prepared.set(form, newPreparation)
    connection.parse({ name: newPreparation.name, text, types: form.declared_types })
    return newPreparation
  }

  private describe(connection: Wire, { name }: Prepared): void {
    const { preparations } = this
    this.is_describing = true
    if (preparations.describing === null) {
      preparations.describing = []
      connection.on('parameterDescription', ({ dataTypeIDs }) =>
        preparations.describing!.shift()!.handleParameterTypes(dataTypeIDs),
      )
    }
    preparations.describing.push(this)
    connection.describe({ type: 'S', name })
  }

  private execute(connection: Wire, { name, columns, parameter_types, statement }: Bound): void {
    connection.bind({
      statement: name,
      values: statement.values,
      valueMapper: (value, at) => writeValue(parameter_types[at]!, value),
    })
    if (columns === null) connection.describe({ type: 'P' })
    connection.execute()
  }

  /**
   * The next run prepares the statement again, if the server may lack this form, or has it for tables that have
   * changed.
   */
  private forget(error: unknown): void {
    const { preparations, prepared, statement } = this
    const { describing } = preparations
    const at = describing?.indexOf(this) ?? -1
    if (at !== -1) describing!.splice(at, 1)
    if (prepared === null || statement.form === null) return
    if (prepared.columns !== null && !isOutdatedForm(error)) return
    if (isOutdatedForm(error)) statement.form.parameter_types = null
    if (preparations.prepared.get(statement.form) !== prepared) return
    preparations.prepared.delete(statement.form)
    preparations.stale_names.push(prepared.name)
  }

  private result(): Rows {
    const { earlier } = this
    if (this.statement.form !== null) return this.result_rows
    return earlier.length > 1 ? (earlier as unknown as Rows) : (earlier[0] ?? this.result_rows)
  }
}

/** The part of the driver's connection that is used here. */
type Wire = {
  stream: Socket
  query(text: string): void
  parse(form: { name: string; text: string; types: readonly number[] }): void
  bind(values: {
    statement: string
    values: unknown[]
    valueMapper: (value: unknown, at: number) => string | Buffer | null
  }): void
  describe(what: { type: 'S' | 'P'; name?: string }): void
  execute(): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
  on(event: 'parameterDescription', hear: (message: { dataTypeIDs: number[] }) => void): void
}

type Bound = Prepared & { parameter_types: readonly number[]; statement: Spelled }

/**
 * Whether a statement failed because its prepared form is not there any more, or no longer fits its tables. A migration that adds a
 * column makes it so. The statement changed nothing, and may be repeated.
 */
export function isOutdatedForm(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}
