// What service, PostgreSQL and generator have spent so far: the time they had a core, bytes of the log and of the disk.

import type postgres from 'postgres'
import { cpuSeconds, familyCpuSeconds, machineCpuSeconds } from './proc.ts'
import { databasePid, type Started } from './service.ts'

/** All that was spent so far. */
export type Spent = {
  service_ms: number
  postgresql_ms: number
  generator_ms: number
  machine_ms: number
  log_bytes: number
  disk_bytes: number
  transactions: number
}
export type Watch = () => Promise<Spent>

export async function openWatch(
  { pid }: Started,
  { data_dir, sql }: { data_dir: string; sql: postgres.Sql },
): Promise<Watch> {
  const serving = await databasePid(data_dir)
  return async () => {
    const [row] = await sql<[Pick<Spent, 'log_bytes' | 'disk_bytes' | 'transactions'>]>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as log_bytes,
        pg_database_size(datname)::float8 as disk_bytes, xact_commit::float8 as transactions
      from pg_stat_database where datname = current_database()`
    return {
      ...row,
      service_ms: cpuSeconds(pid) * 1000,
      postgresql_ms: familyCpuSeconds(serving) * 1000,
      generator_ms: cpuSeconds(process.pid) * 1000,
      machine_ms: machineCpuSeconds() * 1000,
    }
  }
}

export function spentBetween(from: Spent, to: Spent): Spent {
  const members = Object.keys(from) as (keyof Spent)[]
  return Object.fromEntries(members.map((name) => [name, to[name] - from[name]])) as Spent
}
