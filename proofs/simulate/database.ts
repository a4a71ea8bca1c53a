// The database of a simulated world: emptied for each, with nothing in it that acts by itself and nothing that has to last.

import { connect } from '../../src/database/driver/driver.ts'
import type { AnySql, Sql } from '../../src/database/driver/pool.ts'
import type { Statement } from '../../src/database/driver/statement.ts'
import { keepForLater, readAssets, readDashboardAssets } from '../../src/pages/assets.ts'
import type { Outcome } from './meetings.ts'
import type { Meet } from './scheduler.ts'

/** What is due next; null for what is not. */
export type Due = Record<'operations' | 'notices' | 'holds' | 'orphans' | 'deliveries', Date | null>

export type WorldDatabase = {
  sql: Sql
  /** Makes all tables empty, as if nothing had ever been in them. */
  empty(): Promise<void>
  due(): Promise<Due & { swept_until: Date | null }>
  /** Until when the bank was gone through for orphans; null where it never was, or what was found is not judged. */
  sweptUntil(): Promise<Date | null>
  meet: Meet
  close(): Promise<void>
}

/** The pages' scripts stay in there from world to world, as they do from start to start of a service. */
const kept = 'page_assets'

/** How long a statement may take before it is asked whether it waits for a lock, milliseconds. */
const patience_ms = 1

/** At the address of a migrated database that nobody else uses. */
export async function openWorldDatabase(url: string): Promise<WorldDatabase> {
  const options = { connections_max: 1, statement_timeout_ms: 60_000, lock_timeout_ms: 60_000 }
  const all = [1, 2, 3, 4].map(() => connect(url, options))
  const [sql, side, other, watcher] = all as [Sql, Sql, Sql, Sql]
  for (const each of all) await each.unsafe(careless)
  const [main_pid, other_pid] = [await pidOf(sql), await pidOf(other)]
  await prepareTables(sql)
  await keepForLater(sql, new Date(), readAssets(), readDashboardAssets())

  /** Whether what goes on over a connection waits for a lock; false once it has ended. */
  async function isBlocked(pid: number, statement: Promise<unknown>): Promise<boolean> {
    let has_ended = false
    const end = statement.then(() => {
      has_ended = true
    })
    for (;;) {
      await Promise.race([end, some(patience_ms)])
      if (has_ended) return false
      const [row] = await watcher<{ blocked: boolean }[]>`
        select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`
      if (row!.blocked && !has_ended) return true
    }
  }

  /** Of two that wait for the first, the one that came before the other goes on before it: they stand in a queue. */
  const meet: Meet = async ([first, second, third]) => {
    const outcomes: Promise<Outcome>[] = []
    let waited = 0
    const begun = side.begin(async (tx) => {
      const [outcome] = await Promise.allSettled([first!(handlerOf(tx))])
      outcomes.push(settled(second!()))
      if (await isBlocked(main_pid, outcomes[0]!)) waited += 1
      if (third) {
        outcomes.push(settled(other.begin((own) => third(handlerOf(own)))))
        if (await isBlocked(other_pid, outcomes[1]!)) waited += 1
      }
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    })
    const outcome = await settled(begun)
    return { outcomes: [outcome, ...(await Promise.all(outcomes))], waited }
  }

  return {
    sql,
    async empty() {
      const touched = await namesOf(sql, `and pg_relation_size(c.oid) > 0 and c.relname <> '${kept}'`)
      if (touched.length === 0) return
      // Files stay and plans stay made. The vacuum makes rows lie where they would in a new table: some orders follow from that.
      const deletes = touched.map((name) => `delete from ${name}`).join('; ')
      await sql.unsafe(`begin; set local session_replication_role = replica; ${deletes}; commit`)
      await sql.unsafe(`vacuum (index_cleanup on, truncate on) ${touched.join(', ')}`)
    },
    async due() {
      const [row] = await sql<(Due & { swept_until: Date | null })[]>`
        select (select min(swept_until) from orphan_sweeps) as swept_until,
          (select min(next_check_at) from acquirer_operations) as operations,
          (select min(next_try_at) from acquirer_notices) as notices,
          (select min(rules_at) from holds where operation_id is null) as holds,
          (select min(next_try_at) from orphan_authorisations where state = 'found') as orphans,
          (select min(due_at) from webhook_queue) as deliveries`
      return row!
    },
    async sweptUntil() {
      const [row] = await sql<{ swept_until: Date | null }[]>`
        select min(swept_until) as swept_until from orphan_sweeps
        where not exists (
          select 1 from orphan_authorisations
          where state = 'found' and next_try_at is null and held_back_at is null)`
      return row!.swept_until
    },
    meet,
    close: async () => {
      await Promise.all(all.map((each) => each.end({ timeout: 1 })))
    },
  }
}

async function pidOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row!.pid
}

/** What sends a statement over a transaction's connection. */
function handlerOf(tx: AnySql): (statement: unknown) => void {
  const { handler } = tx`` as unknown as Statement
  return handler as never
}

async function settled(work: Promise<unknown>): Promise<Outcome> {
  const [outcome] = await Promise.allSettled([work])
  return outcome
}

/** Nothing here has to outlive the machine, and nobody looks at what the server counts. */
const careless = `
  set synchronous_commit = off; set track_activities = off; set track_counts = off; set jit = off`

async function prepareTables(sql: Sql): Promise<void> {
  const names = await namesOf(sql)
  // Plans, and with them the order of rows, must not follow from when a table was looked at last.
  for (const name of names) {
    await sql.unsafe(`alter table ${name} set (autovacuum_enabled = false)`).catch(() => {})
  }
  // A table cannot be without a log while one that has a log refers to it.
  for (let left = names; left.length > 0; ) {
    const refused: string[] = []
    for (const name of left) {
      await sql.unsafe(`alter table ${name} set unlogged`).catch(() => refused.push(name))
    }
    if (refused.length === left.length) break
    left = refused
  }
  await sql.unsafe(`vacuum (index_cleanup on) ${names.join(', ')}`)
}

/** The tables of a world, as they are named in a statement. */
export async function namesOf(sql: Sql, those = ''): Promise<string[]> {
  const rows = await sql.unsafe<{ name: string }[]>(`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'vault', 'simulator') and c.relkind = 'r'
      and c.relname not like '%migrations%' ${those} order by 1`)
  return rows.map(({ name }) => name)
}

function some(duration_ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, duration_ms)
  })
}
