// The completion script for bash. It works with the bash of macOS (3.2), too, which has no associative arrays.

import type { Completion } from './shape.ts'

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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
