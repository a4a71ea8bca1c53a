// Options of commands with what they take. A value is judged by a schema, by that of a route where one takes the same,
// so that both refuse the same; the refusal names the option.

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { fieldPath } from '../../http/field-path.ts'
import { wordsOf } from '../../http/validate.ts'
import { type Command, type OptionSpec, type Options, UsageError } from './command.ts'

/** An option, and how its value comes from what was typed, which is undefined where it was left out. */
export type Option<Value> = OptionSpec & { read(typed: Options[string], name: string): Value }

type AnyOption = Option<unknown>
/** What a command is given for its options. */
export type ValuesOf<Specs> = { [Name in keyof Specs]: Specs[Name] extends Option<infer Value> ? Value : never }

type Call<Specs> = { options: ValuesOf<Specs>; positionals: string[]; json: boolean }

/** A command whose options are read before it runs. */
export function command<Specs extends Record<string, AnyOption>>(
  record: Omit<Command, 'options' | 'run'> & {
    options: Specs
    // biome-ignore lint/suspicious/noConfusingVoidType: most commands have no exit status of their own.
    run(call: Call<Specs>): Promise<number | void>
  },
): Command {
  const { options: specs } = record
  return {
    ...record,
    run: async ({ options, ...call }) => {
      const values = Object.entries(specs).map(([name, { read }]) => [name, read(options[name], name)])
      return (await record.run({ ...call, options: Object.fromEntries(values) })) ?? undefined
    },
  }
}

/** Is there or not. */
export function flag(meaning: string): Option<boolean> {
  return { meaning, read: (typed) => typed === true }
}

/**
 * Takes what its schema takes: text, a whole number, one of some words, a list of them, or JSON from a file. `value` is what usages
 * call it; null for the words themselves.
 */
export function option(value: string, meaning: string): Option<string | undefined>
export function option<Schema extends z.ZodType>(
  value: string | null,
  meaning: string,
  schema: Schema,
): Option<z.output<Schema> | undefined>
export function option(value: string | null, meaning: string, schema: z.ZodType = z.string()): AnyOption {
  const kind = kindOf(schema)
  if (kind.is === 'flag') return { meaning, read: (typed) => (typed === true ? true : undefined) }
  const words = kind.words?.join('|')
  return {
    value: value ?? words ?? (kind.is === 'number' ? 'N' : 'FILE.json'),
    ...(kind.is === 'list' && { many: true as const }),
    meaning,
    read: (typed, name) => (typed === undefined ? undefined : judged(schema, kind, typed, name)),
  }
}

/** The same option where it has to be given. */
export function needed<Value>(spec: Option<Value>): Option<Exclude<Value, undefined>> {
  return { ...spec, required: true } as Option<Exclude<Value, undefined>>
}

/** The same option with a value for where it is left out. */
export function withDefault<Value>(
  spec: Option<Value>,
  other: NoInfer<Exclude<Value, undefined>>,
): Option<Exclude<Value, undefined>> {
  const read = (typed: Options[string], name: string) => spec.read(typed, name) ?? other
  return { ...spec, read: read as Option<Exclude<Value, undefined>>['read'] }
}

/** A whole number from 1. */
export const wholeNumber = (most: number) => z.int().min(1).max(most)

/** One of some words that only a running command knows. */
export function choiceOf<Word extends string>(
  name: string,
  typed: string | undefined,
  words: readonly Word[],
): Word | null {
  if (typed === undefined) return null
  const word = words.find((each) => each === typed)
  if (!word) throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
  return word
}

/** A time, however much of it was typed. */
export const time = z
  .string()
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
    'must be an ISO 8601 time such as 2027-01-31T12:00:00Z',
  )
  .transform((text) => new Date(text))

/** How a member of a body is typed: the option's name, what usages call its value (null for what the schema knows), its meaning. */
type Words = readonly [name: string, value: string | null, meaning: string]

/** Options that set members of a body. */
export function memberOptions<Body extends z.ZodObject, Member extends keyof Body['shape'] & string>(
  body: Body,
  words: Record<Member, Words>,
) {
  const entries = Object.entries(words) as [Member, Words][]
  const schemas = body.shape as Record<Member, z.ZodType>
  const nameOf = (member: string) => words[member as Member]?.[0] ?? member
  return {
    options: Object.fromEntries(
      entries.map(([member, [name, value, meaning]]) => [name, option(value, meaning, schemas[member])]),
    ) as Record<string, AnyOption>,
    /** The members whose options were typed. */
    bodyIn(options: Record<string, unknown>): Partial<Pick<z.output<Body>, Member>> {
      const members = entries.map(([member, [name]]) => [member, options[name]])
      return Object.fromEntries(members.filter(([, value]) => value !== undefined))
    },
    nameOf,
    /** The members that may be empty: null, or a list without entries. */
    clearable: entries
      .map(([member]) => member)
      .filter((member) => schemas[member].safeParse(null).success || schemas[member].safeParse([]).success),
  }
}

type Kind = { is: 'flag' | 'text' | 'number' | 'list' | 'file'; words?: readonly string[]; bounds?: string }

function kindOf(schema: z.ZodType): Kind {
  const { type } = schema.def
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return kindOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return kindOf(schema.in as z.ZodType)
  if (schema instanceof z.ZodEnum) return { is: 'text', words: schema.options.map(String) }
  if (schema instanceof z.ZodNumber) {
    return { is: 'number', bounds: `must be a whole number from ${schema.minValue} to ${schema.maxValue}` }
  }
  if (schema instanceof z.ZodArray) {
    const { is, words } = kindOf(schema.element as z.ZodType)
    return is === 'text' ? { is: 'list', ...(words && { words }) } : { is: 'file' }
  }
  return { is: type === 'boolean' ? 'flag' : type === 'object' || type === 'record' ? 'file' : 'text' }
}

function judged(schema: z.ZodType, kind: Kind, typed: Options[string], name: string): unknown {
  const parsed = schema.safeParse(inputOf(kind, typed, name), { error: wordsOf })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (kind.is !== 'file') throw new UsageError(`--${name} ${kind.bounds ?? issue!.message}`)
  const { path, message } = issue!
  const [unknown] = issue!.code === 'unrecognized_keys' ? issue!.keys : []
  if (unknown !== undefined) throw new UsageError(`--${name}: ${fieldPath([...path, unknown])}: is not known`)
  throw new UsageError(`--${name}: ${fieldPath(path) || 'the file'}: ${message}`)
}

function inputOf({ is, words }: Kind, typed: Options[string], name: string): unknown {
  if (is === 'number') return /^\d+$/.test(typed as string) ? Number(typed) : Number.NaN
  if (is === 'file') return jsonIn(typed as string, name)
  if (is !== 'list') return typed
  // Words are repeated, or stand between commas; each counts once.
  return words ? [...new Set((typed as string[]).flatMap((each) => each.split(',')))] : typed
}

function jsonIn(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`--${name} must name a readable JSON file: ${(error as Error).message}`)
  }
}
