// A database whose clock a test sets, for programs in processes of their own: theirs is the machine's.

import type { Sql } from '../../src/database/open.ts'

/** Before anything else connects to the database. Returns what sets its clock ahead of the machine's, from then on. */
export async function skewDatabase(sql: Sql): Promise<(ahead_seconds: number) => Promise<void>> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`
    create schema skewed;
    create table skewed.skew (ahead interval);
    insert into skewed.skew values ('0');
    create function skewed.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + ahead from skewed.skew';
    alter database ${row!.name} set search_path to public, skewed, pg_catalog`)
  return async (seconds) => {
    await sql`update skewed.skew set ahead = make_interval(secs => ${seconds})`
  }
}
