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

/** Gives a template the names that its tables have where it runs. */
export type Rename = (strings: TemplateStringsArray) => TemplateStringsArray

/** What statements are written with: templates, texts, and a name as a part. All else are the driver's helpers. */
export function writing(handler: Handler, sql: postgres.ISql, rename: Rename | null) {
  const helper = sql as unknown as Call
  const write = (first: unknown, ...args: unknown[]) => {
    if (isTemplate(first)) {
      const named = rename === null ? first : rename(first)
      noteOrigin(named, write)
      return new Statement(handler, named, args)
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

/** Of a statement that is run now, in a transaction. */
export function queryOf(sql: postgres.ISql, statement: Statement): DriverQuery {
  return queryFrom(statement, sql, ({ text, values }) =>
    sql.unsafe(text, values as never[], prepared),
  )
}

/** Of a statement that is run now, by itself: a `PooledQuery` wherever it can be one. */
export function openPooledQueries(sql: postgres.Sql): (statement: Statement) => DriverQuery {
  const { handler, canceller } = sql.unsafe('') as unknown as PooledQuery
  return (statement) =>
    queryFrom(statement, sql, ({ text, values }) => {
      return new PooledQuery({ text, values, handler, canceller })
    })
}

function queryFrom(
  statement: Statement,
  sql: postgres.ISql,
  make: (spelled: Spelled) => object,
): DriverQuery {
  const spelled = spell(statement)
  const query = (
    spelled === null ? asWritten(sql, statement) : Object.assign(make(spelled), { spelled })
  ) as DriverQuery
  query.executed = true
  return query
}

/** The functions have names of their own: one that is written where it is assigned to a member is made in the old heap, see below. */
export function settleBy(
  query: DriverQuery,
  resolve: DriverQuery['resolve'],
  reject: DriverQuery['reject'],
): void {
  query.resolve = resolve
  query.reject = reject
}

const prepared = { prepare: true, simple: false } as const

/**
 * What the driver's constructor makes, without the promise and without the functions that it assigns to members. Those the engine
 * makes in the old heap, where they keep all that they refer to from being collected with the young.
 */
class PooledQuery {
  readonly tagged = false
  readonly strings: string[]
  readonly args: unknown[]
  readonly handler: (query: DriverQuery) => void
  readonly canceller: unknown
  readonly options = prepared
  state = null
  statement = null
  resolve: unknown = null
  reject: unknown = null
  active = false
  cancelled = null
  executed = false

  constructor({ text, values, handler, canceller }: PooledParts) {
    this.strings = [text]
    this.args = values
    this.handler = handler
    this.canceller = canceller
  }
}

type PooledParts = Pick<Spelled, 'text' | 'values'> & Pick<PooledQuery, 'handler' | 'canceller'>

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
  Object.setPrototypeOf(PooledQuery.prototype, queries)
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
