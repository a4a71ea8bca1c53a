// Which statements meet: those that name the same are of most interest.

import type { Chance } from './chance.ts'

/** Starts a statement, over the connection of somebody's transaction where there is one. */
export type Start = (via?: (statement: unknown) => void) => Promise<unknown>
/** A statement that may meet another; `names` are the ids in it. */
export type Meeting = { start: Start; names(): readonly string[] }
export type Outcome = PromiseSettledResult<unknown>

type Waiting = { label: string; meeting: Meeting | undefined }

/** How often a statement meets one that names the same as it does, one of the same text, any other. */
const shares = { close: 0.7, alike: 0.15, other: 0.02 }

/** Whom a statement meets of those that wait, if anybody. */
export function chooseRival<One extends Waiting>(chance: Chance, next: One, waiting: readonly One[]): One | undefined {
  if (!next.meeting) return undefined
  const rivals = waiting.filter(({ meeting }) => meeting !== undefined)
  if (rivals.length === 0) return undefined
  const named = new Set(next.meeting.names())
  const close = rivals.filter(({ meeting }) => meeting!.names().some((name) => named.has(name)))
  const alike = rivals.filter(({ label }) => label === next.label)
  if (close.length > 0 && chance.often(shares.close)) return chance.pick(close)
  if (alike.length > 0 && chance.often(shares.alike)) return chance.pick(alike)
  return chance.often(shares.other) ? chance.pick(rivals) : undefined
}
