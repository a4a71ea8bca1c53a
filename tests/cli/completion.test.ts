// `ripper completion`: each script knows every command and option, and the shells that are installed complete by it.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { bashScript, completionOf, fishScript, zshScript } from '../../src/cli/completion.ts'
import { optionsOf } from '../../src/cli/terminal/command.ts'
import { ripper } from '../support/programs.ts'

const shape = completionOf(commands)
const scripts = { bash: bashScript(shape), zsh: zshScript(shape), fish: fishScript(shape) }
const shells = ['bash', 'zsh', 'fish'] as const

const folder = mkdtempSync(join(tmpdir(), 'ripper-completion-'))
const pathOf = (shell: string) => join(folder, `ripper.${shell}`)
beforeAll(() => {
  for (const shell of shells) writeFileSync(pathOf(shell), scripts[shell])
  writeFileSync(join(folder, 'two words.json'), '[]')
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each(shells)('%s gets every command and option', async (shell) => {
  for (const command of commands) {
    for (const word of command.name.split(' ')) expect(scripts[shell]).toContain(word)
    for (const option of Object.keys(optionsOf(command))) {
      expect(scripts[shell]).toMatch(new RegExp(`(--|-l )${option}\\b`))
    }
  }
  expect((await ripper(['completion', shell])).stdout).toBe(scripts[shell])
})

test('another shell', async () => {
  const { status, stderr } = await ripper(['completion', 'tcsh'])
  expect([status, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish, not tcsh')])
})

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0

function said(shell: string, args: string[], env: Record<string, string> = {}): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 15_000,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb', ...env },
  })
  return stdout + stderr
}

/** What may be typed at the end of a line. */
const completed = {
  bash(line: string): string[] {
    const words = line.split(' ')
    const script =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash that expands it.
      'set -u; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ripper; for word in "${COMPREPLY[@]}"; do echo "$word"; done'
    return said('bash', ['-c', script, 'bash', pathOf('bash'), ...words])
      .trim()
      .split('\n')
  },
  fish(line: string): string[] {
    const script = `source ${pathOf('fish')}; complete -C '${line}'`
    const lines = said('fish', ['--no-config', '-c', script]).trim().split('\n')
    return lines.map((each) => each.split('\t')[0]!)
  },
}

describe.each(['bash', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!isThere(shell)).each<[string, string[]]>([
    ['ripper integ', ['integration']],
    ['ripper integration ', ['create', 'delete', 'list', 'update']],
    ['ripper integration up', ['update']],
    ['ripper integration create --mode-setting ', ['auto', 'test']],
    ['ripper integration update --add', ['--add-origin']],
    ['ripper serve --', ['--demo', '--help', '--json']],
    ['ripper completion ', ['bash', 'fish', 'zsh']],
    ['ripper help doc', ['doctor']],
    ['ripper trigger payment.c', ['payment.captured']],
    ['ripper integration create --price-list two', ['two words.json']],
  ])('%s', (line, expected) => {
    const found = completed[shell](line).map((each) => each.replaceAll('\\', ''))
    expect(found.sort()).toEqual(expected)
  })
})

describe('zsh', () => {
  /** Types into an interactive shell, and says what it shows as soon as the words are in it. */
  const typed = (line: string, awaited: string) => {
    writeFileSync(
      join(folder, 'type.zsh'),
      `zmodload zsh/zpty
zpty -b z "TERM=dumb zsh -f -i"
zpty -w z "autoload -Uz compinit; compinit -u -D; source ${pathOf('zsh')}; LISTMAX=1000; PS1='>'; echo rea''dy"
zpty -r z out '*ready*'
zpty -w -n z "$1"$'\\t'
zpty -r z out "*$2*"
print -r -- "$out"
zpty -d z
`,
    )
    return said('zsh', ['-f', 'type.zsh', line, awaited])
  }

  test.skipIf(!isThere('zsh')).each<[string, string]>([
    ['ripper integ', 'ripper integration '],
    ['ripper integration ', 'list    -- Lists the integrations'],
    ['ripper integration create --mode-setting ', 'auto  test'],
    ['ripper integration update --add', '--add-origin'],
    ['ripper trigger payment.c', 'payment.captured'],
  ])(
    '%s',
    (line, expected) => {
      expect(typed(line, expected)).toContain(expected)
    },
    30_000,
  )
})
