// `ripper doctor`: finds faults of configuration, database, keys and work, and says what to do about them.

import { commit, release, version } from '../../kernel/version.ts'
import { connectionOptions } from '../service/connection.ts'
import { asTyped } from '../terminal/as-typed.ts'
import type { Command } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { printJson, printLine, printTable } from '../terminal/print.ts'
import { examine } from './examine.ts'
import type { CheckResult, Status } from './finding.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Looks for what is wrong here, and says what to do about it',
  options: {
    all: { meaning: 'show what is fine, too' },
    'base-url': connectionOptions['base-url']!,
  },
  remarks: [
    'It changes nothing. The exit status is 1 if there is a problem, such as a service that does not answer. Warnings do not\n' +
      'change it. --json prints all checks.',
  ],
  async run({ options, json }) {
    const checks = await examine(options)
    const status = worst(checks)
    if (json) printJson({ status, release: version(), commit: commit(), checks })
    else printForPeople(checks, status, options.all === true)
    return status === 'problem' ? 1 : 0
  },
}

const words: Record<Exclude<Status, 'not_checked'>, string> = {
  ok: 'ok',
  warning: 'WARNING',
  problem: 'PROBLEM',
}

/** A check that could not be made needs a warning, unless another check shows the cause. */
function worst(checks: CheckResult[]): 'ok' | 'warning' | 'problem' {
  const has = (wanted: Status) => checks.some(({ status }) => status === wanted)
  if (has('problem')) return 'problem'
  return has('warning') || has('not_checked') ? 'warning' : 'ok'
}

function printForPeople(checks: CheckResult[], status: 'ok' | 'warning' | 'problem', all: boolean): void {
  const rows: string[][] = []
  const notes: string[][] = []
  const unchecked = new Map<string, string[]>()
  for (const { name, status, found, to_do } of checks) {
    if (status === 'not_checked') unchecked.set(found, [...(unchecked.get(found) ?? []), name])
    else if (all || status !== 'ok') {
      rows.push([paintState(words[status]), name, asTyped(found)])
      notes.push(to_do === null ? [] : [asTyped(`→ ${to_do}`)])
    }
  }
  const program = `Ripper Checkout ${release()}`
  if (rows.length > 0) printTable(['', 'check', program], rows, notes)
  for (const [why, names] of unchecked) printLine(`\nNot checked, because ${why}:\n    ${names.join(', ')}`)
  const count = (wanted: Status) => checks.filter((each) => each.status === wanted).length
  if (status !== 'ok') {
    printLine(`\nProblems: ${count('problem')}. Warnings: ${count('warning')}. Fine: ${count('ok')}.`)
  } else if (all) printLine('\nAll is well.')
  else printLine(`${program}: ${checks.length} checks, which --all shows.\n\nAll is well.`)
}
