// Where a stream of events stands in the journal, whose lines are in the order of their time, not in that of their commits.
//
// The newest lines are read at each look. What was under way then may be committed below them, so lines are looked at again
// when they have reached certain ages; what was told already is left out. A cursor is what a caller comes again with.

import { idsFrom, millisecondsOf } from '../../kernel/ids.ts'

/**
 * The last age outlasts any statement: an answer that is saved is tried five times, each statement ends after 15 s, and a
 * connection is made within 5 s.
 */
const ages_ms = [1_000, 5_000, 30_000, 120_000]
/** So far back the newest lines are read anew at the next look: most are committed within it. */
const tail_ms = 250
/** Lines of the last so long before a cursor may have been told or not. */
export const overlap_ms = Math.max(...ages_ms)
/** Who was away for longer goes on from so long ago. */
export const retention_days = 30
const retention_ms = retention_days * 24 * 3_600_000

export type Cursor = {
  /** Nothing whose line is older is told. */
  floor_ms: number
  /** All that is older than this by the overlap was told. */
  told_ms: number
}

/** Lines from an id, or from what ids begin with, up to another one; to the end of all where there is none. */
export type Stretch = { from: string; below: string | null }

export type Trail = Cursor & {
  /** From where the newest lines are read next. */
  tail_from: string
  /** How far the lines of each age were read. */
  aged_read: string[]
  /** Lines that were told and may be read again. */
  told: Set<string>
}

/** A look: what time it is, and what is to be read: the newest lines, then those of each age. */
export type Look = { now_ms: number; stretches: Stretch[] }

/** What was found in each stretch, in order. `cut_at` is the first line that is left for the next look, if any is. */
export type Found<Line> = { lines: Line[]; cut_at: string | null }[]

/**
 * A stream that begins, or goes on from a cursor; one of a clock that was set back since goes on from now. One that begins
 * has all of the overlap before it to read: what is committed there by then is to be passed over, the rest is to be told.
 * `missed_before_ms` is set where a cursor is older than what is kept for it.
 */
export function openTrail(
  now_ms: number,
  cursor: Cursor | null,
): { trail: Trail; missed_before_ms: number | null } {
  const { floor_ms, told_ms } = cursor ?? { floor_ms: now_ms - overlap_ms, told_ms: now_ms }
  const kept_from_ms = now_ms - retention_ms
  const within = (ms: number) => Math.max(kept_from_ms, Math.min(ms, now_ms))
  const clamped = { floor_ms: within(floor_ms), told_ms: within(told_ms) }
  const from = idAt(Math.max(clamped.floor_ms, clamped.told_ms - overlap_ms))
  const is_missing = Math.max(floor_ms, told_ms - overlap_ms) < kept_from_ms
  return {
    trail: { ...clamped, tail_from: from, aged_read: ages_ms.map(() => from), told: new Set() },
    missed_before_ms: is_missing ? kept_from_ms : null,
  }
}

/** What is to be read at this time: the newest lines, then those below them that have reached each age since the last look. */
export function lookAt(trail: Trail, now_ms: number): Look {
  const begin = later(lowest(trail), trail.tail_from)
  const aged = ages_ms.map((age_ms, index) => {
    const from = trail.aged_read[index]!
    return { from, below: later(from, earlier(idAt(now_ms - age_ms), begin)) }
  })
  return { now_ms, stretches: [{ from: begin, below: null }, ...aged] }
}

/** Moves the trail on by what a look found. Returns the lines that were not told, oldest first. */
export function follow<Line extends { entry_id: string }>(
  trail: Trail,
  { now_ms, stretches }: Look,
  found: Found<Line>,
): Line[] {
  const [newest, ...aged] = found
  // The oldest come first: a caller forgets what it heard by how far the cursor has come since.
  const is_behind = aged.some(({ cut_at }) => cut_at !== null)
  const cut_at = is_behind ? stretches[0]!.from : newest!.cut_at
  // Where there is more, it is read on without going back: the same page would come again and again.
  trail.tail_from = cut_at ?? idAt(now_ms - tail_ms)
  trail.aged_read = ages_ms.map((age_ms, index) => {
    const reached = aged[index]!.cut_at ?? earlier(idAt(now_ms - age_ms), cut_at ?? idAt(now_ms))
    return later(trail.aged_read[index]!, reached)
  })
  const fresh = new Map<string, Line>()
  for (const { lines } of is_behind ? aged : found) {
    for (const line of lines) if (!trail.told.has(line.entry_id)) fresh.set(line.entry_id, line)
  }
  forget(trail)
  return [...fresh.values()].sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1))
}

/** Notes lines that are not to be told. */
export function passOver(trail: Trail, lines: { entry_id: string }[]): void {
  for (const { entry_id } of lines) trail.told.add(entry_id)
}

/** Notes that a line was told. Returns what the caller may come again with. */
export function tellOf(trail: Trail, line: { entry_id: string }, now_ms: number): string {
  trail.told.add(line.entry_id)
  moveOn(trail, Math.min(millisecondsOf(line.entry_id), now_ms))
  return cursorOf(trail)
}

/** Notes that all was told that was found so far, be it nothing. Returns what the caller may come again with. */
export function settle(trail: Trail, now_ms: number): string {
  moveOn(trail, now_ms)
  return cursorOf(trail)
}

/** Such as `019fa33b7c00019fa33b0e10`: both times, in hex. */
export function cursorOf({ told_ms, floor_ms }: Cursor): string {
  return idAt(told_ms) + idAt(floor_ms)
}

/** Null where it is no cursor. */
export function readCursor(text: string): Cursor | null {
  if (!/^[0-9a-f]{24}$/.test(text)) return null
  const [told_ms, floor_ms] = [text.slice(0, 12), text.slice(12)].map(millisecondsOf) as [
    number,
    number,
  ]
  return floor_ms <= told_ms ? { told_ms, floor_ms } : null
}

/** What no look has read at its last age may still be told. */
function moveOn(trail: Trail, told_ms: number): void {
  const read_ms = millisecondsOf(lowest(trail)) + overlap_ms
  trail.told_ms = Math.max(trail.told_ms, Math.min(told_ms, read_ms))
}

/** No look reads what is older. */
function lowest({ aged_read }: Trail): string {
  return aged_read.reduce(earlier)
}

/** Forgets the lines that no look reads again. */
function forget(trail: Trail): void {
  const from = lowest(trail)
  for (const entry_id of trail.told) if (entry_id < from) trail.told.delete(entry_id)
}

function earlier(id: string, other: string): string {
  return id < other ? id : other
}

function later(id: string, other: string): string {
  return id < other ? other : id
}

function idAt(ms: number): string {
  return idsFrom(new Date(ms))
}
