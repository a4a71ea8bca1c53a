// A job: updates the metrics of unanswered operations, waiting decisions, due reversals, and findings at acquirers.

import type { Sql } from '../../database/open.ts'
import type { Metrics } from '../../http/metrics.ts'
import type { World } from '../../kernel/world.ts'

type Counts = {
  searching: number
  waiting_for_person: number
  pending_review: number
  escalated: number
  overdue: number
  due: number
  held_back: number
  pulled: number
  findings: number
}

export async function watchSettlements(context: {
  sql: Sql
  world: Pick<World, 'clock'>
  metrics: Metrics
}): Promise<number> {
  const now = context.world.clock.now()
  // All of these are small, because each has a partial index of its unsettled rows.
  const [row] = await context.sql<Counts[]>`
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
    ), orphan as (
      select count(next_try_at)::int as due,
        count(*) filter (where next_try_at is null and held_back_at is not null)::int as held_back
      from orphan_authorisations where state = 'found'
    ), brake as (
      select count(*)::int as pulled from orphan_brakes where released_at is null
    ), finding as (
      select count(*)::int as findings from acquirer_findings where cleared_at is null and resolved_at is null
    )
    select * from operation, hold, orphan, brake, finding`
  const { searching, waiting_for_person, due, held_back, pulled, findings, ...holds } = row!
  const operations = { searching, waiting_for_person }
  const orphans = { due, held_back }
  context.metrics.settlementsWaiting({
    operations,
    holds,
    orphans,
    findings,
    brakes_pulled: pulled,
  })
  return 0
}
