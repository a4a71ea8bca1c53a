// The type of a command, and the reading of its arguments.

import { parseArgs } from 'node:util'
import { paint } from './print.ts'
import { asTyped } from './terminal.ts'

/** The command was called wrongly: exit status 2. */
export class UsageError extends Error {}

/** The command was refused: exit status 1. */
export class CommandError extends Error {}

export type OptionSpec = {
  /** The value's name in the usage; a flag has none. */
  value?: string
  many?: true
  required?: true
  meaning: string
}

export type Options = Record<string, string | string[] | boolean | undefined>

export type Command = {
  /** As the user types it: `merchant create`. */
  name: string
  summary: string
  /** Names of positional arguments. `[NAME]` is optional, `NAME…` may be repeated. */
  positionals?: string[]
  /** The values of the first of them, so that shells can complete it. */
  completes?: readonly string[]
  options: Record<string, OptionSpec>
  /** The command keeps running, and prints one document a line with --json. */
  tells_on?: true
  /** What else its user must know, one paragraph each. */
  remarks?: string[]
  /** May return an exit status other than 0. */
  run(call: { options: Options; positionals: string[]; json: boolean }): Promise<number | undefined>
}

/** Reads a command's arguments. Throws a UsageError that says what is wrong. */
export function readArguments(command: Command, args: string[]) {
  const specs = Object.entries(optionsOf(command))
  const takers = specs.filter(([, { value }]) => value).map(([name]) => `--${name}`)
  try {
    const { values, positionals } = parseArgs({
      args: withNegativeNumbers(args, takers),
      allowPositionals: true,
      options: Object.fromEntries(
        specs.map(([name, spec]) => [
          name,
          { type: spec.value ? ('string' as const) : ('boolean' as const), multiple: spec.many ?? false },
        ]),
      ),
    })
    requireCount(command.positionals ?? [], positionals)
    for (const [name, spec] of specs) {
      if (spec.required && values[name] === undefined) throw new UsageError(`needs --${name}`)
    }
    return { options: values as Options, positionals, json: values.json === true }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(plainly(error as Error & { code?: string }, specs))
  }
}

/** Says what is wrong with the arguments, in our words if the parser's do not help. */
function plainly({ code, message }: Error & { code?: string }, specs: [string, OptionSpec][]): string {
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message
  const [, option] = /'(-[^']*)'/.exec(message) ?? []
  const suggestion = closest(
    option!,
    specs.map(([name]) => `--${name}`),
  )
  return `there is no option ${option}.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`
}

/** Takes a negative number as a value, not as an option. The code that reads the value checks it. */
function withNegativeNumbers(args: string[], takers: string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const takes = takers.includes(joined.at(-1) ?? '')
    joined.push(takes && /^-\d/.test(arg) ? `${joined.pop()}=${arg}` : arg)
  }
  return joined
}

function requireCount(names: string[], positionals: string[]): void {
  const needed = names.filter((name) => !name.startsWith('['))
  if (positionals.length < needed.length) throw new UsageError(`needs ${needed.join(' and ')}`)
  const takes_many = names.some((name) => name.includes('…'))
  if (positionals.length > names.length && !takes_many) {
    throw new UsageError(`takes no argument such as ${positionals[names.length]}`)
  }
}

/** All options of a command, including `--json`. */
export function optionsOf({ options, tells_on }: Command): Record<string, OptionSpec> {
  const documents = tells_on ? 'JSON documents, one a line,' : 'one JSON document'
  return { ...options, json: { meaning: `print ${documents} and nothing else` } }
}

/** The usage of one command, with one line for each option. */
export function usageOf(command: Command): string {
  const entries = Object.entries(optionsOf(command))
  const names = (command.positionals ?? []).map((name) => ` ${name}`).join('')
  const lefts = entries.map(([name, { value, many }]) => `  --${name}${value ? ` ${value}` : ''}${many ? ' …' : ''}`)
  const width = Math.max(35, ...lefts.map((left) => left.length)) + 2
  const lines = entries.map(
    ([, { meaning, required }], index) => `${lefts[index]!.padEnd(width)}${meaning}${required ? ' (required)' : ''}`,
  )
  const title = paint('bold', asTyped(`ripper ${command.name}${names}`))
  const remarks = (command.remarks ?? []).map((remark) => `\n${asTyped(remark)}\n`).join('')
  return `${title}\n\n${command.summary}.\n\n${lines.join('\n')}\n${remarks}`
}

/** Commands under a heading. */
export type Section = { title: string; commands: Command[] }

/** The word with the fewest slips; null if none is near. */
export function closest(typed: string, words: readonly string[]): string | null {
  const most = Math.max(1, Math.min(3, Math.floor(typed.length / 3)))
  const [best] = words
    .map((word) => ({ word, slips: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
  return best?.word ?? null
}

/** The number of slips between two texts: characters left out, added, changed, or swapped with the next. */
export function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const here = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const is_same = from[row - 1] === to[column - 1]
      let slips = Math.min(last[column]! + 1, here[column - 1]! + 1, last[column - 1]! + Number(!is_same))
      const is_swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && is_swapped) slips = Math.min(slips, before[column - 2]! + 1)
      here.push(slips)
    }
    before = last
    last = here
  }
  return last[to.length]!
}
