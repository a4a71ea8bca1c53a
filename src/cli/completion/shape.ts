// The commands as completion scripts need them: words, the words that follow them, options and their values.

import { type Command, optionsOf } from '../terminal/command.ts'

export type CompletionOption = {
  /** With its two dashes. */
  name: string
  meaning: string
  /** `none` for a flag, `any` for a value that cannot be listed. */
  value: 'none' | 'file' | 'any' | string[]
}

export type CompletionCommand = {
  /** As the user types it: one word, or two. */
  name: string
  summary: string
  options: CompletionOption[]
  /** The words that may follow the command. */
  arguments: string[]
}

export type Completion = {
  /** The words that may come first. */
  firsts: { word: string; meaning: string }[]
  /** The words that another word must follow. */
  groups: { word: string; seconds: { word: string; meaning: string }[] }[]
  commands: CompletionCommand[]
}

export function completionOf(commands: Command[]): Completion {
  const byFirst = Map.groupBy(commands, ({ name }) => name.split(' ')[0]!)
  const groups = [...byFirst].filter(([word, all]) => all[0]!.name !== word)
  const firsts = [...byFirst].map(([word, [first, ...others]]) => ({
    word,
    meaning: first!.name === word ? first!.summary : secondsOf([first!, ...others]).join(', '),
  }))
  return {
    firsts,
    groups: groups.map(([word, all]) => ({
      word,
      seconds: all.map(({ name, summary }) => ({ word: name.split(' ')[1]!, meaning: summary })),
    })),
    commands: commands.map((command) => shaped(command, [...byFirst.keys()])),
  }
}

function shaped(command: Command, firsts: string[]): CompletionCommand {
  const { name, summary, positionals = [], completes = [] } = command
  const options = Object.entries({ ...optionsOf(command), help: { meaning: 'show the options' } })
  return {
    name,
    summary,
    arguments: name === 'help' ? firsts : [...completes, ...positionals.flatMap(wordsOf)],
    options: options.map(([option, { value, meaning }]: [string, Spec]) => ({
      name: `--${option}`,
      meaning,
      value: value === undefined ? 'none' : valuesOf(value),
    })),
  }
}

type Spec = { value?: string; meaning: string }

function valuesOf(value: string): CompletionOption['value'] {
  if (value.startsWith('FILE')) return 'file'
  const words = wordsOf(value)
  return words.length > 0 ? words : 'any'
}

/** The values of `auto|test`. None for a description such as URL. */
function wordsOf(value: string): string[] {
  return /^[a-z_|.]+\|[a-z_|.]+$/.test(value) ? value.split('|') : []
}

const secondsOf = (commands: Command[]) => commands.map(({ name }) => name.split(' ')[1]!)
