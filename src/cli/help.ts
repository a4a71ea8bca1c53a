// `ripper help`: shows all commands, a group of them, or one with its options. Suggests a command for a mistyped word.

import { type Command, closest, type Section, UsageError, usageOf } from './terminal/command.ts'
import { paint, printJson } from './terminal/print.ts'
import { asTyped, terminal } from './terminal/terminal.ts'

/** `sections` is read only when the command runs, because the command is itself among them. */
export function helpCommand(sections: () => Section[]): Command {
  return {
    name: 'help',
    summary: 'Shows all commands, those that begin with a word, or one with its options',
    positionals: ['[COMMAND…]'],
    options: {},
    async run({ positionals, json }) {
      const text = helpOf(sections(), positionals)
      if (json) printJson({ help: text })
      else terminal().stdout.write(text)
      return 0
    },
  }
}

function helpOf(sections: Section[], words: string[]): string {
  if (words.length === 0) return overview(sections)
  const commands = sections.flatMap((section) => section.commands)
  const command = commands.find(({ name }) => name === words.join(' '))
  if (command) return usageOf(command)
  const group = words.length === 1 ? groupOf(sections, words[0]!) : []
  if (group.length > 0) return overview(group)
  throw new UsageError(strangerWords(commands, words))
}

/** The commands that begin with a word, under their headings. */
export function groupOf(sections: Section[], word: string): Section[] {
  return sections
    .map(({ title, commands }) => ({ title, commands: commands.filter(({ name }) => name.split(' ')[0] === word) }))
    .filter(({ commands }) => commands.length > 0)
}

export function overview(sections: Section[]): string {
  const width = 2 + Math.max(...sections.flatMap((each) => each.commands.map(nameLength)))
  const blocks = sections.map(({ title, commands }) => {
    const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`)
    return `${paint('bold', title)}\n${lines.join('')}`
  })
  const [usage, more] = ['Usage: ripper COMMAND [options]', 'ripper help COMMAND shows its options.']
  return `${asTyped(usage)}\n\n${blocks.join('\n')}\n${asTyped(more)}\n`
}

const nameLength = ({ name }: Command) => name.length

/** The answer to an unknown command, in one line. */
export function strangerWords(commands: Command[], words: string[]): string {
  const names = commands.map(({ name }) => name)
  const firsts = [...new Set(names.map((name) => name.split(' ')[0]!))]
  const [first, second] = words as [string, string | undefined]
  const typed = second === undefined ? first : `${first} ${second}`
  const sayable = second === undefined ? [...firsts, ...names] : names
  const suggestion =
    closest(typed, sayable) ??
    names.find((name) => name === `${second} ${first}`) ??
    closest(
      first,
      firsts.filter((each) => each !== first),
    )
  const advice = firsts.includes(first) ? `ripper help ${first}` : 'ripper help'
  const hint = suggestion === null ? `${advice} lists them.` : `Did you mean ripper ${suggestion}?`
  return `there is no command ${typed}. ${hint}`
}
