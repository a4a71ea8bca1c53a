// How statements are written: templates whose parts may be statements, texts, and names.

import { noteOrigin } from './spell.ts'
import { type Handler, Statement, type Values } from './statement.ts'
import { template } from './templates.ts'

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the columns of its statement
export type Row = Record<string, any>

type RowsOf<Rows> = Rows & { count: number }

/** A statement, or part of one. It is sent once a caller waits for it. */
export type Query<Rows extends readonly object[] = Row[]> = Promise<RowsOf<Rows>>
export type Fragment = Query<readonly object[]>

export type AnySql = {
  <Rows extends readonly object[] = Row[]>(strings: TemplateStringsArray, ...values: readonly unknown[]): Query<Rows>
  /** A name, or several with commas between. */
  (names: string | readonly string[]): Fragment
  /** A text of one statement with values, or of several without. */
  unsafe<Rows extends readonly object[] = Row[]>(text: string, values?: Values): Query<Rows>
}

export type Transaction = AnySql

export type Sql = AnySql & {
  /**
   * Runs the work in a transaction, which is committed unless the work or one of its statements fails. It runs again if
   * a prepared form was outdated.
   */
  begin<T>(work: (tx: Transaction) => T | Promise<T>): Promise<Unwrapped<T>>
  begin<T>(mode: string, work: (tx: Transaction) => T | Promise<T>): Promise<Unwrapped<T>>
  /** Waits for work under way, `timeout` seconds at most, and closes all connections. */
  end(options?: { timeout?: number | null }): Promise<void>
}

type Unwrapped<T> = T extends readonly unknown[] ? { [At in keyof T]: Awaited<T[At]> } : T

/** Gives a template the names that its tables have in its cell. */
export type Rename = (strings: TemplateStringsArray) => TemplateStringsArray

export function writing(handler: Handler, rename: Rename | null): AnySql {
  const write = (first: TemplateStringsArray | string | readonly string[], ...values: unknown[]) => {
    const strings = isTemplate(first) ? (rename?.(first) ?? first) : template([quoted(first)])
    noteOrigin(strings, write)
    return new Statement(handler, strings, values)
  }
  const unsafe = (text: string, values: Values = []) => new Statement(handler, [text], values, true)
  return Object.assign(write, { unsafe }) as unknown as AnySql
}

function isTemplate(first: unknown): first is TemplateStringsArray {
  return Array.isArray(first) && 'raw' in first
}

/** As SQL names it, several with commas between. A dot stands between two parts of one name. */
export function quoted(names: string | readonly string[]): string {
  if (typeof names !== 'string') return names.map(quoted).join(', ')
  return `"${names.replaceAll('"', '""').replaceAll('.', '"."')}"`
}
