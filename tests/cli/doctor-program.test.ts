// `ripper doctor`, as a user types it, in worlds that are broken in one place; and what it reads of a database.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { accountChecks, readAccounts } from '../../src/cli/doctor/accounts.ts'
import { readSealing, sealingChecks } from '../../src/cli/doctor/database.ts'
import { judgeAll } from '../../src/cli/doctor/finding.ts'
import { oldKeyChecks, readOldKeys } from '../../src/cli/doctor/old-keys.ts'
import { readWork, workChecks } from '../../src/cli/doctor/work.ts'
import { readConfig } from '../../src/config/config.ts'
import { type ConnectionKey, sealCredentials } from '../../src/connections/connection.ts'
import { assignments, rowValues } from '../../src/database/driver/rows.ts'
import type { AnySql, Sql } from '../../src/database/open.ts'
import { checkSealingKeys } from '../../src/database/stores/sealing-keys.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { deadLetter, insertAttempt } from '../conformance/webhook-delivery-rows.ts'
import { freshDatabase } from '../support/database.ts'
import { openMailServer } from '../support/mail-server.ts'
import { useOperated } from '../support/operated.ts'
import { answer, ripper, ripperProgram, serve } from '../support/programs.ts'
import { newKey, shop } from '../support/service.ts'

const { service, folder, env } = await useOperated()

beforeAll(async () => {
  const { sql, context } = service
  await checkSealingKeys(sql, context.keyring, context.world.clock.now())
})

type Finding = { name: string; status: string; found: string }

/** The tests run as root, too, which is a finding of its own. */
const is_root = process.getuid?.() === 0
const unwell = (checks: Finding[]) =>
  checks
    .filter(({ name, status }) => status !== 'ok' && !(is_root && name === 'User'))
    .map(({ name, status }) => `${name}: ${status}`)

/** Its exit status, what is not well, and everything that it said. */
async function examined(changes: Record<string, string> = {}, cwd?: string) {
  const where = { env: { ...env, ...changes } }
  const ended = await (cwd
    ? ripperProgram(['doctor', '--json'], { ...where, cwd })
    : ripper(['doctor', '--json'], where))
  const { checks } = JSON.parse(ended.stdout)
  return { status: ended.status, said: ended.stdout + ended.stderr, unwell: unwell(checks), checks }
}

describe('the program', () => {
  test('a service that runs and is well: every check is made and nothing found', async () => {
    const database = await freshDatabase()
    const own = {
      RIPPER_DATABASE_URL: database.url,
      RIPPER_DATA_DIR: join(folder, 'well'),
      RIPPER_MASTER_KEY: env.RIPPER_MASTER_KEY!,
      RIPPER_PORT: '0',
    }
    await answer(['merchant', 'create', '--name', 'Tea'], { env: own })
    const running = await serve({ env: own })
    const where = ['doctor', '--base-url', running.said.base_url!]
    const json = await ripper([...where, '--json'], { env: own })
    const { status, checks } = JSON.parse(json.stdout)
    expect(unwell(checks)).toEqual([])
    expect([json.status, status]).toEqual([0, is_root ? 'warning' : 'ok'])
    const people = await ripper(where, { env: own })
    expect(people.status).toBe(0)
    const end = is_root ? 'Problems: 0. Warnings: 1. Fine: \\d+.' : 'All is well.'
    if (is_root) expect(people.stdout).toMatch(/WARNING +User +this runs as root/)
    else expect(people.stdout).toMatch(/^Ripper Checkout \S+: \d+ checks, /)
    expect(people.stdout).toMatch(new RegExp(`\n\n${end}\n$`))
    const all = await ripper([...where, '--all'], { env: own })
    expect(all.stdout).toMatch(new RegExp(`\nok +Service +runs at [\\s\\S]*\n${end}\n$`))
    await running.stop()
    await database.drop()
  }, 60_000)

  test('a database that refuses to be read is a problem of what it hides', async () => {
    const database = await freshDatabase()
    const opened = await database.open()
    await opened.sql`alter table users rename to users_away`
    await opened.close()
    const { status, checks } = await examined({ RIPPER_DATABASE_URL: database.url })
    await database.drop()
    expect(status).toBe(1)
    const hidden = checks.filter(({ found }: Finding) => found.includes('could not be read'))
    expect(new Set(hidden.map((each: Finding) => each.status))).toEqual(new Set(['problem']))
    expect(hidden[0]!.found).toContain('users')
  })

  test('old keys whose rows cannot be counted hide nothing else of a rotation', async () => {
    const database = await freshDatabase()
    const opened = await database.open()
    const old = randomBytes(32)
    const newest = randomBytes(32)
    for (const keys of [[old], [newest, old]]) {
      await checkSealingKeys(opened.sql, openKeyring(keys, { bytes: randomBytes }), new Date(keys.length))
    }
    await opened.sql`alter table vault.cards rename to cards_away`
    await opened.close()
    const { checks } = await examined({
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: [newest, old].map((key) => key.toString('base64')).join(','),
    })
    await database.drop()
    const hidden = checks.filter(({ found }: Finding) => found.includes('could not be read'))
    expect(hidden.map(({ name }: Finding) => name)).toEqual(['Old master keys'])
  })

  test('a fresh checkout: no service yet, and nothing is made', async () => {
    const cwd = mkdtempSync(join(folder, 'fresh-'))
    const bare = { RIPPER_BASE_URL: 'http://127.0.0.1:1', RIPPER_DATA_DIR: '.ripper' }
    const unset = { RIPPER_DATABASE_URL: '', RIPPER_MASTER_KEY: '' }
    const { status, checks } = await examined({ ...bare, ...unset }, cwd)
    expect(status).toBe(1)
    const made = checks.filter((each: Finding) => each.status !== 'not_checked')
    expect(unwell(made)).toEqual(['Database: warning', 'Service: problem'])
    expect(existsSync(join(cwd, '.ripper'))).toBe(false)
  })

  test.each([
    ['the service does not run', { RIPPER_BASE_URL: 'http://127.0.0.1:1' }, 1, ['Service: problem']],
    ['another key', { RIPPER_MASTER_KEY: randomBytes(32).toString('base64') }, 1, ['Master key: problem']],
    ['no database', { RIPPER_DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/none' }, 1, ['Database: problem']],
    ['a wrong variable', { RIPPER_PORT: 'x' }, 1, ['Configuration: problem']],
    ['a slip of the pen', { RIPPER_PROT: '1' }, 0, ['Configuration: warning']],
    [
      'a mail server that is not there',
      { RIPPER_SMTP_URL: 'smtp://ada:hunter2@127.0.0.1:1', RIPPER_MAIL_FROM: 'r@shop.example' },
      0,
      ['Mail server: warning'],
    ],
  ])('%s', async (_, changes, status, expected) => {
    const found = await examined(changes)
    expect(found.status).toBe(status)
    expect(found.unwell.filter((each) => !each.endsWith('not_checked'))).toEqual(expected)
    expect(found.said).not.toContain('hunter2')
    expect(found.said).not.toContain(env.RIPPER_MASTER_KEY)
  })

  test('a wrong variable: the data folder that is configured is looked at', async () => {
    const { checks } = await examined({ RIPPER_PORT: 'x' })
    expect(checks).toContainEqual(expect.objectContaining({ name: 'Data folder', found: folder }))
  })

  test('a mail server that answers is reached, logged in to, and sent nothing', async () => {
    const users: string[] = []
    const mail = await openMailServer({
      allowInsecureAuth: true,
      onAuth({ username }, _session, done) {
        users.push(String(username))
        done(null, { user: username })
      },
    })
    const { checks } = await examined({
      RIPPER_SMTP_URL: `smtp://ada:hunter2@127.0.0.1:${mail.address.port}`,
      RIPPER_MAIL_FROM: 'r@shop.example',
    })
    expect(checks).toContainEqual(expect.objectContaining({ name: 'Mail server', status: 'ok' }))
    expect([users, mail.letters]).toEqual([['ada'], []])
    await mail.close()
  })

  test('an address that is none', async () => {
    const { status, stderr } = await ripper(['doctor', '--base-url', 'ftp://a'], { env })
    expect(status).toBe(2)
    expect(stderr).toContain('--base-url must be')
  })

  test('an empty database: what it has no tables for is not looked at', async () => {
    const empty = await freshDatabase('empty')
    const { status, unwell: found } = await examined({ RIPPER_DATABASE_URL: empty.url })
    expect(status).toBe(0)
    expect(found).toContain('Migrations: warning')
    expect(found).toContain('Merchants: not_checked')
    await empty.drop()
  })

  test('keys of the demo merchant that others may read, and of another database', async () => {
    const own = mkdtempSync(join(folder, 'demo-'))
    const path = join(own, 'demo.json')
    writeFileSync(path, JSON.stringify({ merchant_id: 'm_1', secret_key: 'rip_sk_1' }))
    chmodSync(path, 0o644)
    const { status, unwell: found } = await examined({ RIPPER_DATA_DIR: own })
    expect(status).toBe(1)
    expect(found).toEqual(['Files with keys: problem', 'Demo merchant: warning'])
  })
})

describe('what is read of a database', () => {
  let endpoint_id: string
  let payment_id: string

  beforeAll(async () => {
    const { client, account } = service
    const url = 'https://shop.example/hooks'
    endpoint_id = (await client.createEndpoint({ url })).body.id
    const { publishable_key: public_key } = account
    const customer = { email: 'ada@example.com' }
    const body = { public_key, amount: 850, currency: 'GBP', customer }
    const session = (await client.createFrom(shop, body)).body
    await client.present(session)
    payment_id = (await client.confirm(session)).body.payment_id
  })

  /** What is not well once the change is made; the change is taken back afterwards. */
  async function foundAfter(change: (sql: AnySql) => Promise<unknown>): Promise<string[]> {
    const config = readConfig({ ...env, RIPPER_BASE_URL: 'https://pay.example' })
    const now = service.context.world.clock.now()
    const undo = new Error('taken back')
    let found: string[] = []
    const reading = service.sql.begin(async (tx) => {
      await change(tx)
      const sql = tx as unknown as Sql
      found = unwell([
        ...judgeAll(sealingChecks, await readSealing(config, sql)),
        ...judgeAll(oldKeyChecks, await readOldKeys(config, sql)),
        ...judgeAll(accountChecks, await readAccounts(config, sql, now)),
        ...judgeAll(workChecks, await readWork(config, sql, now)),
      ])
      throw undo
    })
    await expect(reading).rejects.toBe(undo)
    return found
  }

  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
  const hours = 3600

  describe('of an old master key that is still given', () => {
    const old = randomBytes(32)
    const key_id = openKeyring([old], { bytes: randomBytes }).current_key_id
    const sealed = Buffer.concat([Buffer.from(`01${key_id}`, 'hex'), Buffer.alloc(100)])
    const none = `nothing is sealed with ${key_id} any more`
    const left = (what: string) => `${key_id}: 1 row left (${what}: 1)`
    const person = { user_id: 'usr_1', email: 'ada@shop.example', name: 'Ada', created_at: new Date() }

    test.each<[string, (sql: AnySql) => Promise<unknown>, string, string | null]>([
      ['nothing is left', async () => {}, none, `${key_id} may go: `],
      [
        'a signing secret is',
        (sql) =>
          sql`update webhook_endpoints set previous_sealed_secret = ${sealed}, previous_secret_until = ${ago(0)}`,
        left('signing secrets'),
        null,
      ],
      [
        'an answer is',
        (sql) => sql`update idempotency_keys set answer = ${sealed}
          where key = (select key from idempotency_keys order by created_at limit 1)`,
        left('answers kept for replays'),
        null,
      ],
      [
        'the secret of one-time codes is',
        (sql) => sql`insert into users ${rowValues(sql, { ...person, totp_sealed: sealed })}`,
        left('one-time codes'),
        null,
      ],
      [
        'a password is',
        (sql) => sql`insert into users ${rowValues(sql, { ...person, password_hash: `argon2id$${key_id}$$` })}`,
        none,
        '1 person will need ripper user link',
      ],
      [
        'nothing is, and a process runs from before the rotation',
        (sql) => sql`insert into processes (process_id, serves, seen_at)
          values (${`web1/7/${ago(2 * hours).toISOString()}/00`}, false, ${ago(0)})`,
        'runs: worker, pid 7 on web1, since ',
        'Restart those.',
      ],
      [
        'nothing is, and a process of an earlier release runs',
        (sql) => sql`insert into processes (process_id, serves, seen_at) values ('a1b2c3d4e5f60718', true, ${ago(0)})`,
        'runs: serve of an earlier release',
        'Restart those.',
      ],
      [
        'more is than is counted',
        (sql) => sql`insert into vault.security_codes (merchant_id, card_reference, sealed_code, expires_at)
          select '', n::text, ${sealed}, ${ago(0)} from generate_series(1, 100001) n`,
        `${key_id}: at least 100000 rows left (security codes: 100000)`,
        null,
      ],
    ])('%s', async (_, change, words, to_do) => {
      const keys = `${env.RIPPER_MASTER_KEY},${old.toString('base64')}`
      const config = readConfig({ ...env, RIPPER_MASTER_KEY: keys })
      const undo = new Error('taken back')
      const reading = service.sql.begin(async (tx) => {
        const sql = tx as unknown as Sql
        await sql`update sealing_keys set made_current_at = ${ago(hours)}`
        await sql`insert into sealing_keys (key_id, made_current_at) values (${key_id}, ${ago(3 * hours)})`
        await change(sql)
        const [check] = judgeAll(oldKeyChecks, await readOldKeys(config, sql))
        expect(check!.found).toContain(words)
        if (to_do === null) expect(check!.to_do).toBeNull()
        else expect(check!.to_do).toContain(to_do)
        throw undo
      })
      await expect(reading).rejects.toBe(undo)
    })
  })

  /** Makes the merchant live, with an acquirer and with 3dsecure.io, and adds to its profile. */
  async function liveWith(sql: AnySql, more: object) {
    const { merchant_id } = service.account
    const { keyring } = service.operator
    const labels = { acquirer: 'main', three_ds: 'bank-checks' }
    const rest = { descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
    await sql`update merchants set live = true, live_enabled = true,
      acquiring_profile = ${{ ...labels, ...rest, ...more }}`
    const made = [
      ['conn_1', 'acquirer', 'checkout', 'main'],
      ['conn_2', 'three_ds', '3dsecureio', 'bank-checks'],
    ] as const
    for (const [connection_id, kind, connector, label] of made) {
      const sealed = sealCredentials(keyring, { merchant_id, connection_id } as ConnectionKey, {})
      await sql`insert into connections
        (merchant_id, connection_id, kind, connector, label, mode, sealed_credentials, created_at)
        values (${merchant_id}, ${connection_id}, ${kind}, ${connector}, ${label}, 'live', ${sealed}, ${ago(1)})`
    }
  }

  test('nothing, of one in which everything goes its way', async () => {
    expect(await foundAfter(async () => {})).toEqual([])
  })

  test.each<[string, (sql: AnySql) => Promise<unknown>, string[]]>([
    [
      'a live merchant without a profile',
      (sql) => sql`update merchants set live = true, live_enabled = true`,
      ['Live payments: problem'],
    ],
    [
      'a live merchant with both connections, and all that they need',
      (sql) => liveWith(sql, { acquirer_bin: '400000', acquirer_merchant_id: 'TEA' }),
      [],
    ],
    [
      'a 3-D Secure connection that needs more of the profile',
      (sql) => liveWith(sql, { acquirer_bin: '400000' }),
      ['Live payments: problem'],
    ],
    [
      'a shifted clock',
      (sql) => sql`insert into service_clock (only_row, offset_seconds) values (true, 60)`,
      ["Service's time: warning"],
    ],
    [
      'a key that ends tomorrow',
      (sql) => sql`update api_keys set expires_at = ${ago(-24 * hours)}`,
      ['Secret keys: warning'],
    ],
    [
      'a key that ended long ago, beside another',
      async (sql) => {
        const { key } = await newKey(service.operator, service.account.merchant_id)
        await sql`update api_keys set expires_at = ${ago(60 * 24 * hours)} where key_id = ${key.key_id}`
      },
      [],
    ],
    ['no publishable key', (sql) => sql`update publishable_keys set revoked_at = ${ago(0)}`, ['Secret keys: warning']],
    [
      'keys of a suspended merchant',
      (sql) => sql`with m as (update merchants set status = 'suspended' returning 1)
        update api_keys set expires_at = ${ago(60)}`,
      [],
    ],
    [
      'a secret that does not open',
      (sql) => sql`update webhook_endpoints set sealed_secret = ${Buffer.alloc(120, 1)}`,
      ['Master key: problem'],
    ],
    ['a delivery due for an hour', (sql) => sql`update webhook_queue set due_at = ${ago(hours)}`, ['Worker: problem']],
    [
      'the same at an endpoint that is left alone',
      async (sql) => {
        await sql`update webhook_queue set due_at = ${ago(hours)}`
        await sql`insert into webhook_endpoint_health
          (merchant_id, endpoint_id, state, open_until, reopen_count, last_failure, changed_at)
          values (${service.account.merchant_id}, ${endpoint_id}, 'open', ${ago(-60)}, 1, 'tls', ${ago(60)})`
      },
      ['Endpoints: warning'],
    ],
    ['three failures', (sql) => attempts(sql, ['failed', 'failed', 'failed']), ['Endpoints: warning']],
    ['three failures and a success', (sql) => attempts(sql, ['failed', 'failed', 'failed', 'succeeded']), []],
    ['two failures', (sql) => attempts(sql, ['failed', 'failed']), []],
    ['a dead letter', (sql) => attempts(sql, ['dead_lettered']), ['Dead letters: warning']],
    ['a dead letter that was replayed', replayed, []],
    ['a dead letter that is being replayed', (sql) => replayed(sql, null), []],
    ['a dead letter whose replay died, too', (sql) => replayed(sql, 'dead_lettered'), ['Dead letters: warning']],
    ['a dead letter of last week', (sql) => attempts(sql, ['dead_lettered'], 7 * 24 * hours), []],
    ['a hold past its deadline', (sql) => sql`update holds set deadline = ${ago(hours)}`, ['Holds: warning']],
    [
      'a lost answer that waits for a person',
      (sql) => lose(sql, { waits_for_person_since: ago(60), next_check_at: null }),
      ['Lost answers: problem'],
    ],
    [
      'a lost answer that nobody looks for',
      (sql) => lose(sql, { waits_for_person_since: null, next_check_at: ago(hours) }),
      ['Worker: problem'],
    ],
    [
      'an orphan that is held back',
      (sql) => sql`insert into orphan_authorisations
        (acquirer, reference, mode, amount, currency, found_at, operation_id, state, tries, held_back_at)
        values ('simulator', 'r', 'test', 1, 'GBP', ${ago(60)}, 'o', 'found', 0, ${ago(60)})`,
      ['Orphans: problem'],
    ],
    [
      'a receipt that waits for hours',
      (sql) => sql`insert into receipt_queue (merchant_id, payment_id, mode, created_at, due_at, tries)
        values (${service.account.merchant_id}, ${payment_id}, 'test', ${ago(2 * hours)}, ${ago(-60)}, 3)`,
      ['Receipts: warning'],
    ],
    ['as many declines as end a brake', (sql) => declines(sql, 29, ago(-60)), []],
    ['as many as pull it', (sql) => declines(sql, 30, ago(-60)), ['Card testing: warning']],
    ['as many some time ago', (sql) => declines(sql, 30, ago(1)), []],
    [
      'as many declines of one address as one may have',
      (sql) => declines(sql, 10, ago(-60), 'declines_of_address a1'),
      ['Card testing: warning'],
    ],
    ['one less', (sql) => declines(sql, 9, ago(-60), 'declines_of_address a1'), []],
    [
      'a proxy that a process was not told of',
      (sql) => sql`insert into processes (process_id, serves, seen_at, unnamed_proxy)
        values ('p', true, ${ago(0)}, '10.0.0.2')`,
      ['Proxies: warning'],
    ],
    ['a running process without the current key', (sql) => lacksKey(sql, ago(0)), ['Master key: problem']],
    ['one that died with all others', (sql) => lacksKey(sql, ago(60)), []],
    [
      'test sessions of three days and a half, which should be gone after two',
      (sql) => olderLines(sql, 84 * hours),
      ['Unpaid sessions: warning', 'Journal: warning'],
    ],
    ['those of two and a half', (sql) => olderLines(sql, 60 * hours), ['Journal: warning']],
    [
      'older ones that the purge has seen',
      async (sql) => {
        await olderLines(sql, 84 * hours)
        await sql`insert into session_purges (merchant_id, mode, until)
          select ${service.account.merchant_id}, mode, (select max(entry_id) from journal)
          from unnest(array['test', 'live']) as m (mode)`
      },
      ['Journal: warning'],
    ],
  ])('%s', async (_, change, expected) => {
    expect(await foundAfter(change)).toEqual(expected)
  })

  async function lacksKey(sql: AnySql, seen_at: Date) {
    await sql`delete from processes`
    await sql`insert into processes (process_id, serves, seen_at, lacks_key) values ('p', true, ${seen_at}, 'aaaaaaaa')`
  }

  async function declines(sql: AnySql, count: number, until: Date, name = 'declines_of_merchant client') {
    const uses = Object.fromEntries(Array.from({ length: count }, (_, index) => [`pay_${index}`, until.getTime()]))
    await sql`insert into limit_uses (merchant_id, name, uses, ends_at)
      values (${service.account.merchant_id}, ${name}, ${uses as never}, ${until})`
  }

  /** The lines of the journal, and with them the sessions that they name, are so old. Nobody has sealed them. */
  async function olderLines(sql: AnySql, age_seconds: number) {
    const from = idsFrom(ago(age_seconds))
    await sql`update journal set entry_id = ${from} || substr(entry_id, ${from.length + 1})`
  }

  async function attempts(sql: AnySql, statuses: ('failed' | 'succeeded' | 'dead_lettered')[], age_seconds = 600) {
    for (const [index, status] of statuses.entries()) {
      const occurred_at = ago(age_seconds - index)
      await insertAttempt({ ...service, sql: sql as Sql }, { endpoint_id, status, occurred_at })
    }
  }

  /** A dead letter and its replay, which is under way where it has not ended. */
  async function replayed(sql: AnySql, ended: 'succeeded' | 'dead_lettered' | null = 'succeeded'): Promise<void> {
    const place = { ...service, sql: sql as Sql }
    const of = { endpoint_id, payment_id }
    const { delivery_id } = await deadLetter(place, { ...of, created_at: ago(600) })
    if (ended === null) {
      await sql`update webhook_deliveries set active_replay = ${'f'.repeat(32)}
        where delivery_id = ${delivery_id}`
      return
    }
    const replays = { replay_of: delivery_id, root_id: delivery_id, status: ended }
    await deadLetter(place, { ...of, ...replays, created_at: ago(500) })
  }

  /** Makes the payment's charge one that was never answered. */
  function lose(sql: AnySql, stands: { waits_for_person_since: Date | null; next_check_at: Date | null }) {
    return sql`update acquirer_operations set state = 'unknown', answer_by = ${ago(hours)}, ${assignments(sql, stands)}
      where payment_id = ${payment_id}`
  }
})
