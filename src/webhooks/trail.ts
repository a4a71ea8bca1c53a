// Where a stream of events stands in the journal, whose lines are in the order of their time, not in that of their commits.
//
// The newest lines are read at each look. What was under way then may be committed below them, so lines are looked at again
// when they have reached certain ages; what was told already is left out. A cursor is what a caller comes again with.

import { idsFrom } from '../ids.ts'

/**
 * The last age outlasts any statement: an answer that is saved is tried five times, each statement ends after 15 s, and a
 * connection is made within 5 s.
 */
const ages_ms = [1_000, 5_000, 30_000, 120_000]
/** So far back the newest lines are read anew at the next look: most are committed within it. */
const tail_ms = 250
/** Who has been away for long reads on in steps: the database sorts the lines of each. */
const step_ms = 600_000
/** Lines of the last so long before a cursor may have been told or not. */
export const overlap_ms = Math.max(...ages_ms)

export type Cursor = {
  /** Nothing from before this time is told: the stream was first opened then. */
  floor_ms: number
  /** All that is older than this by the overlap was told. */
  told_ms: number
}

/** Lines from an id on, up to another one; to the end of all where there is none. */
export type Stretch = { from: string; below: string | null }

export type Trail = Cursor & {
  /** From where the newest lines are read next. */
  tail_from_ms: number
  /** How far the lines of each age were read. */
  aged_read_ms: number[]
  /** Lines that were told and may be read again. */
  told: Set<string>
}

/** A look: what is to be read, what time it was then, and up to when it reads; `is_behind` where that is not now. */
export type Look = { now_ms: number; until_ms: number; is_behind: boolean; stretches: Stretch[] }

/** What was found in each stretch, in order; `is_cut` where there is more of it. */
export type Found<Line> = { lines: Line[]; is_cut: boolean }[]

/** A stream that begins, or goes on from a cursor; one of a clock that was set back since goes on from now. */
export function openTrail(now_ms: number, cursor: Cursor | null): Trail {
  const floor_ms = Math.min(cursor?.floor_ms ?? now_ms, now_ms)
  const told_ms = Math.min(cursor?.told_ms ?? now_ms, now_ms)
  const tail_from_ms = Math.max(floor_ms, told_ms - overlap_ms)
  const aged_read_ms = ages_ms.map(() => tail_from_ms)
  return { floor_ms, told_ms, tail_from_ms, aged_read_ms, told: new Set() }
}

/** What is to be read at this time: the newest lines, then those below them that have reached each age since the last look. */
export function lookAt(trail: Trail, now_ms: number): Look {
  const begin_ms = Math.max(lowest(trail), trail.tail_from_ms)
  const aged = ages_ms.map((age_ms, index) => {
    const from_ms = trail.aged_read_ms[index]!
    const below_ms = Math.max(from_ms, Math.min(now_ms - age_ms, begin_ms))
    return { from: idAt(from_ms), below: idAt(below_ms) }
  })
  const until_ms = Math.min(now_ms, begin_ms + step_ms)
  const is_behind = until_ms < now_ms
  const newest = { from: idAt(begin_ms), below: is_behind ? idAt(until_ms) : null }
  return { now_ms, until_ms, is_behind, stretches: [newest, ...aged] }
}

/** Moves the trail on by what a look found. Returns the lines that were not told, oldest first. */
export function follow<Line extends { entry_id: string }>(
  trail: Trail,
  { now_ms, until_ms, is_behind }: Look,
  [newest, ...aged]: Found<Line>,
): Line[] {
  const read_ms = newest!.is_cut ? timeOf(newest!.lines.at(-1)!) : until_ms
  // Where there is more, it is read on without going back: the same page would come again and again.
  trail.tail_from_ms = newest!.is_cut || is_behind ? read_ms : now_ms - tail_ms
  trail.aged_read_ms = ages_ms.map((age_ms, index) => {
    const { lines, is_cut } = aged[index]!
    const reached_ms = is_cut ? timeOf(lines.at(-1)!) : Math.min(now_ms - age_ms, read_ms)
    return Math.max(trail.aged_read_ms[index]!, reached_ms)
  })
  const fresh = new Map<string, Line>()
  for (const { lines } of [newest!, ...aged]) {
    for (const line of lines) if (!trail.told.has(line.entry_id)) fresh.set(line.entry_id, line)
  }
  forget(trail)
  return [...fresh.values()].sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1))
}

/** Notes that a line was told. Returns what the caller may come again with. */
export function tellOf(trail: Trail, line: { entry_id: string }, now_ms: number): string {
  trail.told.add(line.entry_id)
  trail.told_ms = Math.max(trail.told_ms, Math.min(timeOf(line), now_ms))
  return cursorOf(trail)
}

/** Such as `019fa33b7c00019fa33b0e10`: both times, in hex. */
export function cursorOf({ told_ms, floor_ms }: Cursor): string {
  return idAt(told_ms) + idAt(floor_ms)
}

/** Null where it is no cursor. */
export function readCursor(text: string): Cursor | null {
  if (!/^[0-9a-f]{24}$/.test(text)) return null
  const [told_ms, floor_ms] = [text.slice(0, 12), text.slice(12)].map((hex) =>
    Number.parseInt(hex, 16),
  ) as [number, number]
  return floor_ms <= told_ms ? { told_ms, floor_ms } : null
}

/** No look reads what is older. */
function lowest({ aged_read_ms }: Trail): number {
  return Math.min(...aged_read_ms)
}

/** Forgets the lines that no look reads again. */
function forget(trail: Trail): void {
  const from = idAt(lowest(trail))
  for (const entry_id of trail.told) if (entry_id < from) trail.told.delete(entry_id)
}

function idAt(ms: number): string {
  return idsFrom(new Date(ms))
}

function timeOf({ entry_id }: { entry_id: string }): number {
  return Number.parseInt(entry_id.slice(0, 12), 16)
}
