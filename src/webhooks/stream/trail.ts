// How far a stream of events has read the journal, whose lines are ordered by their time and not by their commits. Each
// read takes the newest lines. A statement under way may still commit below them, so lines are read again at certain
// ages, and lines already sent are skipped. A caller resumes from a cursor.

import { idsFrom, millisecondsOf } from '../../kernel/ids.ts'

/**
 * The last age outlasts any statement: an answer is saved in at most five tries, each statement ends after 15 s, and a
 * connection is made within 5 s.
 */
const ages_ms = [1_000, 5_000, 30_000, 120_000]
/** The next read takes the newest lines again from this far back: most are committed within it. */
const tail_ms = 250
/** Lines from this long before a cursor may have been sent or not. */
export const cursor_overlap_ms = Math.max(...ages_ms)
/** A caller that was away for longer resumes from this long ago. */
export const retention_days = 30
const retention_ms = retention_days * 24 * 3_600_000

export type Cursor = {
  /** No event with an older line is sent. */
  floor_ms: number
  /** Everything that is older than this by the overlap was sent. */
  sent_until_ms: number
}

/** Lines from one id or prefix up to another; null means up to the end. */
export type TrailRange = { from: string; below: string | null }

export type Trail = Cursor & {
  /** Where the next read of the newest lines begins. */
  tail_from: string
  /** How far the lines of each age were read. */
  aged_read: string[]
  /** Lines that were sent and may be read again. */
  sent: Set<string>
}

/** The ranges of one read: the newest lines, then those of each age. */
export type TrailRead = { now_ms: number; ranges: TrailRange[] }

/** The lines of each range, in order. `cut_at` is the first line that was left for the next read, if there is one. */
export type ReadResult<Line> = { lines: Line[]; cut_at: string | null }[]

/**
 * A new stream, or one that resumes from a cursor. A new stream first reads the overlap before it: lines committed
 * there already are skipped, later ones are sent. If the clock was set back since the cursor, the stream starts from
 * now. `missed_before_ms` is set if the cursor is older than what is stored.
 */
export function openTrail(now_ms: number, cursor: Cursor | null): { trail: Trail; missed_before_ms: number | null } {
  const { floor_ms, sent_until_ms } = cursor ?? {
    floor_ms: now_ms - cursor_overlap_ms,
    sent_until_ms: now_ms,
  }
  const kept_from_ms = now_ms - retention_ms
  const within = (ms: number) => Math.max(kept_from_ms, Math.min(ms, now_ms))
  const clampedCursor = { floor_ms: within(floor_ms), sent_until_ms: within(sent_until_ms) }
  const from = idAt(Math.max(clampedCursor.floor_ms, clampedCursor.sent_until_ms - cursor_overlap_ms))
  const is_missing = Math.max(floor_ms, sent_until_ms - cursor_overlap_ms) < kept_from_ms
  return {
    trail: { ...clampedCursor, tail_from: from, aged_read: ages_ms.map(() => from), sent: new Set() },
    missed_before_ms: is_missing ? kept_from_ms : null,
  }
}

/** The ranges of the next read: the newest lines, then older ones that have reached an age since the last read. */
export function nextRead(trail: Trail, now_ms: number): TrailRead {
  const begin = later(lowest(trail), trail.tail_from)
  const agedRanges = ages_ms.map((age_ms, index) => {
    const from = trail.aged_read[index]!
    return { from, below: later(from, earlier(idAt(now_ms - age_ms), begin)) }
  })
  return { now_ms, ranges: [{ from: begin, below: null }, ...agedRanges] }
}

/** Advances the trail by a read. Returns the lines that were not sent yet, oldest first. */
export function follow<Line extends { entry_id: string }>(
  trail: Trail,
  { now_ms, ranges }: TrailRead,
  result: ReadResult<Line>,
): Line[] {
  const [newest, ...aged] = result
  // The oldest lines come first, because the cursor tells a caller which lines it may forget.
  const is_behind = aged.some(({ cut_at }) => cut_at !== null)
  const cut_at = is_behind ? ranges[0]!.from : newest!.cut_at
  // If there is more, the next read goes on from there: otherwise the same page would come again and again.
  trail.tail_from = cut_at ?? idAt(now_ms - tail_ms)
  trail.aged_read = ages_ms.map((age_ms, index) => {
    const aged_end = aged[index]!.cut_at ?? earlier(idAt(now_ms - age_ms), cut_at ?? idAt(now_ms))
    return later(trail.aged_read[index]!, aged_end)
  })
  const fresh = new Map<string, Line>()
  for (const { lines } of is_behind ? aged : result) {
    for (const line of lines) if (!trail.sent.has(line.entry_id)) fresh.set(line.entry_id, line)
  }
  forget(trail)
  return [...fresh.values()].sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1))
}

/** Marks lines that must not be sent. */
export function skipLines(trail: Trail, lines: { entry_id: string }[]): void {
  for (const { entry_id } of lines) trail.sent.add(entry_id)
}

/** Marks a line as sent. Returns the cursor to resume from. */
export function markSent(trail: Trail, line: { entry_id: string }, now_ms: number): string {
  trail.sent.add(line.entry_id)
  moveOn(trail, Math.min(millisecondsOf(line.entry_id), now_ms))
  return cursorOf(trail)
}

/** Marks everything read so far as sent, even if it is nothing. Returns the cursor to resume from. */
export function markAllSent(trail: Trail, now_ms: number): string {
  moveOn(trail, now_ms)
  return cursorOf(trail)
}

/** For example `019fa33b7c00019fa33b0e10`: both times, in hex. */
export function cursorOf({ sent_until_ms, floor_ms }: Cursor): string {
  return idAt(sent_until_ms) + idAt(floor_ms)
}

/** Null if the text is no cursor. */
export function readCursor(text: string): Cursor | null {
  if (!/^[0-9a-f]{24}$/.test(text)) return null
  const [sent_until_ms, floor_ms] = [text.slice(0, 12), text.slice(12)].map(millisecondsOf) as [number, number]
  return floor_ms <= sent_until_ms ? { sent_until_ms, floor_ms } : null
}

/** Lines that were not yet read at their last age may still be sent. */
function moveOn(trail: Trail, sent_until_ms: number): void {
  const read_ms = millisecondsOf(lowest(trail)) + cursor_overlap_ms
  trail.sent_until_ms = Math.max(trail.sent_until_ms, Math.min(sent_until_ms, read_ms))
}

/** No later read takes older lines than this. */
function lowest({ aged_read }: Trail): string {
  return aged_read.reduce(earlier)
}

/** Forgets the lines that are never read again. */
function forget(trail: Trail): void {
  const from = lowest(trail)
  for (const entry_id of trail.sent) if (entry_id < from) trail.sent.delete(entry_id)
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
