// The command line: finds the command, reads its arguments, and turns failures into an exit status.

import { Refusal } from '../kernel/errors.ts'
import { release } from '../kernel/version.ts'
import { commands, sections } from './commands.ts'
import { groupOf, overview, strangerWords } from './help.ts'
import { ServiceError } from './service/call.ts'
import { type Command, readArguments, UsageError, usageOf } from './terminal/command.ts'
import { paintError } from './terminal/print.ts'
import { asTyped, terminal } from './terminal/terminal.ts'

/** Runs the command of this process. Returns its exit status. */
export function main(args: string[]): Promise<number> {
  // It is no failure if a reader such as `head` stops reading.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  return runCommand(args)
}

/** Returns the exit status: 0 for success, 1 if the command was refused or failed, 2 if it was called wrongly. */
export async function runCommand(args: string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-v') {
    terminal().stdout.write(`${release()}\n`)
    return 0
  }
  const wants_help = args.includes('--help') || args.includes('-h')
  const command = commands.find(({ name }) => isPrefix(name.split(' '), args))
  if (!command) return withoutCommand(args, wants_help)
  if (wants_help) {
    terminal().stdout.write(usageOf(command))
    return 0
  }
  try {
    const call = readArguments(command, args.slice(command.name.split(' ').length))
    return (await command.run(call)) ?? 0
  } catch (error) {
    return tell(command, error, args.includes('--json'))
  }
}

/** Prints the whole list, or that of a group such as `merchant`. An unknown word gets a line of its own. */
function withoutCommand(args: string[], wants_help: boolean): number {
  const words = args.filter((each) => !each.startsWith('-'))
  const group = words.length === 1 ? groupOf(sections, words[0]!) : []
  if (words.length === 0 || (group.length > 0 && wants_help)) {
    const option = args.find((each) => !['--help', '-h', '--json'].includes(each))
    if (option !== undefined && !wants_help) return wrong(`there is no option ${option}`, args)
    terminal().stdout.write(overview(group.length > 0 ? group : sections))
    return wants_help ? 0 : 2
  }
  if (group.length === 0) return wrong(strangerWords(commands, words), args)
  return wrong(`${words[0]} needs one of these`, args, `\n${overview(group)}`)
}

function wrong(message: string, args: string[], more = ''): number {
  if (args.includes('--json')) {
    terminal().stdout.write(`${JSON.stringify({ error: 'usage', message })}\n`)
  }
  terminal().stderr.write(`${paintError('ripper:')} ${asTyped(message)}\n${more}`)
  return 2
}

function tell(command: Command, error: unknown, json: boolean): number {
  const usage = error instanceof UsageError
  const { message } = error as Error
  if (json) {
    const request = error instanceof ServiceError && { request_id: error.request_id }
    const document = { error: usage ? 'usage' : codeOf(error), message, ...request }
    terminal().stdout.write(`${JSON.stringify(document)}\n`)
  }
  terminal().stderr.write(`${paintError(`ripper ${command.name}:`)} ${asTyped(message)}\n`)
  const has_more = usage && command.name !== 'help'
  if (has_more) terminal().stderr.write(asTyped(`See: ripper help ${command.name}\n`))
  return usage ? 2 : 1
}

function codeOf(error: unknown): string {
  return error instanceof Refusal || error instanceof ServiceError ? error.code : 'failed'
}

function isPrefix(words: string[], args: string[]): boolean {
  return words.every((word, index) => args[index] === word)
}
