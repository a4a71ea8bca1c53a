// What the command line says to who asks for help or mistypes, and its colours: for a terminal alone.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { strangerWords } from '../../src/cli/help.ts'
import { editDistance } from '../../src/cli/terminal/command.ts'
import { release } from '../../src/kernel/version.ts'
import { ripper, ripperProgram } from '../support/programs.ts'

test.each([
  ['', '', 0],
  ['list', 'list', 0],
  ['lst', 'list', 1],
  ['lisst', 'list', 1],
  ['lisr', 'list', 1],
  ['lsit', 'list', 1],
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
])('from %s to %s: %i', (from, to, slips) => {
  expect([editDistance(from, to), editDistance(to, from)]).toEqual([slips, slips])
})

test.each<[string, string]>([
  ['merchnt create', 'Did you mean ripper merchant create?'],
  ['merchant lst', 'Did you mean ripper merchant list?'],
  ['holds list', 'Did you mean ripper hold list?'],
  ['create merchant', 'Did you mean ripper merchant create?'],
  ['integrtion', 'Did you mean ripper integration?'],
  ['docter', 'Did you mean ripper doctor?'],
  ['merchant frobnicate', 'ripper help merchant lists them.'],
  ['pay', 'ripper help lists them.'],
])('%s', (typed, words) => {
  expect(strangerWords(commands, typed.split(' '))).toBe(`there is no command ${typed}. ${words}`)
})

describe('the program', () => {
  test.each<[string[], number, RegExp]>([
    [['-v'], 0, /^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/],
    [['--version'], 0, /^\d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/],
    [['help'], 0, /^Usage: ripper COMMAND.*\nAccounts\n {2}merchant create +Makes/s],
    [['help', 'key', 'create'], 0, /^ripper key create\n.*--allow-address/s],
    [['help', 'key'], 0, /^Usage.*key create +Makes/s],
    [['key', '--help'], 0, /^Usage.*key create +Makes/s],
    [['help', 'doctr'], 2, /^ripper help: there is no command doctr\. .*doctor\?\n$/],
    [['intgration', '--help'], 2, /^ripper: there is no command intgration\. .*integration\?\n$/],
    [['merchnt', 'create', '--name', 'x'], 2, /^ripper: there is no command merchnt create\. .*\?\n$/],
    [['key', 'create', '--mercant', 'm'], 2, /there is no option --mercant\. Did you mean --mercha/],
    [['-x'], 2, /^ripper: there is no option -x\n$/],
  ])('ripper %j', async (args, status, words) => {
    const ended = await ripper(args)
    expect(ended.stdout + ended.stderr).toMatch(words)
    expect(ended.status).toBe(status)
  })

  test.each<[string, string[], number]>([
    ['succeeded', ['-v'], 0],
    ['was refused', ['config'], 1],
    ['was called wrongly', ['pay'], 2],
  ])('the process of a command that %s ends with its words and its status', async (_, args, status) => {
    const where = { env: { RIPPER_PORT: 'eighty' } }
    const ended = await ripperProgram(args, where)
    expect(ended.status).toBe(status)
    expect(ended).toEqual(await ripper(args, where))
  })

  test('a wrong command by --json is a document, too', async () => {
    const { status, stdout } = await ripper(['pay', '--json'])
    const message = 'there is no command pay. ripper help lists them.'
    expect([status, JSON.parse(stdout)]).toEqual([2, { error: 'usage', message }])
  })

  test('the version is the one of this release', async () => {
    expect((await ripper(['-v'])).stdout).toBe(`${release()}\n`)
  })
})

describe('colours', () => {
  const program = resolve(import.meta.dirname, '../../bin/ripper.mjs')
  const has_terminal = spawnSync('script', ['--version']).status === 0
  /** What the program says to a terminal. */
  const toTerminal = (env: Record<string, string>) => {
    const call = `'${process.execPath}' '${program}' help key`
    const { PATH } = process.env
    const set = { PATH, TERM: 'xterm-256color', ...env }
    return spawnSync('script', ['-qec', call, '/dev/null'], { encoding: 'utf8', env: set }).stdout
  }
  const painted = '\u001b['

  test.skipIf(!has_terminal)('are there on a terminal', () => {
    expect(toTerminal({})).toContain(`${painted}1mAccounts${painted}22m`)
  })

  test.skipIf(!has_terminal)('are not there where NO_COLOR is set', () => {
    const said = toTerminal({ NO_COLOR: '1' })
    expect(said).toContain('Accounts')
    expect(said).not.toContain(painted)
  })

  test('are not there where the output is piped, to standard output or error', async () => {
    const help = await ripperProgram(['help'])
    const wrong = await ripperProgram(['pay'])
    expect(help.stdout + wrong.stderr).not.toContain(painted)
  })
})
