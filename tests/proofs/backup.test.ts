// A backup while the service runs, put back elsewhere: what it has, what it lacks, and where it is refused.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import type { Sql } from '../../src/database/open.ts'
import { jobs } from '../../src/jobs.ts'
import { embeddedIn, make } from '../support/backup-stage.ts'
import { openClient, purchase, refusal } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { prelude, readGuide, withChanges } from '../support/guide-blocks.ts'
import { answer, ripper, shell } from '../support/programs.ts'
import { loopback, type Service, startService } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'
import { quiet, realClock } from '../support/world.ts'

const master_key = randomBytes(32)
const RIPPER_MASTER_KEY = master_key.toString('base64')
const place = mkdtempSync(join(tmpdir(), 'ripper-backup-'))
// As root, the server's user has to come through.
chmodSync(place, 0o711)
const first_dir = join(place, 'first')
const backup = join(place, 'shop.backup')
/** What COPY has signs of its own for. */
const order_reference = '\\N \\. back\\slash, "quote"'
const databases: FreshDatabase[] = []
const at = { paid: [] as string[], lost: [] as string[], key: '' }
let written: { key_id: string; rows: Record<string, number> }

beforeAll(async () => {
  await make(first_dir)
  const service = await startService({
    database: embeddedIn(first_dir),
    master_key,
    allowed_networks: loopback,
  })
  const { client, account } = service
  at.key = account.secret_key
  for (const name of ['keep_webhook_partitions', 'keep_request_partitions']) {
    await jobs.find((job) => job.name === name)!.run(service.context as never)
  }
  await client.createEndpoint({ url: 'http://127.0.0.1:9/hooks' })
  await client.create({ ...purchase, order_reference }, 'odd')
  at.paid.push((await client.pay()).body.payment_id, (await client.pay()).body.payment_id)
  const session = await client.open()
  await client.reference(session)
  // As every start, a command writes down which key seals.
  await answer(['orphan', 'list'], { env: envOf(first_dir) })
  written = await answer(['backup', backup], { env: envOf(first_dir) })
  at.lost.push((await client.pay()).body.payment_id)
  await service.close()
}, 120_000)

afterAll(async () => {
  for (const database of databases) await database.drop()
  removeData(place)
})

function envOf(data_dir: string): Record<string, string> {
  return { RIPPER_DATA_DIR: data_dir, RIPPER_MASTER_KEY }
}

async function emptyServer(): Promise<{ database: FreshDatabase; env: Record<string, string> }> {
  const database = await freshDatabase('empty')
  databases.push(database)
  return { database, env: { RIPPER_DATABASE_URL: database.url, RIPPER_MASTER_KEY } }
}

describe('a backup', () => {
  test('is readable by its user alone, says which key it needs, and holds neither key nor security code', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    const text = gunzipSync(readFileSync(backup)).toString()
    expect(text).toContain(`"key_id":"${written.key_id}"`)
    expect(text).not.toContain(RIPPER_MASTER_KEY)
    expect(text).not.toContain(master_key.toString('hex'))
    expect(text).not.toContain('security_codes')
    expect(written.rows).toMatchObject({ 'public.payments': 2, 'vault.cards': 1 })
  })

  test('that cannot be written says so, and leaves nothing', async () => {
    const path = join(place, 'no folder', 'shop.backup')
    const { status, stderr } = await ripper(['backup', path], { env: envOf(first_dir) })
    expect([status, stderr]).toEqual([1, expect.stringContaining('no such file or directory')])
  })

  test('replaces no file', async () => {
    const { status, stderr } = await ripper(['backup', backup], { env: envOf(first_dir) })
    expect([status, stderr]).toEqual([1, expect.stringContaining('is there already')])
  })

  test('of an embedded database is put back into a new folder', async () => {
    const data_dir = join(place, 'second')
    mkdirSync(data_dir, { mode: 0o711 })
    writeFileSync(join(data_dir, 'master.key'), RIPPER_MASTER_KEY, { mode: 0o600 })
    const env = { RIPPER_DATA_DIR: data_dir }
    await isPutBack(env, embeddedIn(data_dir))
  })

  test('is made and put back by the commands of the guide', async () => {
    const { blocks } = readGuide('docs/operations/backup.md')
    const place_of_it = { '/backups/shop.backup': join(place, 'guide.backup') }
    const { env } = await emptyServer()
    for (const [name, where] of [
      ['backup', envOf(first_dir)],
      ['restore', env],
    ] as const) {
      const command = prelude + withChanges(blocks[name]!, place_of_it)
      const { status, stdout, stderr } = await shell(command, { env: where })
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toContain(name === 'backup' ? written.key_id : 'The journal is whole')
    }
  })

  test('has every table that a crash would leave', async () => {
    const database = await freshDatabase()
    databases.push(database)
    const { sql, close } = await database.open()
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', nspname, relname) as name
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind in ('r', 'p') and relpersistence = 'p' and not relispartition
        and nspname in ('public', 'vault', 'simulator')`
    await close()
    const names = tables.map(({ name }) => name).toSorted()
    expect(Object.keys(written.rows).toSorted()).toEqual(names)
  })

  test('moves to a PostgreSQL server, and from there to another, the same', async () => {
    const one = await emptyServer()
    await isPutBack(one.env, one.database)
    const second = join(place, 'server.backup')
    const before = await answer(['backup', second], one)
    const other = await emptyServer()
    expect((await answer(['restore', second], other)).rows).toEqual(before.rows)
    const sums = await Promise.all([one, other].map(({ database }) => sumOf(database)))
    expect(sums[0]).toEqual(sums[1])
  })

  test('of an adopted database, whose columns are in another order, goes into a fresh one, and back', async () => {
    const one = await emptyServer()
    await isPutBack(one.env, one.database)
    const adopted = await emptyServer()
    await withSql(adopted.database, async (sql) => {
      await migrate({ sql, log: quiet, clock: realClock })
      await sql`alter table sessions drop column order_reference, add column order_reference text`
      await sql`alter table sessions add column note text`
    })
    // As the release before wrote it, and nobody has compared since.
    await withSql(one.database, (sql) => sql`update migrations set name = '0035_of_then.sql' where number = 35`)
    const columns: string[][] = []
    let from = one
    for (const to of [adopted, await emptyServer()]) {
      const path = join(place, `${randomBytes(4).toString('hex')}.backup`)
      const { rows, columns_left_out } = await answer(['backup', path], from)
      columns.push(columns_left_out)
      expect(await answer(['restore', path], to)).toMatchObject({ rows, faults: 0 })
      from = to
    }
    expect(columns).toEqual([[], ['public.sessions.note']])
    const { stdout } = await ripper(['backup', join(place, 'adopted.backup')], adopted)
    expect(stdout).toContain('It lacks these columns, which are not of the service: public.sessions.note.')
    const orders = await Promise.all([one, adopted, from].map(({ database }) => ordersOf(database)))
    expect(orders[0]).toHaveLength(1)
    expect([orders[1], orders[2]]).toEqual([orders[0], orders[0]])
    await withSql(from.database, async (sql) => {
      expect(await sql`select name from migrations where number = 35`).toEqual([{ name: 'schema' }])
    })
  })

  const ordersOf = (database: FreshDatabase) =>
    withSql(
      database,
      (sql) => sql`
        select session_id, order_reference from sessions where order_reference is not null order by session_id`,
    )

  async function withSql<T>(database: FreshDatabase, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const { sql, close } = await database.open()
    try {
      return await work(sql)
    } finally {
      await close()
    }
  }

  /** What the tables hold, as far as a restore itself does not write there. */
  async function sumOf(database: FreshDatabase): Promise<unknown> {
    const { sql, close } = await database.open()
    const rows = await sql`
      select (select md5(string_agg(s::text, '|' order by session_id)) from sessions s) as sessions,
        (select md5(string_agg(e::text, '|' order by event_id)) from events e) as events,
        (select md5(string_agg(d::text, '|' order by delivery_id)) from webhook_deliveries d) as deliveries,
        (select md5(string_agg(m::text, '|' order by number)) from migrations m) as migrations,
        (select string_agg(c.relname, ',' order by c.relname) from pg_class c where relispartition and relkind = 'r') as partitions`
    await close()
    return rows[0]
  }
})

async function isPutBack(env: Record<string, string>, database: FreshDatabase): Promise<void> {
  const restored = await answer(['restore', backup], { env })
  expect(restored).toMatchObject({ key_id: written.key_id, rows: written.rows, faults: 0 })
  const { brakes } = await answer(['orphan', 'list'], { env })
  expect(brakes).toMatchObject([{ reason: expect.stringContaining('was restored') }])
  const { stdout } = await ripper(['doctor', '--json'], { env })
  const found = JSON.parse(stdout).checks.filter(({ status }: { status: string }) => status !== 'ok')
  const named = found.map(({ name, found }: { name: string; found: string }) => `${name}: ${found}`)
  expect(named.filter((line: string) => /^Orphans: .*was restored/.test(line))).toHaveLength(1)
  expect(named.filter((line: string) => /^(Journal|Master key|Tables)/.test(line))).toEqual([])

  const service = await startService({ database, master_key, allowed_networks: loopback })
  await holds(service)
  await service.close()
}

async function holds({ base_url, sql }: Service): Promise<void> {
  const client = openClient({ base_url, secret_key: at.key })
  for (const id of at.paid) expect((await client.readPayment(id)).body.status).toBe('captured')
  for (const id of at.lost) expect(refusal(await client.readPayment(id))).toMatch(/^404 /)
  const [odd] = await sql`select order_reference from sessions where order_reference like ${'%quote%'}`
  expect(odd).toEqual({ order_reference })
  expect(await sql`select 1 from vault.security_codes`).toHaveLength(0)
  expect((await client.pay()).body.status).toBe('captured')
}

describe('a restore is refused', () => {
  const text = () => gunzipSync(readFileSync(backup)).toString('latin1')
  const packed = (changed: string) => gzipSync(Buffer.from(changed, 'latin1'))

  test.each<[string, () => Buffer, string]>([
    ['of a file that was cut off', () => readFileSync(backup).subarray(0, -200), 'was cut off'],
    ['of text without its end', () => packed(text().slice(0, -400)), 'was cut off'],
    ['of another file', () => Buffer.from('no gzip'), 'is not a backup'],
    ['of a packed other file', () => packed('select 1;\n'), 'is not a backup'],
    [
      'of a file that lost a row',
      () => packed(text().replace(/^(copy public\.journal .*\n).*\n/m, '$1')),
      'other rows than it says',
    ],
    [
      'of a file with a statement of somebody else',
      () => packed(text().replace('commit;', 'drop table merchants;\ncommit;')),
      'has a line that no backup has',
    ],
    [
      'of a row that the database does not take',
      () => packed(text().replace(/^(copy public\.payments .*\n)/m, '$1half a row\n')),
      'missing data for column',
    ],
    [
      'of a newer release',
      () => packed(text().replace(/"migration":\d+/, '"migration":900')),
      'restore it with that release',
    ],
    [
      'of a release before the schema',
      () => packed(text().replace(/"migration":\d+/, '"migration":34')),
      'and this one begins with 35: restore it with the release of commit',
    ],
    [
      'of a table that lacks a column',
      () => packed(text().replace(/^(copy public\.refunds .*), reason/m, '$1')),
      'has a table that is not of its release: public.refunds',
    ],
  ])('%s, and leaves nothing behind', async (_, content, words) => {
    const { database, env } = await emptyServer()
    const path = join(place, `${randomBytes(4).toString('hex')}.backup`)
    writeFileSync(path, content())
    const { status, stderr } = await ripper(['restore', path], { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
    await emptiesOf(database, (rows) => expect(rows).toBe(0))
    // Broken off is not spoilt.
    expect((await answer(['restore', backup], { env })).faults).toBe(0)
  })

  async function emptiesOf(database: FreshDatabase, told: (rows: number) => void): Promise<void> {
    const { sql, close } = await database.open()
    const [made] = await sql`select to_regclass('payments') is not null as made`
    const [row] = made!.made
      ? await sql`select count(*)::int as count from (select 1 from payments union all select 1 from sessions) rows`
      : [{ count: 0 }]
    told(row!.count)
    await close()
  }

  test.each<[string, (sql: Sql) => PromiseLike<unknown>]>([
    ['with another program’s table', (sql) => sql`create table notes (text text)`],
  ])('into a database %s', async (_, before) => {
    const { database, env } = await emptyServer()
    const { sql, close } = await database.open()
    await before(sql)
    await close()
    const { status, stderr } = await ripper(['restore', backup], { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining('it has tables already')])
  })

  test('into the database that it is of', async () => {
    const { status, stderr } = await ripper(['restore', backup], { env: envOf(first_dir) })
    expect([status, stderr]).toEqual([1, expect.stringContaining('it has tables already')])
  })

  test.each<[string, Record<string, string>, string]>([
    ['with another key', { RIPPER_MASTER_KEY: randomBytes(32).toString('base64') }, 'holds'],
    ['without a key', {}, 'Put it into'],
  ])('%s, before anything is made', async (_, key, words) => {
    const data_dir = join(place, randomBytes(4).toString('hex'))
    const { status, stderr } = await ripper(['restore', backup], {
      env: { RIPPER_DATA_DIR: data_dir, ...key },
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(stderr).toContain(written.key_id)
    expect(statSync(data_dir, { throwIfNoEntry: false })).toBeUndefined()
  })
})

test('no message has the password of the database', async () => {
  const env = { RIPPER_DATABASE_URL: 'postgresql://jo:s3cret@127.0.0.1:1/none', RIPPER_MASTER_KEY }
  for (const args of [
    ['backup', join(place, 'none')],
    ['restore', backup],
  ]) {
    const { status, stdout, stderr } = await ripper(args, { env })
    expect(status).toBe(1)
    expect(stdout + stderr).not.toContain('s3cret')
  }
})
