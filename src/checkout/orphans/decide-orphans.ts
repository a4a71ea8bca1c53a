// A person decides about orphans: they are to be reversed after all, or left as they are.

import type { SettlementContext } from '../context.ts'
import { type Orphan, orphanLine, type Standing, standingOf } from '../orphan.ts'
import {
  findOrphans,
  leaveOrphans,
  releaseOrphans,
  type WhichOrphans,
} from './orphan-decision-store.ts'

type Room = Pick<SettlementContext, 'sql' | 'ids'> & {
  world: Pick<SettlementContext['world'], 'clock'>
}

/** Of those that were named and are not to be changed: how each stands; null where there is none of the reference. */
export type Unchanged = { reference: string; state: Standing | null }

export type OrphanDecisions = { changed: Orphan[]; unchanged: Unchanged[] }

/** What is held back is due at once, for the service to reverse. One that was left is, too, where it is named. */
export async function reverseHeldBack(
  room: Room,
  which: WhichOrphans,
  by: string,
): Promise<OrphanDecisions> {
  const at = room.world.clock.now()
  const lines = linesFor(room, which, { change: 'orphan.released', detail: { by }, at })
  return decided(room, which, await releaseOrphans(room.sql, which, { at, by, lines }))
}

/** They are never reversed. One whose reversal is under way at this moment may be reversed all the same. */
export async function leaveAsTheyAre(
  room: Room,
  which: WhichOrphans,
  { by, reason }: { by: string; reason: string },
): Promise<OrphanDecisions> {
  const at = room.world.clock.now()
  const lines = linesFor(room, which, { change: 'orphan.left', detail: { reason, by }, at })
  return decided(room, which, await leaveOrphans(room.sql, which, { at, by, reason, lines }))
}

/** What is held back is nobody's, so only what is named may have a line. */
function linesFor(
  { ids }: Room,
  { references }: WhichOrphans,
  told: { change: string; detail: object; at: Date },
) {
  return (references ?? []).map((reference) =>
    orphanLine(ids, reference, { ...told, actor: 'operator' }),
  )
}

async function decided(
  { sql }: Room,
  which: WhichOrphans,
  changed: Orphan[],
): Promise<OrphanDecisions> {
  const done = new Set(changed.map(({ reference }) => reference))
  const references = (which.references ?? []).filter((reference) => !done.has(reference))
  if (references.length === 0) return { changed, unchanged: [] }
  const found = await findOrphans(sql, { ...which, references })
  const standing = new Map(found.map((orphan) => [orphan.reference, standingOf(orphan)]))
  const unchanged = references.map((reference) => ({
    reference,
    state: standing.get(reference) ?? null,
  }))
  return { changed, unchanged }
}
