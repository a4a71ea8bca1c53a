// The database of simulated worlds: one connection, emptied for each world, with nothing in it that acts by itself.

import { connect } from '../../src/database/driver.ts'
import type { Sql } from '../../src/database/open.ts'
import type { Statement } from '../../src/database/transactions.ts'
import type { Meet, Outcome } from './scheduler.ts'

/** What is due next; null for what is not. */
export type Due = Record<'operations' | 'holds' | 'orphans' | 'deliveries', Date | null>

export type WorldDatabase = {
  sql: Sql
  /** Makes all tables empty. */
  empty(): Promise<void>
  due(): Promise<Due>
  /** Until when the bank was gone through for orphans; null where it never was, or what was found is not judged. */
  sweptUntil(): Promise<Date | null>
  meet: Meet
  close(): Promise<void>
}

/** At the address of a migrated database that nobody else uses. */
export async function openWorldDatabase(url: string): Promise<WorldDatabase> {
  const options = { connections_max: 1, statement_timeout_ms: 60_000, lock_timeout_ms: 60_000 }
  const [sql, side, watcher] = [connect(url, options), connect(url, options), connect(url, options)]
  // Nothing here has to outlive the machine.
  for (const each of [sql, side]) await each`set synchronous_commit = off`
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'vault', 'simulator') and tablename not like '%migrations%'
    order by 1`
  const names = tables.map(({ name }) => name)
  for (const name of names) {
    // Plans, and with them the order of rows, must not follow from when a table was looked at last.
    await sql.unsafe(`alter table ${name} set (autovacuum_enabled = false)`).catch(() => {})
  }
  /** Whether what goes on over the main connection waits for a lock; false once it has ended. */
  async function isBlocked(statement: Promise<unknown>): Promise<boolean> {
    let has_ended = false
    const end = statement.then(() => {
      has_ended = true
    })
    for (;;) {
      const [row] = await watcher<{ blocked: boolean }[]>`
        select wait_event_type = 'Lock' as blocked from pg_stat_activity where pid = ${backend!.pid}`
      if (row?.blocked && !has_ended) return true
      await Promise.race([end, nextTurn()])
      if (has_ended) return false
    }
  }

  return {
    sql,
    empty: async () => {
      await sql.unsafe(`truncate ${names.join(', ')} cascade`)
    },
    async due() {
      const [row] = await sql<Due[]>`
        select (select min(next_check_at) from acquirer_operations) as operations,
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
    async meet(first, second) {
      const outcomes: Outcome[] = []
      let other = Promise.resolve<Outcome[]>([])
      let waited = false
      const transaction = side.begin(async (tx) => {
        const { handler } = tx`` as unknown as Statement
        outcomes.push(...(await Promise.allSettled([first(handler as never)])))
        other = Promise.allSettled([second()])
        waited = await isBlocked(other)
        if (outcomes[0]!.status === 'rejected') throw outcomes[0]!.reason
      })
      await transaction.catch((reason: unknown) => {
        outcomes[0] = { status: 'rejected', reason }
      })
      const [second_outcome] = await other
      return { outcomes: [outcomes[0]!, second_outcome!], waited }
    },
    close: async () => {
      await Promise.all([sql, side, watcher].map((each) => each.end({ timeout: 1 })))
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
