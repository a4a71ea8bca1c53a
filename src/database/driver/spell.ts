// The text of a statement, built once for all statements that are written with the same templates in the same places.

import { Statement, type Values } from './statement.ts'
import { typeOf } from './types.ts'

/**
 * `form`: the same for the same text with values of the same types, and for no others. It is a class, and its values
 * begin as a copy, because of how the engine learns. If the values of the first seconds live on, it would make all
 * later ones in the old heap, where each keeps its values until the whole heap is collected.
 */
export class Spelled {
  readonly text: string
  readonly values: unknown[]
  readonly form: PreparedForm
  readonly origin: string

  constructor(text: string, values: unknown[], form: PreparedForm, origin: string) {
    this.text = text
    this.values = values
    this.form = form
    this.origin = origin
  }
}

/** What PostgreSQL prepares: a text for declared types. */
export type PreparedForm = {
  declared_types: readonly number[]
  /** The types that PostgreSQL gave the parameters; null until it was asked. */
  parameter_types: readonly number[] | null
}

const no_values: readonly unknown[] = []

/** The place where a statement was first written, which is added to the stack of a failure. */
type Origin = { stack: string }

type Text = { text: string; forms: PreparedForm[]; origin: Origin }

/**
 * A place in a statement that is read from left to right. A template knows how many values it takes. So the earlier
 * templates, and the number of values between them, identify the place.
 */
type TextPosition = { parts: Part[]; whole: Text | null }
type Part = { values_before: number; strings: readonly string[]; place: TextPosition }

const beginnings = new Map<readonly string[], { origin: Origin; place: TextPosition }>()

/** Notes where a template is written, the first time it occurs. */
export function noteOrigin(strings: readonly string[], above: object): void {
  if (beginnings.has(strings)) return
  const origin = { stack: '' }
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 4
  Error.captureStackTrace(origin, above as () => void)
  Error.stackTraceLimit = limit
  beginnings.set(strings, { origin, place: { parts: [], whole: null } })
}

/** `text`: may consist of several statements, and is not prepared. */
export type SendableStatement = Spelled | { text: string; values: []; form: null; origin: string }

/** A statement that is sent now, spelled. */
export function sendable(statement: Statement): SendableStatement {
  const is_plain = statement.is_text && statement.args.length === 0
  return is_plain ? plainStatement(statement.strings[0]!) : spell(statement)
}

export function plainStatement(text: string): SendableStatement {
  return { text, values: [], form: null, origin: '' }
}

export function spell(statement: Statement): Spelled {
  const beginning = beginnings.get(statement.strings)
  const values = no_values.slice()
  const place = beginning ? walk(beginning.place, statement, values) : null
  if (place === null) return spellByText(statement)
  place.whole ??= { text: textOf(statement, []), forms: [], origin: beginning!.origin }
  return spelledAs(place.whole, values)
}

const texts = new Map<string, Text>()

/** One in which a text of its own stands, or that is one: only what comes out shows what it is. */
function spellByText(statement: Statement): Spelled {
  const values: unknown[] = []
  const text = textOf(statement, values)
  const entry = texts.get(text) ?? { text, forms: [], origin: { stack: '' } }
  texts.set(text, entry)
  return spelledAs(entry, values)
}

function spelledAs(entry: Text, values: unknown[]): Spelled {
  return new Spelled(entry.text, values, formOf(entry, values), entry.origin.stack)
}

/** The place behind a statement's last part; null if a text of its own is among them. */
function walk(from: TextPosition, { args }: Statement, values: unknown[]): TextPosition | null {
  let place = from
  for (const arg of args) {
    if (!(arg instanceof Statement)) {
      values.push(arg)
      continue
    }
    if (arg.is_text) return null
    const next = walk(placeOf(place, values.length, arg.strings), arg, values)
    if (next === null) return null
    place = next
  }
  return place
}

function placeOf({ parts }: TextPosition, values_before: number, strings: readonly string[]): TextPosition {
  for (const part of parts) {
    if (part.strings === strings && part.values_before === values_before) return part.place
  }
  const place: TextPosition = { parts: [], whole: null }
  parts.push({ values_before, strings, place })
  return place
}

/** Adds the values that stand in the text. */
function textOf({ strings, args, is_text }: Statement, values: unknown[]): string {
  if (is_text) {
    values.push(...args)
    return strings[0]!
  }
  let text = strings[0]!
  for (const [at, arg] of args.entries()) {
    if (arg instanceof Statement) text += textOf(arg, values)
    else text += `$${values.push(arg)}`
    text += strings[at + 1]
  }
  return text
}

function formOf({ forms }: Text, values: Values): PreparedForm {
  for (const form of forms) {
    if (values.every((value, at) => typeOf(value) === form.declared_types[at])) return form
  }
  const form: PreparedForm = {
    declared_types: values.map(typeOf),
    parameter_types: values.length === 0 ? [] : null,
  }
  forms.push(form)
  return form
}
