// A job: updates the metrics of unanswered operations, waiting decisions, due reversals, and findings at acquirers.

import { cellsOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { World } from '../../kernel/world.ts'
import { isHeldBack, isUnreversedAt } from '../orphans/orphan-store.ts'

type Shared = Record<'due' | 'unreversed' | 'held_back' | 'pulled' | 'findings', number>
type Own = Record<'searching' | 'waiting_for_person' | 'pending_review' | 'escalated' | 'overdue', number>

export async function watchSettlements(context: {
  sql: Sql
  world: Pick<World, 'clock'>
  metrics: Metrics
}): Promise<number> {
  const { sql } = context
  const now = context.world.clock.now()
  // All of these are small, because each has a partial index of its unsettled rows.
  const [[shared], own] = await Promise.all([
    sql<Shared[]>`
      with orphan as (
        select count(next_try_at)::int as due,
          count(*) filter (where ${isUnreversedAt(sql, now)})::int as unreversed,
          count(*) filter (where ${isHeldBack(sql)})::int as held_back
        from orphan_authorisations where state = 'found'
      ), brake as (
        select count(*)::int as pulled from orphan_brakes where released_at is null
      ), finding as (
        select count(*)::int as findings from acquirer_findings where cleared_at is null and resolved_at is null
      )
      select * from orphan, brake, finding`,
    Promise.allSettled(cellsOf(sql).map((cell) => countOwn(cell.sql, now))),
  ])
  const { due, unreversed, held_back, pulled, findings } = shared!
  const counts = own.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const { searching, waiting_for_person, ...holds } = counts.reduce(sumOf, none)
  const operations = { searching, waiting_for_person }
  const orphans = { due, unreversed, held_back }
  context.metrics.settlementsWaiting({
    operations,
    holds,
    orphans,
    findings,
    brakes_pulled: pulled,
  })
  // What is counted is that of the cells that answered.
  for (const each of own) if (each.status === 'rejected') throw each.reason
  return 0
}

const none: Own = {
  searching: 0,
  waiting_for_person: 0,
  pending_review: 0,
  escalated: 0,
  overdue: 0,
}

/** Of one cell. */
async function countOwn(sql: Sql, now: Date): Promise<Own> {
  const [row] = await sql<Own[]>`
    with operation as (
      select count(*) filter (where waits_for_person_since is null)::int as searching,
        count(*) filter (where waits_for_person_since is not null)::int as waiting_for_person
      from acquirer_operations
      where state in ('sent', 'unknown', 'reversing', 'accepted') and (state <> 'sent' or answer_by <= ${now})
    ), hold as (
      select count(*) filter (where status = 'pending_review')::int as pending_review,
        count(*) filter (where status = 'escalated')::int as escalated,
        count(*) filter (where deadline <= ${now})::int as overdue
      from holds where decided_at is null
    )
    select * from operation, hold`
  return row!
}

function sumOf(one: Own, other: Own): Own {
  return {
    searching: one.searching + other.searching,
    waiting_for_person: one.waiting_for_person + other.waiting_for_person,
    pending_review: one.pending_review + other.pending_review,
    escalated: one.escalated + other.escalated,
    overdue: one.overdue + other.overdue,
  }
}
