// The disk fills up while sessions are created: refusals, nothing broken, and on as soon as there is room again.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statfsSync } from 'node:fs'
import { readConfig } from '../../src/config/config.ts'
import { connect } from '../../src/database/driver/driver.ts'
import type { Home } from '../../src/database/embedded/home.ts'
import { listeningFolder } from '../../src/database/embedded/process.ts'
import { open } from '../../src/service/resources.ts'
import { realClock } from '../../tests/support/world.ts'
import { type Diary, openDiary } from '../storm/diary.ts'
import { mountMemory, withFolder } from './disk.ts'
import { createOn, faultsOfReplays, openShop } from './shop.ts'

export type DiskFull = {
  acked: number
  refused: number
  /** The server ended for want of room for its log, and another came. */
  has_fallen: boolean
  recovery_ms: number
  faults: string[]
}

/** What has no room: new pages of tables, or the write-ahead log as well. */
export type Full = 'tables' | 'log'

const disk_megabytes = 320
/** What is left when it gets tight. */
const left_bytes = 512 * 1024
/** How long it stays full. */
const full_ms = 5_000
const limit_ms = 120_000

export function fillDisk(full: Full): Promise<DiskFull> {
  return withFolder(async (folder) => {
    const disk = `${folder}/disk`
    mountMemory(disk, disk_megabytes)
    const data_dir = `${disk}/data`
    const diary = openDiary(`${folder}/answers.jsonl`)
    const shop = await openShop(data_dir)
    const clients = createOn(shop.program, diary, 'tight')
    await waitFor(() => diary.counts.acked > 100, 'nothing is created')

    const filler = `${disk}/filler`
    const { bavail, bsize } = statfsSync(disk)
    execFileSync('fallocate', ['-l', String(bavail * bsize - left_bytes), filler])
    await waitFor(() => diary.counts.unavailable > 0, 'the disk does not fill up')
    if (full === 'log') await useUpLog(shop.home)
    await realClock.sleep(full_ms)
    const { unavailable: refused, acked } = diary.counts
    rmSync(filler)
    const freed_ms = performance.now()
    await waitFor(() => diary.counts.acked > acked, 'it does not recover')
    const recovery_ms = performance.now() - freed_ms
    clients.stop()
    const has_fallen = logOf(shop.home).includes('PANIC')

    const faults = await faultsOfReplays(shop.program, diary)
    if (has_fallen !== (full === 'log')) faults.push(`the server ended: ${has_fallen}`)
    await shop.program.stop()
    faults.push(...(await faultsOfPages(data_dir, diary)))
    diary.close()
    return { acked: diary.counts.acked, refused, has_fallen, recovery_ms, faults }
  })
}

/** Begins one segment of the write-ahead log after the other, until there is no room for a next. */
async function useUpLog(home: Home): Promise<void> {
  const address = { socket_folder: listeningFolder(home), database: 'postgres' }
  const sql = connect(address, { connections_max: 1 })
  try {
    for (;;) await sql`select pg_switch_wal(), pg_logical_emit_message(true, '', 'one more')`
  } catch {
    // The server is gone.
  } finally {
    await sql.end({ timeout: 0 })
  }
}

function logOf(home: Home): string {
  return readFileSync(home.log_file, 'utf8')
}

/** Every page of every table can be read, and each key has one session. */
async function faultsOfPages(data_dir: string, diary: Diary): Promise<string[]> {
  const config = readConfig({ RIPPER_DATA_DIR: data_dir, RIPPER_LOG_LEVEL: 'silent' })
  const { database } = await open(config)
  const { sql } = database
  try {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('public', 'vault', 'simulator')`
    for (const { name } of tables) await sql.unsafe(`select sum(length(t::text)) from ${name} t`)
    const rows = await sql<{ key: string; count: number }[]>`
      select metadata->>'key' as key, count(*)::int as count from sessions group by 1`
    const counts = new Map(rows.map(({ key, count }) => [key, count]))
    return diary.promises.flatMap(({ key }) =>
      counts.get(key) === 1 ? [] : [`${key} has ${counts.get(key) ?? 0} sessions`],
    )
  } catch (error) {
    return [`the data cannot be read: ${(error as Error).message}`]
  } finally {
    await database.close()
  }
}

async function waitFor(fits: () => boolean, otherwise: string): Promise<void> {
  const give_up_ms = performance.now() + limit_ms
  while (!fits()) {
    if (performance.now() > give_up_ms) throw new Error(otherwise)
    await realClock.sleep(20)
  }
}
