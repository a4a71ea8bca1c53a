// The text of a statement, built once for all statements that are written with the same templates in the same places. The
// driver would build it each time, and look up what it has prepared by all of the text.

import { Statement, type Values } from './statement.ts'

/**
 * `name`: the same for the same text with values of the same types, and for no others. It is a class, and its values begin as a copy,
 * because of how the engine learns: if those of the first seconds live on, it would make all later ones in the old heap, where each
 * keeps its values until the whole heap is collected.
 */
export class Spelled {
  readonly text: string
  readonly values: unknown[]
  readonly name: string
  readonly origin: string

  constructor(text: string, values: unknown[], name: string, origin: string) {
    this.text = text
    this.values = values
    this.name = name
    this.origin = origin
  }
}

const no_values: readonly unknown[] = []

/** Where a statement was first written, as the driver adds it to the stack of a failure. */
type Origin = { stack: string }

type Text = { text: string; names: { types: number[]; name: string }[]; origin: Origin }

/**
 * A place in a statement that is read from left to right. Templates know how many values they take, so those before it, and
 * how many values stand between them, say where it is.
 */
type Place = { parts: Part[]; whole: Text | null }
type Part = { values_before: number; strings: readonly string[]; place: Place }

const beginnings = new Map<readonly string[], { origin: Origin; place: Place }>()
let texts = 0

/** Notes where a template is written, the first time that it is. */
export function noteOrigin(strings: readonly string[], above: object): void {
  if (beginnings.has(strings)) return
  const origin = { stack: '' }
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 4
  Error.captureStackTrace(origin, above as () => void)
  Error.stackTraceLimit = limit
  beginnings.set(strings, { origin, place: { parts: [], whole: null } })
}

/** Null for a statement that only the driver can spell: one with a helper of its own, or a list of parts. */
export function spell(statement: Statement): Spelled | null {
  const { strings, unsafe } = statement
  const beginning = beginnings.get(strings)
  if (!beginning || unsafe !== null) return null
  const values = no_values.slice()
  const place = walk(beginning.place, statement, values)
  if (place === null) return null
  place.whole ??= { text: textOf(statement, { values: 0 }), names: [], origin: beginning.origin }
  const { text, origin } = place.whole
  return new Spelled(text, values, nameOf(place.whole, values), origin.stack)
}

/** The place behind a statement's last part. */
function walk(from: Place, { args }: Statement, values: unknown[]): Place | null {
  let place = from
  for (const arg of args) {
    if (arg instanceof Statement && arg.unsafe === null) {
      const next = walk(placeOf(place, values.length, arg.strings), arg, values)
      if (next === null) return null
      place = next
    } else if (isForDriver(arg)) return null
    else values.push(arg)
  }
  return place
}

function placeOf({ parts }: Place, values_before: number, strings: readonly string[]): Place {
  for (const part of parts) {
    if (part.strings === strings && part.values_before === values_before) return part.place
  }
  const place: Place = { parts: [], whole: null }
  parts.push({ values_before, strings, place })
  return place
}

/** What the driver makes of statements and of its helpers looks like a promise, and no value does. */
function isForDriver(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return isForDriver(value[0])
  return typeof (value as { then?: unknown }).then === 'function'
}

function textOf({ strings, args }: Statement, count: { values: number }): string {
  let text = strings[0]!
  for (const [at, arg] of args.entries()) {
    if (arg instanceof Statement) text += textOf(arg, count)
    else {
      count.values += 1
      text += `$${count.values}`
    }
    text += strings[at + 1]
  }
  return text
}

function nameOf({ names }: Text, values: Values): string {
  for (const { types, name } of names) {
    if (values.every((value, at) => typeOf(value) === types[at])) return name
  }
  texts += 1
  const name = `# ${texts}`
  names.push({ types: values.map(typeOf), name })
  return name
}

/** The type that the driver takes a value to have: PostgreSQL prepares a statement for types, and 0 leaves one to it. */
function typeOf(value: unknown): number {
  if (typeof value === 'boolean') return 16
  if (typeof value === 'bigint') return 20
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Date) return 1184
  if (value instanceof Uint8Array) return 17
  return Array.isArray(value) ? typeOf(value[0]) : 0
}
