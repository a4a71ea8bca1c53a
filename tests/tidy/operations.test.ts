// Running it for real, as docs/operations.md and its pages say: a backup put back, a process stopped beside another, keys rotated,
// rights taken away, and every table in its place for Citus.

import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countSealedRows } from '../../src/cli/doctor/doctor-store.ts'
import { parametersOf } from '../../src/database/driver/driver.ts'
import { migrate } from '../../src/database/migrate.ts'
import { purgeKeys } from '../../src/http/idempotency.ts'
import { type JobContext, jobs } from '../../src/jobs.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { World } from '../../src/kernel/world.ts'
import { rewrapCards } from '../../src/payments/cards/rewrap-cards.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import { rewrapSecrets } from '../../src/webhooks/endpoints/rewrap-secrets.ts'
import { bankBooks, hashOf, keepBankBooks, makeBackup } from '../support/backup-stage.ts'
import { openClient, purchase, refusal, runChallenge } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { prelude, readOperations, withChanges } from '../support/guide-blocks.ts'
import { answer, serve, shell } from '../support/programs.ts'
import { drivenClock, loopback, startService } from '../support/service.ts'
import { quiet, realClock } from '../support/world.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { blocks, not_run, text } = readOperations()
const random = { bytes: randomBytes }
const minute_ms = 60_000

/** Every file of the service, without the tests among them. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, code: read(`src/${name}`) }))

/** The first cells of the table that stands below a heading. */
function namedBelow(heading: string): string[] {
  const [, section] = text.split(new RegExp(`^#+ ${heading}$`, 'm'))
  const [own] = section!.split(/^#+ /m)
  const rows = own!.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, it]) => it!))
}

describe('the guide', () => {
  test('has no block that is not run here, but those that say why', () => {
    expect(not_run).toEqual([
      ...['own-user', 'integrations', 'pg-backup', 'citus', 'roles', 'pgbouncer.ini', 'patroni.yml'],
      ...['proxy', 'haproxy', 'systemd', 'prometheus.yml'],
    ])
    const run = [...['backup', 'restore', 'embedded-backup', 'brake', 'release'], ...['role', 'hot-tables']]
    expect(Object.keys(blocks).toSorted()).toEqual([...not_run, ...run].toSorted())
  })

  test('names every job, every metric, and what is logged as an error', () => {
    expect(namedBelow('Jobs').toSorted()).toEqual(jobs.map(({ name }) => name).toSorted())
    const metrics = read('src/http/metrics.ts').match(/(?<=name: ')ripper_\w+/g)!
    const named = new Set(text.match(/\bripper_\w+(?=[`{])/g))
    expect(metrics.filter((name) => !named.has(name))).toEqual([])
    const warned = 'database could not be reached'
    expect(namedBelow('The log').toSorted()).toEqual([...errorsLogged(), warned].toSorted())
  })

  test('names warnings as they are logged', () => {
    const warnings = namedBelow('Warnings')
    expect(warnings.length).toBeGreaterThan(5)
    const code = sources.map((source) => source.code).join('\n')
    expect(warnings.filter((words) => !code.includes(`'${words}'`))).toEqual([])
  })

  /** The messages of `log.error(…)`; of one that is put together, its last words. */
  function errorsLogged(): string[] {
    const messages = sources.flatMap(({ code }) =>
      [...code.matchAll(/log(?:\.error|\[level\])\(([\s\S]*?)\)(?:,|\n)/g)].map(([, call]) => {
        const words = [...call!.matchAll(/'([^']+)'|`(?:[^`]*\})?([^`]+)`/g)].at(-1)!
        return (words[1] ?? words[2])!.trim()
      }),
    )
    return [...new Set(messages)]
  }

  test('has PgBouncer ignore what the service sets when it connects, and nothing else', () => {
    const names = Object.keys(parametersOf({}))
    // It follows these by itself.
    const followed = ['application_name', 'client_encoding', 'TimeZone']
    const left = names.filter((name) => !followed.includes(name))
    const [, ignored] = /^ignore_startup_parameters = (.*)$/m.exec(blocks['pgbouncer.ini']!)!
    expect(ignored!.split(', ').toSorted()).toEqual(left.toSorted())
    // Whether the other side is still there is the pooler's to find out.
    const to_set = left.filter((name) => !name.startsWith('tcp_keepalives_'))
    for (const name of to_set) expect(text).toContain(`set ${name} =`)
  })
})

describe('a backup of the embedded database', () => {
  let stage: Awaited<ReturnType<typeof makeBackup>>
  beforeAll(async () => {
    stage = await makeBackup()
  }, 60_000)
  afterAll(() => stage.remove())

  type Found = { live: number; held_back: number }
  /** A command of the guide, typed where the service of that environment runs or is to run. */
  async function typed(name: string, { env }: { env: Record<string, string> }): Promise<void> {
    const { status, stderr } = await shell(prelude + blocks[name]!, { env })
    expect([status, stderr]).toEqual([0, ''])
  }
  const pullBrake = (shop: { env: Record<string, string> }) => typed('brake', shop)

  test.each<[string, number, typeof pullBrake | undefined, Found]>([
    ['many payments later: they are held back', 21, undefined, { live: 21, held_back: 21 }],
    ['two payments later: they are held back', 2, undefined, { live: 2, held_back: 2 }],
    ['two payments later, the brake pulled: they are held back', 2, pullBrake, { live: 2, held_back: 2 }],
  ])(
    'is put back %s',
    async (_, count, before, found) => {
      const { receiver, payment_ids } = stage
      const heard = receiver.received.length
      const gone_on = await stage.restore()
      const lost = await gone_on.pay(count)
      const { body: order } = await gone_on.client.create(purchase, 'after')
      await receiver.has(heard + 2 + count)
      const told = receiver.received.slice(heard).map(({ event }) => event.id)
      const later = hashOf(await gone_on.verify())
      const books = await bankBooks(gone_on.service.sql)
      await gone_on.stop()

      const restored = await stage.restore(before)
      const { client, service, verify } = restored
      await keepBankBooks(service.sql, books)
      for (const id of payment_ids) expect((await client.readPayment(id)).status).toBe(200)
      for (const id of lost) expect(refusal(await client.readPayment(id))).toMatch(/^404 /)
      // The server was stopped in order, so even what no write-ahead log has is in the copy.
      expect(await service.sql`select 1 from vault.security_codes`).toHaveLength(1)
      // What was told after the backup is told again, under the same key.
      const again = await receiver.has(heard + 2 + count + 2)
      const ids = again.slice(heard + 2 + count).map(({ event }) => event.id)
      expect(told).toEqual(expect.arrayContaining(ids))

      const chain = await verify(stage.head, later)
      expect(chain.faults).toEqual([])
      expect(chain.found_heads.map(({ hash }) => hash)).toEqual([stage.head])

      expect((await client.create(purchase, 'before')).body).toEqual(stage.order)
      const anew = await client.create(purchase, 'after')
      expect(anew.status).toBe(201)
      expect(anew.body.id).not.toBe(order.id)

      stage.pass(3 * minute_ms)
      await sweepOrphans(service.context)
      const [counted] = await service.sql`
      select count(*) filter (where voided_at is null and reversed_at is null)::int - 2 as live,
        (select count(*)::int from orphan_authorisations
          where state = 'found' and held_back_at is not null) as held_back
      from simulator.ledger where authorised_at is not null`
      expect(counted).toEqual(found)
      const alarms = service.log.filter(({ level, message }) => level === 'error' && /ripper orphan list/.test(message))
      expect(alarms).toHaveLength(found.held_back > 0 ? 1 : 0)
      if (before) {
        const shown = await answer(['orphan', 'list'], restored)
        expect(shown.orphans).toHaveLength(count)
        const [{ pulled_at }] = shown.brakes
        const [{ swept_until }] = shown.sweeps
        expect(swept_until > pulled_at).toBe(true)
        await answer(['orphan', 'leave', '--held-back', '--reason', 'paid rightly'], restored)
        await typed('release', restored)
        stage.pass(5 * minute_ms)
        await sweepOrphans(service.context)
        expect(await answer(['orphan', 'list'], restored)).toMatchObject({ orphans: [], brakes: [] })
      }
      await restored.stop()
    },
    60_000,
  )
})

describe('two processes', () => {
  test('one stops under load, and what it cannot take any more the other takes', async () => {
    const database = await freshDatabase()
    const master_key = randomBytes(32)
    const { account, close } = await startService({ database, master_key })
    await close()
    const env = {
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: master_key.toString('base64'),
      RIPPER_PORT: '0',
      RIPPER_GATEWAY_LIMIT: '0',
      RIPPER_DATABASE_CONNECTIONS: '4',
    }
    const [leaving, staying] = await Promise.all([serve({ env }), serve({ env })])
    const addresses = [leaving, staying].map(({ said }) => said.base_url!)
    const keys: string[] = []
    const statuses = new Set<string | number>()
    const refused = new Set<string | number>()
    let is_over = false

    /** As a proxy does: to each in turn, and to the other where the one does not take it. */
    async function load(): Promise<void> {
      for (let turn = 0; !is_over; turn++) {
        const key = randomUUID()
        keys.push(key)
        const [one, other] = turn % 2 === 0 ? addresses : addresses.toReversed()
        const sent = { key, secret_key: account.secret_key }
        const first = await create(one!, sent).catch((error) => error.code as string)
        if (typeof first === 'string') refused.add(first)
        statuses.add(refused.has(first) ? await create(other!, sent) : first)
      }
    }
    const loads = Array.from({ length: 8 }, load)
    const answered = (count: number) => until(() => keys.length >= count)
    await answered(100)
    const ended = await leaving.stop()
    await answered(keys.length + 100)
    is_over = true
    await Promise.all(loads)
    const { status, stderr } = await staying.stop()
    expect([ended.status, ended.stderr, status, stderr]).toEqual([0, '', 0, ''])
    expect([...statuses]).toEqual([201])
    expect(refused).toContain('ECONNREFUSED')
    const others = [...refused].filter((how) => how !== 'ECONNREFUSED' && how !== 'ECONNRESET')
    expect(others).toEqual([])
    const opened = await database.open()
    const [row] = await opened.sql`select count(*)::int as count from sessions`
    expect(row).toEqual({ count: keys.length })
    await opened.close()
    await database.drop()
  }, 60_000)

  test('a challenge of the simulated bank is known to the one that began it, and paid by either', async () => {
    const master_key = randomBytes(32)
    const one = await startService({ master_key })
    const other = await startService({ master_key, database: one.database })
    const { client } = one
    const session = await client.open()
    const { url } = (await client.present(session, '4000000000003220')).body.three_ds.challenge
    // As a proxy does that does not care.
    const send = (from: string, to: string) => one.sql`update attempts set acs_url = replace(acs_url, ${from}, ${to})`
    await send(one.base_url, other.base_url)
    await runChallenge(url)
    expect((await client.state(session)).body.three_ds.state).toBe('awaiting_challenge')
    await send(other.base_url, one.base_url)
    await runChallenge(url)
    const { secret_key } = one.account
    const elsewhere = openClient({ base_url: other.base_url, secret_key })
    expect((await elsewhere.confirm(session)).body).toMatchObject({ status: 'captured' })
    await other.close()
    await one.close()
  })

  async function until(fits: () => boolean): Promise<void> {
    while (!fits()) await realClock.sleep(5)
  }

  /** A create over a connection of its own, which nothing sends again by itself. */
  function create(base_url: string, sent: { key: string; secret_key: string }): Promise<number> {
    return new Promise((answered, failed) => {
      const headers = {
        'content-type': 'application/json',
        'x-service-api-key': sent.secret_key,
        'rip-idempotency-key': sent.key,
      }
      const options = { method: 'POST', headers, agent: false }
      request(`${base_url}/v1/checkout/sessions`, options, (response) => {
        response.resume().on('end', () => answered(response.statusCode!))
      })
        .on('error', failed)
        .end(JSON.stringify(purchase))
    })
  }
})

describe('the master key', () => {
  test('that was rotated may go when nothing is left under it, and is missed before', async () => {
    const database = await freshDatabase()
    const [old, young] = [randomBytes(32), randomBytes(32)]
    const clock = drivenClock()
    const common = { database, clock, allowed_networks: loopback }
    const service = await startService({ ...common, master_key: old })
    const { client, account } = service
    const { body: session } = await client.create(purchase, 'order-1')
    await client.reference(session)
    await client.createEndpoint({ url: 'http://127.0.0.1:9/hooks' })
    await service.close()

    const { sql, close } = await database.open()
    const rotating = openKeyring([young, old], random)
    const old_key_id = openKeyring([old], random).current_key_id
    const left = async () => {
      const rows = await countSealedRows(sql, old_key_id)
      return rows.map(({ what }) => what).toSorted()
    }
    expect(await left()).toEqual([...['answers kept for replays', 'card numbers', 'security codes', 'signing secrets']])
    const context = { sql, keyring: rotating, world: { log: quiet } as World }
    expect([await rewrapCards(context), await rewrapSecrets(context)]).toEqual([1, 1])
    expect(await left()).toEqual(['answers kept for replays'])

    const early = await startService({ ...common, master_key: young })
    const { secret_key } = account
    const shopper = openClient({ base_url: early.base_url, secret_key })
    expect(refusal(await shopper.create(purchase, 'order-1'))).toBe('409 idempotency_key_reused')
    expect((await shopper.state(session)).status).toBeGreaterThanOrEqual(400)
    await early.close()

    const sealedColumns = await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where data_type = 'bytea' and column_name like '%sealed%' group by column_name`
    const counting = read('src/cli/doctor/doctor-store.ts')
    expect(
      sealedColumns.map(({ name }) => name).filter((name) => !counting.includes(`substring(${name} from`)),
    ).toEqual([])
    expect(sealedColumns.length).toBeGreaterThan(5)

    await purgeKeys(sql, new Date(clock.now().getTime() + 31 * 24 * 60 * minute_ms))
    expect(await left()).toEqual([])
    await close()
    await database.drop()
  })
})

describe('a database role', () => {
  test('that may make no tables and not change the journal serves, pays, and runs every job', async () => {
    const database = await freshDatabase()
    const owner = await database.open()
    const role = `ripper_service_${randomBytes(4).toString('hex')}`
    await owner.sql.unsafe(`create role ${role} login password 'secret'`)
    await owner.sql.unsafe(withChanges(blocks.role!, { ripper_service: role }))
    await owner.sql.unsafe(blocks['hot-tables']!)
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'secret' })
    const clock = drivenClock()
    const service = await startService({ database, database_url: url.href, clock })
    const { client, sql, log, context, account } = service
    expect(await migrate({ sql, log: quiet, clock })).toEqual([])
    expect((await client.pay()).body).toMatchObject({ status: 'captured' })
    await clock.advance(10_000)
    for (const { run } of jobs) await run(context as JobContext)
    const { merchant_id } = account
    const sealed = await sql`select 1 from audit_chain where merchant_id = ${merchant_id}`
    expect(sealed.length).toBeGreaterThan(3)
    const told = log.filter(({ level }) => level !== 'info' && level !== 'debug')
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining('may not make or drop their partitions'),
    ])
    for (const change of ['update journal set actor = $$x$$', 'delete from audit_chain', 'create table x ()']) {
      await expect(sql.unsafe(change)).rejects.toMatchObject({ code: '42501' })
    }
    await service.close()
    await owner.close()
    await database.drop()
    const rest = await freshDatabase()
    const admin = await rest.open()
    await admin.sql.unsafe(`drop role ${role}`)
    await admin.close()
    await rest.drop()
  })

  test('the address may turn prepared statements off, as PgBouncer may want it', async () => {
    const database = await freshDatabase()
    const prepared = async (url: string) => {
      const { sql, close } = await database.open({ url, connections_max: 1 })
      await sql`select ${1}::int`
      const rows = await sql`select 1 from pg_prepared_statements`
      await close()
      return rows.length
    }
    expect(await prepared(database.url)).toBeGreaterThan(0)
    expect(await prepared(`${database.url}&prepare=false`)).toBe(0)
    await database.drop()
  })
})

describe('citus.sql', () => {
  type Call = { how: string; table: string; column: string | undefined; beside: string | undefined }
  const call =
    /^select (create_reference_table|create_distributed_table)\('([\w.]+)'(?:, '(\w+)')?(?:, colocate_with => '(\w+)')?\);$/gm
  const calls = [...read('src/database/cells/citus.sql').matchAll(call)].map(
    ([, how, table, column, beside]): Call => ({ how: how!, table: table!, column, beside }),
  )
  const place = new Map(calls.map(({ how, table }, at) => [table, { how, at }]))

  type Table = { name: string; has_merchant: boolean }
  type Reference = { from: string; to: string }
  type Unique = { table: string; columns: string[] }
  let tables: Table[]
  let references: Reference[]
  let uniques: Unique[]

  beforeAll(async () => {
    const database = await freshDatabase()
    const { sql, close } = await database.open()
    const name = (oid: string) =>
      sql.unsafe(`case ${oid}::regclass::text when '' then '' else ${oid}::regclass::text end`)
    tables = await sql<Table[]>`
      select ${name('c.oid')} as name, exists (
        select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'merchant_id') as has_merchant
      from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`
    references = await sql<Reference[]>`
      select ${name('conrelid')} as from, ${name('confrelid')} as to
      from pg_constraint where contype = 'f' and conparentid = 0`
    uniques = await sql<Unique[]>`
      select ${name('i.indrelid')} as table, (
        select json_agg(a.attname) from pg_attribute a
        where a.attrelid = i.indrelid and a.attnum = any(i.indkey)) as columns
      from pg_index i join pg_class c on c.oid = i.indrelid
      where i.indisunique and not c.relispartition
        and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')`
    await close()
    await database.drop()
  })

  /** What no cell reads. */
  const on_coordinator = [
    ...['gateway_counts', 'high_water_marks', 'migrations', 'page_assets', 'processes'],
    ...['sealing_keys', 'service_clock', 'sign_in_tries'],
    ...['simulator.challenges', 'simulator.ledger'],
    ...['stream_seats', 'three_ds_ranges', 'unknown_names'],
  ]

  test('names every table once, and each after those that it refers to', () => {
    expect(tables.length).toBeGreaterThan(25)
    expect([...calls.map(({ table }) => table), ...on_coordinator].toSorted()).toEqual(
      tables.map(({ name }) => name).toSorted(),
    )
    for (const { from, to } of references) {
      if (on_coordinator.includes(from)) continue
      expect([from, to, place.get(from)!.at > place.get(to)!.at]).toEqual([from, to, true])
    }
  })

  test('distributes by merchant, side by side, what no unique key stands against', () => {
    const distributed = calls.filter(({ how }) => how === 'create_distributed_table')
    for (const { table, column, beside } of distributed) {
      expect([table, column, beside]).toEqual([...[table, 'merchant_id', table === 'sessions' ? 'none' : 'sessions']])
      for (const unique of uniques.filter((each) => each.table === table)) {
        expect([table, unique.columns]).toEqual([table, expect.arrayContaining(['merchant_id'])])
      }
    }
    // What has a merchant and is not distributed has a key that is unique among all, a merchant that may be unknown, or is a setting.
    const others = tables.filter(
      ({ name, has_merchant }) => has_merchant && place.get(name)?.how !== 'create_distributed_table',
    )
    expect(others.map(({ name }) => name).toSorted()).toEqual([
      ...[
        'acquirer_findings',
        'api_keys',
        'connections',
        'integrations',
        'memberships',
        'merchants',
        'orphan_authorisations',
      ],
      ...['publishable_keys', 'saved_filters', 'sign_in_links', 'support_refund_limits'],
    ])
  })

  test('lets reference tables refer to nothing but reference tables', () => {
    const wrong = references.filter(
      ({ from, to }) =>
        place.get(from)?.how === 'create_reference_table' && place.get(to)!.how !== 'create_reference_table',
    )
    expect(wrong).toEqual([])
  })
})
