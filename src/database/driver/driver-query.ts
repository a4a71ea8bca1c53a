// Writes statements down, and hands them to the driver, which finds by a short name what it has prepared.

import type postgres from 'postgres'
import { noteOrigin, type Spelled, spell } from './spell.ts'
import { type Handler, Statement, type UnsafeOptions, type Values } from './statement.ts'
import { template } from './templates.ts'

/** The parts of the driver's statement that we touch. */
export type DriverQuery = {
  handler: (query: DriverQuery) => void
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  /** It was sent, and its answer is the next. */
  active: boolean
  /** Whether the driver need not begin it by itself when somebody waits for it. */
  executed: boolean
}

/** What is added to it. */
type Named = { spelled?: Spelled; signature_of_driver?: string }

type Call = (...args: unknown[]) => unknown

/** What statements are written with: templates, texts, and a name as a part. All else are the driver's helpers. */
export function writing(handler: Handler, sql: postgres.ISql) {
  const helper = sql as unknown as Call
  const write = (first: unknown, ...args: unknown[]) => {
    if (isTemplate(first)) {
      noteOrigin(first, write)
      return new Statement(handler, first, args)
    }
    if (typeof first !== 'string' || args.length > 0) return helper(first, ...args)
    const name = template([quotedName(first)])
    noteOrigin(name, write)
    return new Statement(handler, name, [])
  }
  const unsafe = (text: string, args: Values = [], options: UnsafeOptions = {}) =>
    new Statement(handler, [text], args, options)
  return Object.assign(write, { unsafe })
}

function isTemplate(first: unknown): first is TemplateStringsArray {
  return Array.isArray(first) && 'raw' in first
}

/** As the driver quotes a name: a dot stands between two. */
function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`
}

/** Of a statement that is run now. */
export function queryOf(sql: postgres.ISql, statement: Statement): DriverQuery {
  const spelled = spell(statement)
  const query = (
    spelled === null
      ? asWritten(sql, statement)
      : Object.assign(sql.unsafe(spelled.text, spelled.values as never[], prepared), { spelled })
  ) as DriverQuery
  query.executed = true
  return query
}

const prepared = { prepare: true, simple: false } as const

/** As the driver's own, with all that stands in it. */
function asWritten(sql: postgres.ISql, { strings, args, unsafe }: Statement): unknown {
  if (unsafe !== null) return sql.unsafe(strings[0]!, args as never[], unsafe)
  const parts = args.map((arg) => partOf(sql, arg))
  return sql(strings as TemplateStringsArray, ...(parts as never[]))
}

function partOf(sql: postgres.ISql, value: unknown): unknown {
  if (value instanceof Statement) return asWritten(sql, value)
  const are_parts = Array.isArray(value) && value[0] instanceof Statement
  return are_parts ? value.map((part) => partOf(sql, part)) : value
}

/**
 * The driver knows what it has prepared by types and text together, which it puts together for each statement. It gets what
 * was spelled here under its name, and adds where it was written to the stack of a failure, as it does for its own.
 */
export function nameQueries(sql: postgres.Sql): void {
  const queries: object = Object.getPrototypeOf(sql``)
  if (Object.hasOwn(queries, 'signature')) return
  const { get: originOf } = Object.getOwnPropertyDescriptor(queries, 'origin')!
  Object.defineProperties(queries, {
    signature: {
      get(this: Named) {
        return this.spelled?.name ?? this.signature_of_driver
      },
      set(this: Named, signature: string) {
        this.signature_of_driver = signature
      },
    },
    origin: {
      get(this: Named) {
        return this.spelled?.origin ?? originOf!.call(this)
      },
    },
  })
}
