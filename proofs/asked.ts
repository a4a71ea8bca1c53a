// What a proof's command was asked for. What it does not understand it refuses: a proof that proves nothing must not pass.

import { parseArgs } from 'node:util'

type Option<Value> = {
  is_flag: boolean
  /** What may stand behind it, for people. */
  value: string
  /** Undefined where the text means nothing. */
  read(text: string): Value | undefined
  otherwise: Value
}

type Values<Options> = {
  [Name in keyof Options]: Options[Name] extends Option<infer V> ? V : never
}

/** Reads the command line. Ends the process where `--help` is asked for, or something that does not exist. */
export function readAsked<Options extends Record<string, Option<unknown>>>(
  command: string,
  options: Options,
): Values<Options> {
  const known = Object.entries(options)
  const types = known.map(([name, { is_flag }]) => [name, { type: typeOf(is_flag) }] as const)
  try {
    const { values } = parseArgs({
      options: { ...Object.fromEntries(types), help: { type: 'boolean' } },
    }) as { values: Record<string, string | boolean | undefined> }
    if (values.help) {
      process.stdout.write(`${usageOf(command, options)}\n`)
      process.exit(0)
    }
    const read = known.map(([name, option]) => [name, readValue(name, option, values[name])])
    return Object.fromEntries(read)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usageOf(command, options)}\n`)
    process.exit(2)
  }
}

export const flag: Option<boolean> = {
  is_flag: true,
  value: '',
  read: () => true,
  otherwise: false,
}

export function text(value: string): Option<string | null>
export function text(value: string, otherwise: string): Option<string>
export function text(value: string, otherwise: string | null = null): Option<string | null> {
  return { is_flag: false, value, read: (given) => given || undefined, otherwise }
}

/** A random one where none is given. */
export function seed(): Option<string> {
  return text('SEED', String(Math.floor(Math.random() * 1e9)))
}

export function count<Otherwise extends number | null>(otherwise: Otherwise, least = 1): Option<number | Otherwise> {
  const read = (given: string) => (/^\d{1,10}$/.test(given) && Number(given) >= least ? Number(given) : undefined)
  const value = `N${otherwise === null ? '' : ` (${otherwise})`}`
  return { is_flag: false, value, read, otherwise }
}

/** A number above 0, such as 0.2. */
export function measure(otherwise: number): Option<number> {
  const read = (given: string) => (/^\d{1,6}(\.\d{1,6})?$/.test(given) && Number(given) > 0 ? Number(given) : undefined)
  return { is_flag: false, value: `N (${otherwise})`, read, otherwise }
}

export function oneOf<Word extends string>(words: readonly Word[]): Option<Word | null> {
  const read = (given: string) => words.find((word) => word === given)
  const value = `NAME, one of\n${words.map((word) => `      ${word}`).join('\n')}`
  return { is_flag: false, value, read, otherwise: null }
}

function typeOf(is_flag: boolean): 'boolean' | 'string' {
  return is_flag ? 'boolean' : 'string'
}

function readValue(name: string, option: Option<unknown>, given?: string | boolean): unknown {
  if (given === undefined) return option.otherwise
  const value = option.read(String(given))
  if (value === undefined) throw new Error(`--${name} ${given} is not understood.`)
  return value
}

function usageOf(command: string, options: Record<string, Option<unknown>>): string {
  const lines = Object.entries(options).map(([name, { value }]) => `  --${name} ${value}`.trimEnd())
  return [`npm run ${command} [-- OPTION …]`, ...lines, 'proofs/README.md says more.'].join('\n')
}
