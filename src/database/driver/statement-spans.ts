// A span for each statement of a traced request. It is called by what the statement does to which tables, as its text says:
// values are parameters and are not in the text.

import type { Span, Tracing } from '../../kernel/tracing.ts'
import { type PreparedForm, sendable } from './spell.ts'
import type { Statement } from './statement.ts'

/** Begins the span of a statement that is sent now; null where nothing is traced. */
export type BeginStatement = (statement: Statement) => Span | null

export function openStatementSpans(tracing: Tracing | null | undefined): BeginStatement {
  if (!tracing) return () => null
  const labels = new WeakMap<PreparedForm, string>()
  const labelled = (statement: Statement): string => {
    const { text, form } = sendable(statement)
    const label = (form && labels.get(form)) ?? labelOf(text)
    if (form) labels.set(form, label)
    return label
  }
  return (statement) => {
    const label = labelled(statement)
    return tracing.step(label, 'client', {
      'db.system.name': 'postgresql',
      'db.query.summary': label,
    })
  }
}

const label_length_max = 120
const write = /\b(insert into|update|delete from)\s+(?:only\s+)?([a-z_][\w.]*)/gi
/** `for update of`, `do update set` and the like write nothing else. */
const otherWords = new Set(['set', 'of', 'skip', 'nowait'])
const readPattern = /\b(?:from|join)\s+(?:only\s+)?([a-z_][\w.]*)(?!\w|\.|\s*\()/gi

/** For example `update sessions, insert events`, or `select payments` if nothing is written. */
export function labelOf(text: string): string {
  const code = text.replace(/--.*$/gm, ' ').replace(/'[^']*'/g, ' ')
  const cteNames = new Set([...code.matchAll(/\b([a-z_]\w*)\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi)].map(nameOf))
  const writes = [...code.matchAll(write)].flatMap(([, verb, table]) =>
    otherWords.has(table!.toLowerCase()) ? [] : [`${verb!.split(/\s/)[0]!.toLowerCase()} ${table}`],
  )
  if (writes.length > 0) return [...new Set(writes)].join(', ').slice(0, label_length_max)
  const table = [...code.matchAll(readPattern)].map(nameOf).find((name) => !cteNames.has(name))
  const [verb = 'statement'] = code.match(/[a-z]+/i) ?? []
  if (verb.toLowerCase() === 'with' || verb.toLowerCase() === 'select') {
    return table === undefined ? 'select' : `select ${table}`
  }
  return verb.toLowerCase()
}

function nameOf([, name]: RegExpMatchArray): string {
  return name!
}
