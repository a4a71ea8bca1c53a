// `ripper doctor`: finds faults of configuration, database, keys and work, and says what to do about them.

import { type Config, readConfig, readDataDir } from '../../config/config.ts'
import { nodesOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import { commit, release, version } from '../../kernel/version.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { baseUrlOf, baseUrlOption } from '../service/connection.ts'
import { command, flag } from '../terminal/option.ts'
import { paintState, printJson, printLine, printTable } from '../terminal/print.ts'
import { asTyped, terminal } from '../terminal/terminal.ts'
import { accountChecks, readAccounts } from './accounts.ts'
import { connectionChecks, readConnections } from './connections.ts'
import { type DatabaseFacts, databaseChecks, readDatabase, readSealing, sealingChecks } from './database.ts'
import {
  type Check,
  type CheckResult,
  type FactsOrReason,
  judgeAll,
  problem,
  ReadFailure,
  type Status,
} from './finding.ts'
import { machineChecks, readMachine } from './machine.ts'
import { oldKeyChecks, readOldKeys } from './old-keys.ts'
import { peopleChecks, readPeople } from './people.ts'
import { mailChecks, readMail, readService, serviceChecks } from './service.ts'
import { moneyChecks, readMoney, readWork, workChecks } from './work.ts'

export const doctorCommand = command({
  name: 'doctor',
  summary: 'Looks for what is wrong here, and says what to do about it',
  options: { all: flag('show what is fine, too'), 'base-url': baseUrlOption },
  remarks: [
    'It changes nothing. The exit status is 1 if there is a problem, such as a service that does not answer. Warnings do not\n' +
      'change it. --json prints all checks.',
  ],
  async run({ options, json }) {
    const checks = await examine(options)
    const status = worst(checks)
    if (json) printJson({ status, release: version(), commit: commit(), checks })
    else printForPeople(checks, status, options.all)
    return status === 'problem' ? 1 : 0
  },
})

const words: Record<Exclude<Status, 'not_checked'>, string> = { ok: 'ok', warning: 'WARNING', problem: 'PROBLEM' }

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
  const count = (status: Status) => checks.filter((each) => each.status === status).length
  if (status !== 'ok') {
    printLine(`\nProblems: ${count('problem')}. Warnings: ${count('warning')}. Fine: ${count('ok')}.`)
  } else if (all) printLine('\nAll is well.')
  else printLine(`${program}: ${checks.length} checks, which --all shows.\n\nAll is well.`)
}

const limit_ms = 3_000
/** A database in cells is asked in each of them. */
const limit_of_cells_ms = 20_000

/** Nobody would hear of what stands behind it, for as long as it does not answer. */
function tooLate(after_ms: number): ReadFailure {
  return new ReadFailure(
    problem(
      `there was no answer within ${after_ms / 1000} s, so nothing is known of it`,
      'Run ripper doctor again when the database is less busy. If it says so again, look for what is slow there.',
    ),
  )
}

/** The checks of each part behind the machine's, in the order of the output. */
const checksOf = {
  database: databaseChecks,
  sealing: sealingChecks,
  oldKeys: oldKeyChecks,
  service: serviceChecks,
  mail: mailChecks,
  accounts: accountChecks,
  people: peopleChecks,
  connections: connectionChecks,
  work: workChecks,
  money: moneyChecks,
}
type Part = keyof typeof checksOf
type FactsOf<P extends Part> = (typeof checksOf)[P] extends Check<infer Facts>[] ? Facts : never
type Reads = { [P in Part]: FactsOrReason<FactsOf<P>> }

/**
 * Every check with its finding, in the order of the output. Throws a UsageError for a wrong option. `is_itself`: the service
 * itself looks.
 */
export async function examine(options: { 'base-url'?: string | undefined }, is_itself = false): Promise<CheckResult[]> {
  const config = configOrNull()
  const machine = judgeAll(machineChecks, readMachine(readDataDir(terminal().environment)))
  if (config === null) return [...machine, ...judgeParts(() => 'the configuration cannot be read')]
  const base_url = baseUrlOf(options)
  // At the same time, so that a part that does not answer does not delay the others.
  const [tables, service, mail] = await Promise.all([
    readTables(config),
    inTime(() => readService(base_url, is_itself)),
    inTime(() => readMail(config.mail)),
  ])
  const reads: Reads = { ...tables, service, mail }
  return [...machine, ...judgeParts((part) => reads[part])]
}

function judgeParts(factsOf: (part: Part) => FactsOrReason<unknown>): CheckResult[] {
  return Object.entries(checksOf).flatMap(([part, checks]) =>
    judgeAll(checks as Check<unknown>[], factsOf(part as Part)),
  )
}

function configOrNull(): Config | null {
  try {
    return readConfig(terminal().environment)
  } catch {
    return null
  }
}

type TableReads = Omit<Reads, 'service' | 'mail'>

async function readTables(config: Config): Promise<TableReads> {
  const { facts: database, sql, close } = await readDatabase(config)
  try {
    const why = unreadable(database)
    if (why === null && sql !== null) return { database, ...(await readRows(config, sql)) }
    const unread = why ?? 'the database is not open'
    const rows = { sealing: unread, oldKeys: unread, accounts: unread, people: unread, connections: unread }
    return { database, ...rows, work: unread, money: unread }
  } finally {
    await close()
  }
}

/** Why this program must not read the tables, or null. */
function unreadable(facts: DatabaseFacts): string | null {
  if (facts.state !== 'open') return 'the database is not open'
  const { newest, known } = facts.migrated
  return newest === known ? null : 'the database is not of this release'
}

async function readRows(config: Config, sql: Sql): Promise<Omit<TableReads, 'database'>> {
  const within_ms = nodesOf(sql).length > 0 ? limit_of_cells_ms : limit_ms
  const sealing = await inTime(() => readSealing(config, sql), within_ms)
  // Deadlines follow the service's clock.
  const recorded_seconds = isRead(sealing) ? sealing.offset_seconds : 0
  const offset_seconds = config.clock_offset_seconds || recorded_seconds
  const now = realClock(offset_seconds).now()
  const [accounts, people, connections, work, money] = await Promise.all([
    inTime(() => readAccounts(config, sql, now), within_ms),
    inTime(() => readPeople(config, sql, now), within_ms),
    inTime(() => readConnections(config, sql), within_ms),
    inTime(() => readWork(config, sql, now), within_ms),
    inTime(() => readMoney(sql, now), within_ms),
  ])
  // It may read much, so it begins when nothing can wait behind it any more.
  const oldKeys = await inTime(() => readOldKeys(config, sql), within_ms)
  return { sealing, oldKeys, accounts, people, connections, work, money }
}

function isRead<Facts>(facts: FactsOrReason<Facts>): facts is Facts {
  return typeof facts !== 'string' && !(facts instanceof ReadFailure)
}

/** If reading fails or takes too long, that is the finding of its own checks alone. */
async function inTime<Facts extends object>(
  read: () => Promise<Facts>,
  within_ms = limit_ms,
): Promise<Facts | ReadFailure> {
  const over = new AbortController()
  const late = realClock()
    .sleep(within_ms, over.signal)
    .catch(() => {})
    .then(() => tooLate(within_ms))
  const reading = read().catch((error: Error) => {
    const found = `it could not be read: ${error.message}`
    return new ReadFailure(problem(found, 'Mend what the message says, and run ripper doctor again.'))
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    over.abort()
  }
}
