// What each check of `ripper doctor` makes of facts: nothing of a healthy world's, and each single fault.

import { describe, expect, test } from 'vitest'
import { type AccountFacts, accountChecks } from '../../src/cli/doctor/accounts.ts'
import { type DatabaseFacts, databaseChecks, type SealingFacts, sealingChecks } from '../../src/cli/doctor/database.ts'
import { type Check, judgeAll, problem, ReadFailure } from '../../src/cli/doctor/finding.ts'
import { type MachineFacts, machineChecks } from '../../src/cli/doctor/machine.ts'
import { type OldKeyFacts, oldKeyChecks } from '../../src/cli/doctor/old-keys.ts'
import { type PeopleFacts, peopleChecks } from '../../src/cli/doctor/people.ts'
import { mailChecks, type ServiceFacts, serviceChecks } from '../../src/cli/doctor/service.ts'
import { moneyChecks, type WorkFacts, workChecks } from '../../src/cli/doctor/work.ts'
import { configFaults, unknownVariables } from '../../src/config/config.ts'
import type { UnusableReason } from '../../src/database/open.ts'
import type { Brake } from '../../src/payments/orphan.ts'

const now = new Date('2026-09-01T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

const machine: MachineFacts = {
  node_version: '24.21.0',
  is_root: false,
  config_faults: [],
  unknown_variables: [],
  data_dir: { path: '.ripper', is_there: true, is_folder: true, may_write: true, writers: null },
  key_files: [{ path: '.ripper/master.key', others_may_read: false }],
  pages_fault: null,
}
const open = {
  state: 'open' as const,
  description: 'PostgreSQL 18.4',
  migrated: { newest: 45, known: 45 },
  clock: { ahead_ms: 40, verdict: 'right' as const },
  server: { system_identifier: '7600000000000000001', timeline: 1 },
  nodes: null,
}
const sealing: SealingFacts = {
  key_ids: ['aaaaaaaa'],
  key_fault: null,
  newest_key_id: 'aaaaaaaa',
  lacking: [],
  sealed_endpoints: { count: 1, unopened: [] },
  sealed_connections: { count: 1, unopened: [] },
  offset_seconds: 0,
  live_merchant_exists: false,
}
const oldKeys: OldKeyFacts = { newest_key_id: 'aaaaaaaa', old_keys: [], earlier: [] }
const service: ServiceFacts = {
  base_url: 'http://127.0.0.1:8080',
  health_status: 200,
  health_failure: null,
  is_itself: false,
  ready_status: 200,
  ready_fault: null,
  is_same_release: true,
  clock_ahead_ms: -900,
}
const live = { merchant_id: 'm_live', missing: [], unusable: [], has_three_ds: false }
const accounts: AccountFacts = {
  merchants: { active: 1, suspended: 0 },
  is_embedded: false,
  live_merchants: [live],
  unusable_tests: [],
  has_test_connections: false,
  ending_keys: [],
  without_pair: [],
  demo_fault: null,
  base_url: 'https://pay.example',
  pay_url: null,
  has_directory_servers: true,
  simulator: 'on',
  now,
}
const compared = { acquirer: 'bank', due_at: ago(7199), failure: null }
const work: WorkFacts = {
  endpoints: { active: 1, deleted: 2 },
  open_breakers: [],
  failing: [],
  oldest_due_at: ago(30),
  dead_lettered: [],
  waiting_for_person: [],
  notices_given_up: [],
  oldest_look_due_at: null,
  orphans_held_back: 0,
  orphans_unreversed: 0,
  brakes_pulled: [],
  findings_open: 0,
  comparisons: [compared],
  overdue_holds: [],
  oldest_receipt_at: ago(3600),
  braked: [],
  blocked_addresses: [],
  unnamed_proxies: [],
  unpurged: [],
  unsealed: [],
  now,
}

const pulled: Brake = {
  acquirer: '*',
  pulled_at: now,
  pulled_by: 'ada',
  reason: 'restored',
  released_at: null,
  released_by: null,
}

/** What is found beside what is well: `name: status`. */
function faults<Facts>(checks: Check<Facts>[], facts: Facts | string): string[] {
  return judgeAll(checks, facts)
    .filter(({ status }) => status !== 'ok')
    .map(({ name, status, found, to_do }) => {
      expect(found).not.toBe('')
      if (status !== 'not_checked') expect(to_do).toMatch(/^\S.+/)
      return `${name}: ${status}`
    })
}

test('nothing is wrong with a healthy world', () => {
  expect(faults(machineChecks, machine)).toEqual([])
  expect(faults<DatabaseFacts>(databaseChecks, open)).toEqual([])
  expect(faults(sealingChecks, sealing)).toEqual([])
  expect(faults(serviceChecks, service)).toEqual([])
  expect(faults(accountChecks, accounts)).toEqual([])
  expect(faults(workChecks, work)).toEqual([])
  const mail = { server: 'mail.example:587', fault: null, test_mode: false }
  expect(faults(mailChecks, mail)).toEqual([])
  expect(faults(moneyChecks, { payments: 7, fault_count: 0, faults: [] })).toEqual([])
})

test('what could not be looked at is a problem, unless another check shows why', () => {
  const failure = new ReadFailure(problem('it could not be read: permission denied', 'Mend it.'))
  const found = judgeAll(moneyChecks, failure)
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['problem']))
  expect(found[0]!.found).toContain('permission denied')
  const unopened = judgeAll(moneyChecks, 'the database is not open')
  expect(new Set(unopened.map(({ status }) => status))).toEqual(new Set(['not_checked']))
})

const folder = machine.data_dir
test.each<[string, Partial<MachineFacts>, string[]]>([
  ['an old Node', { node_version: '22.9.0' }, ['Node: problem']],
  ['an early Node 24', { node_version: '24.15.0' }, ['Node: problem']],
  ['root', { is_root: true }, ['User: warning']],
  ['a wrong variable', { config_faults: ['RIPPER_PORT must be'] }, ['Configuration: problem']],
  ['a slip of the pen', { unknown_variables: ['RIPPER_PROT'] }, ['Configuration: warning']],
  ['no folder yet', { data_dir: { ...folder, is_there: false, is_folder: false } }, []],
  ['a file as folder', { data_dir: { ...folder, is_folder: false } }, ['Data folder: problem']],
  ['an open folder', { data_dir: { ...folder, writers: 'every user' } }, ['Data folder: problem']],
  ['a foreign folder', { data_dir: { ...folder, may_write: false } }, ['Data folder: problem']],
  [
    'a key that all may read',
    { key_files: [{ path: 'demo.json', others_may_read: true }] },
    ['Files with keys: problem'],
  ],
  ['no pages', { pages_fault: 'the pages cannot be read' }, ['Built pages: problem']],
])('the machine: %s', (_, fault, expected) => {
  expect(faults(machineChecks, { ...machine, ...fault })).toEqual(expected)
})

const unopened = ["Database's clock: not_checked", 'Nodes: not_checked', 'Lost commits: not_checked']
const nodes = [
  { node: 'db1:5432', cells: 16, fault: null },
  { node: 'db2:5432', cells: 16, fault: null },
]
test.each<[string, DatabaseFacts | string, string[]]>([
  ['not made yet', { state: 'not_made' }, ['Database: warning', 'Migrations: not_checked', ...unopened]],
  [
    'down',
    { state: 'unusable', fault: 'connect ECONNREFUSED', why: null },
    ['Database: problem', 'Migrations: not_checked', ...unopened],
  ],
  ['empty', { ...open, migrated: { newest: null, known: 45 } }, ['Migrations: warning']],
  ['older', { ...open, migrated: { newest: 44, known: 45 } }, ['Migrations: warning']],
  ['older than the schema', { ...open, migrated: { newest: 34, known: 45 } }, ['Migrations: problem']],
  ['newer', { ...open, migrated: { newest: 46, known: 45 } }, ['Migrations: problem']],
  ['fast', { ...open, clock: { ahead_ms: 9e3, verdict: 'wrong' } }, ["Database's clock: problem"]],
  ['slow', { ...open, clock: { ahead_ms: -9e3, verdict: 'wrong' } }, ["Database's clock: problem"]],
  ['not spread', { ...open, nodes: 'not_spread' }, ['Nodes: warning']],
  ['spread', { ...open, nodes }, []],
  ['without a node', { ...open, nodes: [nodes[0]!, { ...nodes[1]!, fault: 'gone' }] }, ['Nodes: problem']],
  ['far', { ...open, clock: { ahead_ms: 1e3, verdict: 'unclear' } }, unopened.slice(0, 1)],
  ['not read', 'the configuration cannot be read', ['Database: not_checked', 'Migrations: not_checked', ...unopened]],
])('the database: %s', (_, facts, expected) => {
  expect(faults(databaseChecks, facts)).toEqual(expected)
})

test.each([
  ['7600000000000000001', 1, /would be noticed$/],
  [null, 1, /may not read which cluster it is: only/],
  ['7600000000000000001', null, /may not read a failover: only/],
  [null, null, /may not read which cluster it is and a failover: only/],
])('a server of which %s and %s may be read', (system_identifier, timeline, words) => {
  const server = { system_identifier, timeline }
  const checked = judgeAll<DatabaseFacts>(databaseChecks, { ...open, server })
  const found = expect.stringMatching(words)
  expect(checked).toContainEqual({ name: 'Lost commits', status: 'ok', found, to_do: null })
})

test.each<[UnusableReason, string]>([
  ['pooler', 'past it'],
  ['settings', 'no service starts'],
  ['version', 'Upgrade that server'],
  ['tls', 'sslmode or sslrootcert'],
  ['address', 'host, database, user and password'],
  ['silence', 'a larger default_pool_size'],
  [null, 'Start that server'],
])('a database that is not used, %s: what to do', (why, words) => {
  const [found] = judgeAll<DatabaseFacts>(databaseChecks, {
    state: 'unusable',
    fault: 'it cannot be used',
    why,
  })
  expect(found).toMatchObject({ status: 'problem', to_do: expect.stringContaining(words) })
})

const lost = ['Master key: problem']
test.each<[string, Partial<SealingFacts>, string[]]>([
  ['nothing sealed yet, and no key', { key_ids: null, newest_key_id: null }, []],
  ['the key is gone', { key_ids: null }, lost],
  ['another key', { key_ids: ['bbbbbbbb'] }, lost],
  ['a file that holds no key', { key_ids: null, key_fault: 'master.key does not hold' }, lost],
  ['a process without the current key', { lacking: ['serve, pid 1 on web1'] }, lost],
  ['a secret of an older key', { sealed_endpoints: { count: 2, unopened: ['whep_1'] } }, lost],
  ['credentials of an older key', { sealed_connections: { count: 1, unopened: ['conn_1'] } }, lost],
  ['a shifted clock', { offset_seconds: 60 }, ["Service's time: warning"]],
  ['a shifted clock for real money', { offset_seconds: 60, live_merchant_exists: true }, ["Service's time: problem"]],
])('sealing: %s', (_, fault, expected) => {
  expect(faults(sealingChecks, { ...sealing, ...fault })).toEqual(expected)
})

const idle = { key_id: 'bbbbbbbb', rows: [], passwords: 2 }
test.each<[string, Partial<OldKeyFacts>, string, string | null]>([
  ['none is given', {}, 'none is given', null],
  [
    'so much is left that nothing is known of another',
    { old_keys: [idle, { key_id: 'cccccccc', rows: [{ what: 'answers', count: 100_000 }], passwords: 0 }] },
    'bbbbbbbb: not known yet; cccccccc: at least 100000 rows left',
    null,
  ],
  [
    'two rows are left',
    {
      old_keys: [
        {
          ...idle,
          rows: [
            { what: 'cards', count: 1 },
            { what: 'credentials', count: 1 },
          ],
        },
      ],
    },
    'bbbbbbbb: 2 rows left (cards: 1, credentials: 1)',
    null,
  ],
  [
    'it may go',
    { old_keys: [{ ...idle, passwords: 0 }] },
    'nothing is sealed with bbbbbbbb any more',
    'bbbbbbbb may go: ',
  ],
  ['it may go, with passwords', { old_keys: [idle] }, 'nothing is sealed', '2 people will need ripper user link'],
  [
    'somebody may use it',
    { old_keys: [idle], earlier: ['worker, pid 7'] },
    'sealed runs: worker, pid 7',
    'Restart those',
  ],
])('an old master key: %s', (_, facts, words, to_do) => {
  const [check] = judgeAll(oldKeyChecks, { ...oldKeys, ...facts })
  expect(check).toMatchObject({ name: 'Old master keys', status: to_do === null ? 'ok' : 'warning' })
  expect(check?.found).toContain(words)
  if (to_do === null) expect(check?.to_do).toBeNull()
  else expect(check?.to_do).toContain(to_do)
})

const unasked = ['Readiness', 'Release', "Service's clock"].map((name) => `${name}: not_checked`)
test.each<[string, Partial<ServiceFacts>, string[]]>([
  ['not running', { health_status: null }, ['Service: problem', ...unasked]],
  ['something else there', { health_status: 404 }, ['Service: problem', ...unasked]],
  ['not ready', { ready_status: 503 }, ['Readiness: problem']],
  ['not ready, and why', { ready_status: 503, ready_fault: 'late' }, ['Readiness: problem']],
  ['another release', { is_same_release: false }, ['Release: warning']],
  ['no description', { is_same_release: null }, ['Release: not_checked']],
  ['its clock is slow', { clock_ahead_ms: -5_000 }, ["Service's clock: warning"]],
])('the service: %s', (_, fault, expected) => {
  expect(faults(serviceChecks, { ...service, ...fault })).toEqual(expected)
})

test.each<[string, Partial<AccountFacts>]>([
  ['on', {}],
  ['off, as', { simulator: 'off' }],
])('test mode is %s', (words, facts) => {
  const found = judgeAll(accountChecks, { ...accounts, ...facts })
  expect(found.find(({ name }) => name === 'Test mode')!.found).toMatch(new RegExp(`^${words}`))
})

const key = (expires_at: Date) => ({ ending_keys: [{ key_id: 'key_1', expires_at }] })
test.each<[string, Partial<AccountFacts>, string[]]>([
  ['no merchant', { merchants: { active: 0, suspended: 0 } }, ['Merchants: warning']],
  ['nobody live, by http', { live_merchants: [], base_url: null }, []],
  ['a live one without profile', { live_merchants: [{ ...live, missing: ['mcc'] }] }, ['Live payments: problem']],
  [
    'a label that is of no use',
    { live_merchants: [live, { ...live, unusable: ['acquirer main, which is disabled'] }] },
    ['Live payments: problem'],
  ],
  [
    'a test connection that is of no use',
    { has_test_connections: true, unusable_tests: ['web of m_1: trial, which is disabled'] },
    ['Test connections: problem'],
  ],
  [
    'a test connection without the simulated bank',
    { has_test_connections: true, simulator: 'off' },
    ['Test connections: warning'],
  ],
  ['a test connection beside it', { has_test_connections: true }, []],
  ['live without 3-D Secure', { has_directory_servers: false }, ['Live payments: warning']],
  [
    'live with a 3-D Secure connection',
    { has_directory_servers: false, live_merchants: [{ ...live, has_three_ds: true }] },
    [],
  ],
  ['live on the embedded database', { is_embedded: true }, ['Live payments: warning']],
  ['live by http', { base_url: 'http://pay.example' }, ['Public address: problem']],
  ['live with no address', { base_url: null }, ['Public address: problem']],
  ['pages by http', { pay_url: 'http://pay.example/pay' }, ['Public address: problem']],
  ['a key that has ended', key(ago(1)), ['Secret keys: warning']],
  ['a key that ends soon', key(ago(-86_400)), ['Secret keys: warning']],
  ['no pair', { without_pair: ['m_1'] }, ['Secret keys: warning']],
  ['a dead demo key', { demo_fault: 'the secret key has ended' }, ['Demo merchant: warning']],
])('accounts: %s', (_, fault, expected) => {
  expect(faults(accountChecks, { ...accounts, ...fault })).toEqual(expected)
})

const people: PeopleFacts = {
  people: 2,
  operators: 1,
  unused: [],
  without_second_factor: [],
  without_both: [],
  has_live_merchant: true,
  dashboard_url: 'https://staff.shop.example',
  base_url: null,
}
test.each<[string, Partial<PeopleFacts>, string[]]>([
  ['well', {}, []],
  ['nobody', { people: 0, operators: 0 }, []],
  ['beside the pages of live shoppers', { dashboard_url: null }, ['Dashboard: warning']],
  ['beside those of test mode', { dashboard_url: null, has_live_merchant: false }, []],
  [
    'where nobody can sign in',
    { dashboard_url: null, base_url: 'http://10.0.0.5:8080', has_live_merchant: false },
    ['Dashboard: warning'],
  ],
  ['on this machine', { dashboard_url: null, base_url: 'http://127.0.0.1:8080', has_live_merchant: false }, []],
  ['unused', { unused: ['a@b.example'] }, ['People: warning']],
  ['with one of two ways', { without_both: ['a@b.example'] }, ['People: warning']],
  ['with a password alone', { without_second_factor: ['a@b.example'] }, ['People: warning']],
])('people: %s', (_, fault, expected) => {
  expect(faults(peopleChecks, { ...people, ...fault })).toEqual(expected)
})

test.each<[string, Partial<WorkFacts>, string[]]>([
  ['a delivery due for 2 min', { oldest_due_at: ago(120) }, ['Worker: warning']],
  ['a delivery due for an hour', { oldest_due_at: ago(3600) }, ['Worker: problem']],
  ['a look due for an hour', { oldest_look_due_at: ago(3600) }, ['Worker: problem']],
  ['an open breaker', { open_breakers: [{ endpoint_id: 'whep_1', last_failure: 'tls' }] }, ['Endpoints: warning']],
  ['a failing one', { failing: [{ endpoint_id: 'whep_1', count: 3 }] }, ['Endpoints: warning']],
  ['dead letters', { dead_lettered: [{ merchant_id: 'm_1', count: 2 }] }, ['Dead letters: warning']],
  ['lost answers', { waiting_for_person: ['pay_1'] }, ['Lost answers: problem']],
  [
    'a notice that was given up',
    { notices_given_up: [{ connection_id: 'conn_1', about: 'capture', reference: '0a' }] },
    ['Notices: warning'],
  ],
  ['orphans', { orphans_held_back: 12 }, ['Orphans: problem']],
  ['reversals without an outcome', { orphans_unreversed: 1 }, ['Orphans: warning']],
  ['a finding', { findings_open: 1 }, ['Comparison: problem']],
  ['no comparison yet', { comparisons: [] }, []],
  ['a comparison that failed', { comparisons: [{ ...compared, failure: 'down' }] }, ['Comparison: warning']],
  ['a comparison that nobody makes', { comparisons: [{ ...compared, due_at: ago(7201) }] }, ['Comparison: warning']],
  ['a pulled brake', { brakes_pulled: [pulled] }, ['Orphans: warning']],
  [
    'a brake that the service pulled',
    { brakes_pulled: [pulled, { ...pulled, pulled_by: 'service' }] },
    ['Orphans: problem'],
  ],
  ['pulled brakes', { orphans_held_back: 1, brakes_pulled: [pulled] }, ['Orphans: problem']],
  ['holds', { overdue_holds: ['pay_1'] }, ['Holds: warning']],
  ['a receipt that waits', { oldest_receipt_at: ago(3601) }, ['Receipts: warning']],
  ['a brake on card testing', { braked: ['m_1'] }, ['Card testing: warning']],
  ['a purge that lags', { unpurged: ['m_1'] }, ['Unpaid sessions: warning']],
  ['the journal', { unsealed: ['m_1'] }, ['Journal: warning']],
])('work: %s', (_, fault, expected) => {
  expect(faults(workChecks, { ...work, ...fault })).toEqual(expected)
})

test('money: a payment that was changed by hand is named, with what it was', () => {
  const named = { subject: 'pay_1', operation_id: null, sequence: null, entry_id: '0199' }
  const differences = [{ member: 'amount', row: 100, line: 99900 }]
  const changed = { kind: 'payment_changed' as const, ...named, differences }
  const facts = { payments: 7, fault_count: 1, faults: [changed] }
  expect(faults(moneyChecks, facts)).toEqual(['Payments: problem'])
  expect(moneyChecks[0]!.judge(facts).found).toBe(
    'rows that contradict the journal: pay_1; payment pay_1 was changed: amount is 100 and was 99900, by line 0199',
  )
})

test.each([
  ['none', { server: null, fault: null, test_mode: false }, []],
  ['one that answers', { server: 'mail.example:587', fault: null, test_mode: true }, []],
  [
    'one that does not',
    { server: 'mail.example:587', fault: 'connect ECONNREFUSED', test_mode: false },
    ['Mail server: warning'],
  ],
])('mail server: %s', (_, facts, expected) => {
  expect(faults(mailChecks, facts)).toEqual(expected)
})

describe('variables', () => {
  test('every wrong one is named, and no value of a secret', () => {
    const secret = 'mysql://ada:hunter2@db'
    const found = configFaults({ RIPPER_PORT: 'x', RIPPER_DATABASE_URL: secret, RIPPER_HOST: 'h' })
    expect(found.map((fault) => fault.split(' ')[0])).toEqual(['RIPPER_PORT', 'RIPPER_DATABASE_URL'])
    expect(found.join()).not.toContain('hunter2')
  })

  test.each([
    ['https://pay.example', true],
    ['http://127.0.0.1:8080/', true],
    ['https://shop.example/ripper', false],
  ])('the base address %s is taken: %s', (base_url, is_taken) => {
    expect(configFaults({ RIPPER_BASE_URL: base_url }).length === 0).toBe(is_taken)
  })

  test('the metrics have another port than the service', () => {
    const ports = (port: string, metrics: string) => configFaults({ RIPPER_PORT: port, RIPPER_METRICS_PORT: metrics })
    expect(ports('9000', '9000')).toEqual(['RIPPER_METRICS_PORT must be another port than RIPPER_PORT.'])
    expect([ports('9000', '9001'), ports('0', '0')]).toEqual([[], []])
  })

  test('a database without a master key is one fault', () => {
    const found = configFaults({ RIPPER_DATABASE_URL: 'postgres://db/ripper' })
    expect(found).toEqual([expect.stringMatching(/^RIPPER_MASTER_KEY must be set/)])
    const database = { RIPPER_DATABASE_URL: 'postgres://db/ripper' }
    expect(configFaults({ ...database, RIPPER_MASTER_KEY: 'x' })).toEqual([
      expect.stringMatching(/^RIPPER_MASTER_KEY must be 32 bytes/),
    ])
    expect(configFaults({})).toEqual([])
  })

  const smtp = {
    RIPPER_SMTP_URL: 'smtp://a:hunter2@mail.example',
    RIPPER_MAIL_FROM: 'r@shop.example',
  }
  test.each<[string, Record<string, string>, string[]]>([
    ['a mail server whole', smtp, []],
    ['a mail server without a sender', { RIPPER_SMTP_URL: smtp.RIPPER_SMTP_URL }, ['RIPPER_MAIL_FROM']],
    ['a sender alone', { RIPPER_MAIL_FROM: 'r@shop.example' }, []],
    ['a sender with a name', { ...smtp, RIPPER_MAIL_FROM: 'Shop <r@shop.example>' }, ['RIPPER_MAIL_FROM']],
    ['a sender with a line break', { RIPPER_MAIL_FROM: 'r@shop.example\r\nBcc: x@y' }, ['RIPPER_MAIL_FROM']],
    ['no mail server', { ...smtp, RIPPER_SMTP_URL: 'https://a:hunter2@h' }, ['RIPPER_SMTP_URL']],
    ['no password', { ...smtp, RIPPER_SMTP_URL: 'smtp://hunter2@h' }, ['RIPPER_SMTP_URL']],
    ['a path', { ...smtp, RIPPER_SMTP_URL: 'smtp://a:hunter2@h/x' }, ['RIPPER_SMTP_URL']],
    ['a port beyond all', { ...smtp, RIPPER_SMTP_URL: 'smtp://a:hunter2@h:70000' }, ['RIPPER_SMTP_URL']],
    ['no yes and no no', { RIPPER_MAIL_TEST_MODE: 'yes' }, ['RIPPER_MAIL_TEST_MODE']],
    ['both wrong', { RIPPER_SMTP_URL: 'smtp:hunter2', RIPPER_MAIL_FROM: '@' }, ['RIPPER_SMTP_URL', 'RIPPER_MAIL_FROM']],
  ])('%s', (_, environment, expected) => {
    const faults = configFaults(environment)
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(expected)
    expect(faults.join()).not.toContain('hunter2')
  })

  test('names that nothing reads', () => {
    const own = { RIPPER_PROT: '1', RIPPER_PORT: '1', RIPPER_TEST_X: '1' }
    expect(unknownVariables({ ...own, PATH: '' })).toEqual(['RIPPER_PROT'])
  })
})
