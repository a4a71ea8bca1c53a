// The completion script for fish, which shows what each word means.

import type { Completion, CompletionCommand, CompletionOption } from './shape.ts'

export function fishScript({ firsts, groups, commands }: Completion): string {
  const lines = [
    ...firsts.map(({ word, meaning }) => wordLine('', word, meaning)),
    ...groups.flatMap(({ word, seconds }) => seconds.map((second) => wordLine(word, second.word, second.meaning))),
    ...commands.flatMap(commandLines),
  ]
  return `# Completion of ripper for fish. Made by: ripper completion fish

# Whether these words alone were typed so far.
function __ripper_at
  set -l typed (commandline -opc)
  test "$typed[2..-1]" = "$argv"
end

# Whether what was typed begins with these words.
function __ripper_in
  set -l typed (commandline -opc)
  set -l last (math (count $argv) + 1)
  test (count $typed) -ge $last; and test "$typed[2..$last]" = "$argv"
end

complete -c ripper -f
${lines.join('\n')}
`
}

function wordLine(before: string, word: string, meaning: string): string {
  return `complete -c ripper -n ${quoted(`__ripper_at ${before}`.trim())} -a ${word} -d ${quoted(meaning)}`
}

function commandLines({ name, options, arguments: words }: CompletionCommand): string[] {
  const inside = quoted(`__ripper_in ${name}`)
  return [
    ...(words.length > 0 ? [`complete -c ripper -n ${inside} -a ${quoted(words.join(' '))}`] : []),
    ...options.map((option) => `complete -c ripper -n ${inside} ${optionWords(option)}`),
  ]
}

function optionWords({ name, meaning, value }: CompletionOption): string {
  const takes = {
    none: '',
    file: ' -r -F',
    any: ' -x',
    words: Array.isArray(value) ? ` -x -a ${quoted(value.join(' '))}` : '',
  }
  const kind = Array.isArray(value) ? 'words' : (value as 'none' | 'file' | 'any')
  return `-l ${name.slice(2)}${takes[kind]} -d ${quoted(meaning)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
