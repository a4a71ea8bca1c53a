// The seam between a simulated process and the database: a statement waits here until it is let go.

import { isStatement, type Statement } from '../../src/database/driver/statement.ts'
import type { AnySql, Sql } from '../../src/database/open.ts'

import type { Meeting, Start } from './meetings.ts'

type Template = TemplateStringsArray
type Call = (...args: unknown[]) => unknown

export type SqlPort = {
  /** Starts it, once, when it is time; may fail without. A transaction of several statements meets no other: null. */
  run(label: string, start: Start, meeting: Meeting | null): Promise<unknown>
  /** What is due may be something else from now on. */
  changedDue(): void
  /** The text that is written down in place of this one. */
  rewrite?(template: Template): Template
  /** What is heard of a statement's rows. */
  hear?(rows: unknown): unknown
  /** What is heard of its failure. */
  fail?(error: unknown, label: string): unknown
}

/** The database as one process sees it. A transaction of several statements is let go as one. */
export function openSeam(real: Sql, port: SqlPort): Sql {
  const { run, rewrite = (text) => text, hear, fail, changedDue } = port
  const watch = (made: unknown) => (isStatement(made) ? hold(made) : made)

  function hold(statement: Statement): Statement {
    const { handler, resolve, reject } = statement
    const done = Promise.withResolvers<unknown>()
    statement.handler = () => {
      const is_schedule = mentionsSchedule(statement as unknown as Text)
      const start: Start = async (via = handler as never) => {
        via(statement)
        let rows: unknown
        try {
          rows = await done.promise
          return rows
        } finally {
          if (is_schedule && !changedNothing(labelOf(statement), rows)) changedDue()
        }
      }
      let found: string[] | null = null
      const names = () => {
        found ??= namesIn(statement)
        return found
      }
      const heard = run(labelOf(statement), start, { start, names }).then((rows) => hear?.(rows) ?? rows)
      // A failure of ours is given as an answer, so that the pool does not take its own connection for broken.
      const failed = (error: unknown) => fail?.(error, labelOf(statement)) ?? error
      heard.then(resolve, (error) => resolve(Promise.reject(failed(error))))
    }
    statement.resolve = done.resolve
    statement.reject = (error) => {
      done.reject(error)
      void reject
    }
    return statement
  }

  const call = (first: unknown, ...args: unknown[]) =>
    watch((real as unknown as Call)(isTemplate(first) ? rewrite(first) : first, ...args))
  const unsafe = (...args: unknown[]) => watch((real.unsafe as unknown as Call)(...args))
  const begin = (...args: unknown[]) => {
    const start = () => (real.begin as unknown as Call)(...args) as Promise<unknown>
    return run('begin', () => start().finally(changedDue), null)
  }
  return Object.assign(call, { end: real.end, begin, unsafe }) as unknown as Sql & AnySql
}

function isTemplate(first: unknown): first is Template {
  return Array.isArray(first) && 'raw' in first
}

/** Before the label of a statement that says what the acquirer will be asked. */
export const intent_mark = 'intent: '

/** Whether a label is that of a statement that saves how a charge or a decision ended. */
export function isOutcome(label: string): boolean {
  return outcomes.test(label)
}

const outcomes = /^with (gate as \(… \), …, orphan as \(|locked as \(select 1 from sessions where …)/

const labels = new WeakMap<object, string>()

/** The beginning of a statement's text. */
function labelOf(statement: Statement): string {
  const { strings } = statement as unknown as { strings: readonly string[] }
  let label = labels.get(strings)
  if (label === undefined) {
    const text = strings.join('…').replace(/\s+/g, ' ').trim()
    const is_intent = text.includes('insert into acquirer_operations')
    label = (is_intent ? intent_mark : '') + text.slice(0, 70)
    labels.set(strings, label)
  }
  return label
}

/** The tables that say when something is due next. */
const schedule = /acquirer_operations|acquirer_notices|holds|orphan_|webhook_queue/
const schedules = new WeakMap<object, boolean>()

type Text = { strings: readonly string[]; args: unknown[] }

/** Whether a statement or a part of it names one of them. */
function mentionsSchedule({ strings, args }: Text): boolean {
  let found = schedules.get(strings)
  if (found === undefined) {
    found = strings.some((part) => schedule.test(part))
    schedules.set(strings, found)
  }
  return found || args.some((value) => isStatement(value) && mentionsSchedule(value as never))
}

/** `rows` are undefined where it failed: what then happened is not known. */
function changedNothing(label: string, rows: unknown): boolean {
  if (label.startsWith('select ')) return true
  if (rows === undefined) return false
  // A claim of deliveries has a row that says how far it looked.
  if (label.startsWith('with recursive rooms')) {
    return (rows as { delivery_id: string | null }[]).every((row) => row.delivery_id === null)
  }
  return label.startsWith('update ') && (rows as { count: number }).count === 0
}

/** The ids and keys among a statement's values. */
function namesIn(statement: unknown): string[] {
  const { args = [] } = statement as { args?: unknown[] }
  return args.flatMap((value) => {
    if (isStatement(value)) return namesIn(value)
    return typeof value === 'string' && is_name.test(value) ? [value] : []
  })
}

const is_name = /^((cs|pay|att|card)_[0-9a-f]{24}|[0-9a-f]{16}|[0-9a-f]{32})$/
