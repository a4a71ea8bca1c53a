// `ripper completion`: prints what a shell needs to complete commands, options and values, from the table of commands.

import { type Command, UsageError } from '../terminal/command.ts'
import { printJson } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { completionOf } from './shape.ts'
import { zshScript } from './zsh.ts'

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
