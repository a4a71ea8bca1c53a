// Cells that are moved while a process runs, on one PostgreSQL with as much of Citus' catalogue as cells are found by.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { CellMovedError, cellFault, cellOf, cellsOf, watchCells } from '../../src/database/cells/cells.ts'
import { openCells } from '../../src/database/cells/find-cell.ts'
import { isStoreUnavailable } from '../../src/database/failures.ts'
import type { Sql } from '../../src/database/open.ts'
import { freshDatabase } from '../support/database.ts'
import { onOneServer } from '../support/one-server.ts'

const database = await freshDatabase()
const { sql, close } = await database.open({ connections_max: 2 })
const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()))
  await close()
  await database.drop()
})

const { hostname, port } = new URL(database.url)
const address = { host: hostname, port: Number(port || 5432) }

/** Both shards are the one table there is. */
beforeAll(async () => {
  await sql.unsafe(`
    create table pg_dist_local_group (groupid integer);
    create table pg_dist_partition (logicalrelid regclass, partmethod "char", colocationid integer, repmodel "char");
    create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text);
    create table pg_dist_placement (shardid bigint, groupid integer);
    create table pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text);
    create table homes (merchant_id text, shardid bigint);
    create function shard_name(regclass, bigint) returns text language sql as 'select $1::text';
    create function worker_hash(text) returns integer language sql as 'select 0';
    create function get_shard_id_for_distribution_column(regclass, text) returns bigint
      language sql as 'select shardid from homes where merchant_id = $2';
    insert into pg_dist_local_group values (1);
    insert into pg_dist_partition values ('sessions', 'h', 1, 's');
    insert into pg_dist_shard values ('sessions', 1, '-10', '-1'), ('sessions', 2, '0', '9');
    insert into pg_dist_placement values (1, 1), (2, 1);
    insert into pg_dist_node values (1, '${address.host}', ${address.port}, 'primary'),
      (2, '192.0.2.1', ${address.port}, 'primary');
    insert into homes values ('m_one', 1), ('m_two', 2)`)
  await sql.unsafe(readFileSync(new URL('../../src/database/cells/make-cells.sql', import.meta.url), 'utf8'))
  await makeCells()
})

const makeCells = () => sql`select make_cells(34)`

/** A process's view of the cells, from a pool of its own. */
async function begin(): Promise<Sql> {
  const own = await database.open({ connections_max: 2 })
  const options = { connections_max: 2 }
  opened.push((await openCells(own.sql, { url: database.url, options }))!, own)
  return own.sql
}

const count = async (whole: Sql, merchant_id: string) => {
  const cell = await cellOf(whole, merchant_id)
  return (await cell<{ n: number }[]>`select count(*)::int as n from sessions`)[0]!.n
}

onOneServer('each node gives the role the time for which this service waits for a lock', async () => {
  const [limits] = await sql<[{ of_role: string[]; own: string }]>`
    select setconfig as of_role, (select setting from pg_settings where name = 'lock_timeout') as own
    from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
    where d.datname = current_database() and s.setrole = current_user::regrole`
  expect(limits.of_role).toEqual([`lock_timeout=${limits.own}`])
})

onOneServer('a process refuses what would go to where a cell was, and serves the others', async () => {
  const whole = await begin()
  expect([await count(whole, 'm_one'), await count(whole, 'm_two')]).toEqual([0, 0])
  expect(await watchCells({ sql: whole })).toBe(0)
  expect(cellFault(whole)).toBeNull()
  await sql`update pg_dist_placement set groupid = 2 where shardid = 1`
  await expect(watchCells({ sql: whole })).rejects.toThrow('start it again')
  expect(cellFault(whole)).toContain('start it again')
  for (let tries = 0; tries < 3; tries++) {
    const error = await count(whole, 'm_one').catch((error: unknown) => error)
    expect(isStoreUnavailable(error)).toBe(true)
  }
  expect(await count(whole, 'm_two')).toBe(0)
  await expect(watchCells({ sql: whole })).rejects.toThrow('start it again')
})

onOneServer('a statement that is under way there ends with an error, and its pool is not opened again', async () => {
  await sql`update pg_dist_placement set groupid = 1 where shardid = 1`
  const whole = await begin()
  const cell = await cellOf(whole, 'm_one')
  const under_way = cell`select pg_sleep(30)`.catch((error: unknown) => error)
  while (
    (
      await sql`select 1 from pg_stat_activity where query like '%pg_sleep(30)%' and state = 'active'
    and pid <> pg_backend_pid()`
    ).length === 0
  );
  await sql`update pg_dist_placement set groupid = 2 where shardid = 1`
  await expect(watchCells({ sql: whole })).rejects.toThrow('start it again')
  expect(isStoreUnavailable(await under_way)).toBe(true)
  expect(isStoreUnavailable(await cell`select 1`.catch((error: unknown) => error))).toBe(true)
})

onOneServer('a merchant that got a shard of its own is not looked for where it was', async () => {
  await sql`update pg_dist_placement set groupid = 1 where shardid = 1`
  const whole = await begin()
  expect(await count(whole, 'm_two')).toBe(0)
  await sql`insert into pg_dist_shard values ('sessions', 3, '10', '10')`
  await sql`insert into pg_dist_placement values (3, 1)`
  await sql`update homes set shardid = 3 where merchant_id = 'm_two'`
  await expect(watchCells({ sql: whole })).rejects.toThrow('start it again')
  const error = await count(whole, 'm_two').catch((error: unknown) => error)
  expect(error).toBeInstanceOf(CellMovedError)
  expect(await count(whole, 'm_one')).toBe(0)
  await makeCells()
  expect(await count(await begin(), 'm_two')).toBe(0)
})

onOneServer('making cells drops the views of those that the node has no longer', async () => {
  const whole = await begin()
  const [first] = cellsOf(whole)
  expect(await first!.sql`select 1 from sessions`).toEqual([])
  await sql`update pg_dist_placement set groupid = 2 where shardid = 1`
  await makeCells()
  await expect(first!.sql`select 1 from sessions`).rejects.toThrow('does not exist')
})
