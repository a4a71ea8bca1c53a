// A person decides about orphans: reverse them after all, or leave them as they are.

import type { Actor } from '../../audit/journal.ts'
import type { AnySql } from '../../database/open.ts'
import type { SettlementContext } from '../context.ts'
import { type Orphan, type OrphanStanding, orphanLine, standingOf } from '../orphan.ts'
import { findOrphans, leaveOrphans, type OrphanSelection, releaseOrphans } from './orphan-decision-store.ts'

type DecisionContext = Pick<SettlementContext, 'ids'> & {
  sql: AnySql
  world: Pick<SettlementContext['world'], 'clock'>
}

/** Who decides: a name for people, and as the journal names them. */
export type Decider = { by: string; actor?: Actor }

/** A named orphan that does not change, with its state; null where no orphan has the reference. */
export type UnchangedOrphan = { reference: string; state: OrphanStanding | null }

export type OrphanDecisions = { changed: Orphan[]; unchanged: UnchangedOrphan[] }

/** Orphans that are held back become due at once, and so do named ones that were left. */
export async function reverseHeldBack(
  room: DecisionContext,
  which: OrphanSelection,
  { by, actor = 'operator' }: Decider,
): Promise<OrphanDecisions> {
  const at = room.world.clock.now()
  const lines = linesFor(room, which, { change: 'orphan.released', detail: { by }, actor, at })
  return decided(room, which, await releaseOrphans(room.sql, which, { at, by, lines }))
}

/** Never reverses these orphans. One whose reversal is under way at this moment may be reversed all the same. */
export async function leaveUnreversed(
  room: DecisionContext,
  which: OrphanSelection,
  { by, reason, actor = 'operator' }: Decider & { reason: string },
): Promise<OrphanDecisions> {
  const at = room.world.clock.now()
  const lines = linesFor(room, which, { change: 'orphan.left', detail: { reason, by }, actor, at })
  return decided(room, which, await leaveOrphans(room.sql, which, { at, by, reason, lines }))
}

/** Orphans that are held back belong to no known payment, so only named ones may have a line. */
function linesFor(
  { ids }: DecisionContext,
  { references }: OrphanSelection,
  line: { change: string; detail: object; actor: Actor; at: Date },
) {
  return (references ?? []).map((reference) => orphanLine(ids, reference, line))
}

async function decided(
  { sql, world }: DecisionContext,
  which: OrphanSelection,
  changed: Orphan[],
): Promise<OrphanDecisions> {
  const decidedReferences = new Set(changed.map(({ reference }) => reference))
  const references = (which.references ?? []).filter((reference) => !decidedReferences.has(reference))
  if (references.length === 0) return { changed, unchanged: [] }
  const orphans = await findOrphans(sql, { ...which, references })
  const now = world.clock.now()
  const standing = new Map(orphans.map((orphan) => [orphan.reference, standingOf(orphan, now)]))
  const unchanged = references.map((reference) => ({
    reference,
    state: standing.get(reference) ?? null,
  }))
  return { changed, unchanged }
}
