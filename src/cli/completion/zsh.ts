// The completion script for zsh, which shows what each word means.

import type { Completion, CompletionOption } from './shape.ts'

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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
