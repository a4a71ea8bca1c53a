// Which users the embedded server admits, and what the service may do there.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { removeData } from '../../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../../tests/support/world.ts'
import { asAccount } from '../../config/owner.ts'
import { connect } from '../driver/driver.ts'
import { migrate } from '../migrate.ts'
import { type Database, openDatabase } from '../open.ts'
import { readServer } from '../rollback-detection/high-water-store.ts'
import { canReach } from './account.ts'
import { joinEmbedded } from './embedded.ts'
import { findHome } from './home.ts'

const root = process.getuid!() === 0
const folders: string[] = []
const open_ones: Database[] = []
afterEach(async () => {
  for (const database of open_ones.splice(0)) await database.close()
  folders.splice(0).forEach(removeData)
})

function folder(): string {
  const path = mkdtempSync(`${tmpdir()}/ripper-tests-${process.pid}-`)
  // If the test runs as root, the server's user must be able to pass through this folder.
  chmodSync(path, 0o711)
  folders.push(path)
  return path
}

async function open(data_dir: string): Promise<Database> {
  const options = { url: null, data_dir, connections_max: 2, log: quiet, clock: realClock }
  const database = await openDatabase(options)
  open_ones.push(database)
  return database
}

describe('the service’s role', { timeout: 60_000 }, () => {
  test('owns its database, and is no superuser', async () => {
    const { sql } = await open(folder())
    const [role] = await sql`
      select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
      from pg_roles where rolname = current_user`
    expect(role).toEqual({
      rolname: 'ripper_service',
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    })
    for (const each of [
      "copy (select 1) to program 'true'",
      "select pg_read_file('postgresql.conf')",
      'alter system set fsync = off',
      "set session_replication_role = 'replica'",
      'set role ripper',
    ]) {
      await expect(sql.unsafe(each), each).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('may do all that the service does: migrate, and see which server it has', async () => {
    const { sql } = await open(folder())
    await migrate({ sql, log: quiet, clock: realClock })
    const server = await readServer(sql)
    expect(server).toEqual({ system_identifier: expect.stringMatching(/^\d+$/), timeline: 1 })
  })

  test('is given what an older release made as the superuser', async () => {
    const data_dir = folder()
    await makeAsBefore(data_dir)
    const [first, second] = await Promise.all([open(data_dir), open(data_dir)])
    const { sql } = first!
    // Only an owner may do this.
    await sql`alter table kept add column more int`
    await sql`drop table kept_1`
    await sql`alter function twice(int) rename to double`
    await sql`alter schema apart rename to aside`
    await sql`alter sequence lone restart`
    const rows = await second!.sql`
      select relname from pg_class where pg_get_userbyid(relowner) = 'ripper'
        and relnamespace in ('public'::regnamespace, 'aside'::regnamespace)`
    expect([...rows]).toEqual([])
    const [row] = await sql`
      select n, id::int, (select pg_get_userbyid(datdba) from pg_database where datname = 'ripper')
        as owner from kept`
    expect(row).toEqual({ n: 200, id: 1, owner: 'ripper_service' })
    const { data_folder } = await findHome(data_dir)
    expect(readFileSync(`${data_folder}/pg_hba.conf`, 'utf8')).not.toContain('trust')
  })
})

/** A data folder as releases up to 0.1 made it, with a table, its partitions and related objects. */
async function makeAsBefore(data_dir: string): Promise<void> {
  const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
  await server.admin()`create database ripper template template0`
  const { socket_folder, data_folder } = server
  const { account } = await findHome(data_dir)
  const sql = connect({ socket_folder, database: 'ripper' }, { connections_max: 1 })
  await sql.unsafe(`
    create schema apart;
    create table apart.inside (n int);
    create sequence lone;
    create table kept (n int, id bigint generated always as identity) partition by range (n);
    create table kept_1 partition of kept for values from (0) to (100);
    create table kept_2 partition of kept for values from (100) to (300);
    create unlogged table codes (n int primary key);
    create view seen as select n from kept;
    create function twice(n int) returns int language sql return n * 2;
    insert into kept values (200);`)
  await sql.end()
  await server.leave()
  asAccount(account, () => writeFileSync(`${data_folder}/pg_hba.conf`, 'local all all trust\n'))
}

// This user runs our Node and our files, so it must be able to reach them.
const nobody = { uid: 65_534, gid: 65_534 }
const driver = fileURLToPath(new URL('../driver/driver.ts', import.meta.url))
const in_reach = [process.execPath, dirname(driver)].every((path) => canReach(path, nobody))

describe.runIf(root && in_reach)('another user', { timeout: 60_000 }, () => {
  test.each(['ripper', 'ripper_service'])('does not become %s, though it reach the socket', async (user) => {
    const data_dir = folder()
    await open(data_dir)
    const { socket_folder, account } = await findHome(data_dir)
    chmodSync(socket_folder, 0o755)
    chmodSync(`${socket_folder}/.s.PGSQL.5432`, 0o777)
    const asking = `
      const { connect } = await import(${JSON.stringify(driver)})
      const address = ${JSON.stringify({ socket_folder, database: 'ripper', user })}
      const sql = connect(address, { connections_max: 1 })
      const said = await sql\`select current_user as name\`.then(([row]) => row.name, (error) => error.code)
      console.log(said)
      await sql.end({ timeout: 1 })`
    const ask = (who: { uid: number; gid: number }) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', asking], {
        ...who,
        cwd: '/',
        encoding: 'utf8',
        env: {},
      }).stdout.trim()
    expect(ask(nobody)).toBe('28000')
    expect(ask(account)).toBe(user)
  })
})
