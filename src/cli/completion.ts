// `ripper completion`: prints what a shell needs to complete commands, options and values, from the table of commands.

import { type Command, optionsOf, UsageError } from './terminal/command.ts'
import { printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** `commands` is read only when the command runs, because the command is itself among them. */
export function completionCommand(commands: () => Command[]): Command {
  return {
    name: 'completion',
    summary: 'Prints a script that lets bash, zsh or fish complete commands and options',
    positionals: ['bash|zsh|fish'],
    options: {},
    remarks: [
      'bash, in ~/.bashrc:                   source <(ripper completion bash)\n' +
        'zsh, in ~/.zshrc, behind compinit:    source <(ripper completion zsh)\n' +
        'fish, once:                           ripper completion fish > ~/.config/fish/completions/ripper.fish',
      "Shells complete only commands that they know. Without a global install, use alias ripper='npx ripper'.",
    ],
    async run({ positionals, json }) {
      const [shell] = positionals as [string]
      if (!Object.hasOwn(scripts, shell)) {
        throw new UsageError(`completes for ${Object.keys(scripts).join(', ')}, not ${shell}`)
      }
      const script = scripts[shell as keyof typeof scripts](completionOf(commands()))
      if (json) printJson({ shell, script })
      else terminal().stdout.write(script)
      return 0
    },
  }
}

/** The completion script for bash. It works with the bash of macOS (3.2), too, which has no associative arrays. */
export function bashScript({ firsts, groups, commands }: Completion): string {
  const group_words = groups.map(({ word }) => word)
  return `# Completion of ripper for bash. Made by: ripper completion bash

_ripper() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(wordsIn(firsts))} -- "$cur"))
    return
  fi
  case "$command" in
    ${group_words.join('|')})
      if [ "$COMP_CWORD" -eq 2 ]; then
        case "$command" in
${groups.map(({ word, seconds }) => `          ${word}) words=${quoted(wordsIn(seconds))} ;;`).join('\n')}
        esac
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        return
      fi
      command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command $prev" in
${valueCases(commands).join('\n')}
  esac
  case "$cur" in
    -*) case "$command" in
${commands.map(({ name, options }) => `      ${quoted(name)}) words=${quoted(options.map((each) => each.name).join(' '))} ;;`).join('\n')}
    esac ;;
    *) case "$command" in
${argumentCases(commands).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _ripper ripper
`
}

/** After an option that takes a value, only its values are completed. */
function valueCases(commands: Completion['commands']): string[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ name: option, value }) => {
        const found =
          value === 'file'
            ? `local IFS=$'\\n'; compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur")); `
            : Array.isArray(value)
              ? `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$cur")); `
              : ''
        return `    ${quoted(`${name} ${option}`)}) ${found}return ;;`
      }),
  )
}

function argumentCases(commands: Completion['commands']): string[] {
  return commands
    .filter((command) => command.arguments.length > 0)
    .map(({ name, arguments: words }) => `      ${quoted(name)}) words=${quoted(words.join(' '))} ;;`)
}

const wordsIn = (all: { word: string }[]) => all.map(({ word }) => word).join(' ')

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

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

/** The commands as completion scripts need them: words, the words that follow them, options and their values. */
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

/** The completion script for zsh, which shows what each word means. */
export function zshScript({ firsts, groups, commands }: Completion): string {
  const group_words = groups.map(({ word }) => word)
  return `#compdef ripper
# Completion of ripper for zsh. Made by: ripper completion zsh

_ripper() {
  local command=\${words[2]} previous=\${words[CURRENT-1]}
  local -a found
  if (( CURRENT == 2 )); then
    found=(${described(firsts)})
    _describe -t commands 'ripper command' found
    return
  fi
  case $command in
    (${group_words.join('|')})
      if (( CURRENT == 3 )); then
        case $command in
${groups.map(({ word, seconds }) => `          (${word}) found=(${described(seconds)}) ;;`).join('\n')}
        esac
        _describe -t commands "ripper $command" found
        return
      fi
      command="$command \${words[3]}" ;;
  esac
  case "$command $previous" in
${commands.flatMap(({ name, options }) => options.flatMap((option) => valueCase(name, option))).join('\n')}
  esac
  case $command in
${commands.map(({ name, options }) => `    (${quoted(name)}) found=(${described(options.map((each) => ({ word: each.name, meaning: each.meaning })))}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o -t options option found
    return
  fi
  case $command in
${commands.flatMap(({ name, arguments: words }) => (words.length > 0 ? [`    (${quoted(name)}) compadd -- ${words.join(' ')} ;;`] : [])).join('\n')}
    (*) _describe -o -t options option found ;;
  esac
}

if [[ $funcstack[1] == _ripper ]]; then
  _ripper "$@"
else
  compdef _ripper ripper
fi
`
}

function valueCase(command: string, { name, meaning, value }: CompletionOption): string[] {
  if (value === 'none') return []
  const found =
    value === 'file' ? '_files' : Array.isArray(value) ? `compadd -- ${value.join(' ')}` : `_message ${quoted(meaning)}`
  return [`    (${quoted(`${command} ${name}`)}) ${found}; return ;;`]
}

/** Each as `word:meaning`. */
function described(all: { word: string; meaning: string }[]): string {
  return all.map(({ word, meaning }) => quoted(`${word}:${meaning}`)).join(' ')
}

/** The completion script for fish, which shows what each word means. */
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
  return `complete -c ripper -n ${quotedForFish(`__ripper_at ${before}`.trim())} -a ${word} -d ${quotedForFish(meaning)}`
}

function commandLines({ name, options, arguments: words }: CompletionCommand): string[] {
  const inside = quotedForFish(`__ripper_in ${name}`)
  return [
    ...(words.length > 0 ? [`complete -c ripper -n ${inside} -a ${quotedForFish(words.join(' '))}`] : []),
    ...options.map((option) => `complete -c ripper -n ${inside} ${optionWords(option)}`),
  ]
}

function optionWords({ name, meaning, value }: CompletionOption): string {
  const takes = {
    none: '',
    file: ' -r -F',
    any: ' -x',
    words: Array.isArray(value) ? ` -x -a ${quotedForFish(value.join(' '))}` : '',
  }
  const kind = Array.isArray(value) ? 'words' : (value as 'none' | 'file' | 'any')
  return `-l ${name.slice(2)}${takes[kind]} -d ${quotedForFish(meaning)}`
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
