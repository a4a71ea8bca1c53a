// Where a stream of events stands: whatever is committed late, wherever a connection breaks, each line is heard once.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openHeard } from '../../src/cli/listen.ts'
import { idsFrom } from '../../src/kernel/ids.ts'
import {
  cursor_overlap_ms,
  cursorOf,
  follow,
  markAllSent,
  markSent,
  nextRead,
  openTrail,
  type ReadResult,
  readCursor,
  retention_days,
  skipLines,
  type Trail,
  type TrailRead,
} from '../../src/webhooks/stream/trail.ts'

const begin_ms = Date.UTC(2026, 8, 1)
const at = (ms: number) => begin_ms + ms
const idOf = (ms: number, tail = '7'.padEnd(20, '0')) => idsFrom(new Date(at(ms))) + tail

/** When its id was made and when it was committed, from the beginning on. */
type Line = { entry_id: string; made_ms: number; committed_ms: number }

const lateness = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: cursor_overlap_ms - 1_000 }) },
  // Another process's clock is ahead.
  { weight: 1, arbitrary: fc.integer({ min: -2_000, max: 0 }) },
)
const lines = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -cursor_overlap_ms, max: 1_200_000 }), lateness), {
    selector: ([made_ms]) => made_ms,
    maxLength: 80,
  })
  .map((drawn) =>
    drawn.map(([made_ms, late_ms]): Line => {
      return { entry_id: idOf(made_ms), made_ms, committed_ms: made_ms + late_ms }
    }),
  )
const gap = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 20, max: 2_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2_000, max: 1_500_000 }) },
)
const day_ms = 24 * 3_600_000
/** A look so long after the one before; the connection breaks after so many lines, if it does. */
const step = fc.record({ gap_ms: gap, breaks_after: fc.option(fc.nat(4), { freq: 4 }) })

const lines_max = 3

/** What the database answers to a look at this time. */
function readAt(all: Line[], now: number, look: TrailRead): ReadResult<Line> {
  const there = all
    .filter(({ committed_ms }) => at(committed_ms) <= now)
    .sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1))
  return look.ranges.map(({ from, below }) => {
    const found = there.filter(({ entry_id }) => entry_id >= from && (below === null || entry_id < below))
    return { lines: found.slice(0, lines_max), cut_at: found[lines_max]?.entry_id ?? null }
  })
}

/** One look, page by page; `told` is called with what each page gives. False from it ends the look. */
function lookOf(all: Line[], trail: Trail, now: number, told: (fresh: Line[]) => boolean): void {
  for (let is_more = true; is_more; ) {
    const look = nextRead(trail, now)
    const found = readAt(all, now, look)
    is_more = found.some(({ cut_at }) => cut_at !== null)
    if (!told(follow(trail, look, found))) return
  }
}

/** A stream that begins at this time, as `stream-events.ts` begins one. */
function begin(all: Line[], now: number): Trail {
  const { trail } = openTrail(now, null)
  lookOf(all, trail, now, (fresh) => {
    skipLines(trail, fresh)
    return true
  })
  return trail
}

/** All that a client hears who listens from 0 on, and comes again with its last cursor. */
function listen(all: Line[], steps: { gap_ms: number; breaks_after: number | null }[]) {
  const heard = openHeard()
  const news: string[] = []
  let repeated = 0
  let now = at(0)
  let trail = begin(all, now)
  let cursor = cursorOf(trail)
  const end = at(1_200_000 + 2 * cursor_overlap_ms)
  const rest = { gap_ms: 2_000, breaks_after: null }
  for (let index = 0; index < steps.length + 2 || now < end; index++) {
    const { gap_ms, breaks_after } = steps[index] ?? rest
    now += gap_ms
    let taken = 0
    lookOf(all, trail, now, (fresh) => {
      for (const line of fresh) {
        if (taken === breaks_after) return false
        taken += 1
        cursor = markSent(trail, line, now)
        if (heard.isNew({ event_id: line.entry_id, cursor })) news.push(line.entry_id)
        else repeated += 1
      }
      cursor = markAllSent(trail, now)
      return true
    })
    if (taken === breaks_after) trail = openTrail(now, readCursor(cursor)).trail
  }
  return { news, repeated, trail, heard }
}

describe('a trail', () => {
  const isLater = ({ committed_ms }: Line) => committed_ms > 0
  const idsOf = (some: Line[]) => some.map(({ entry_id }) => entry_id).toSorted()

  test('every line that is committed after the beginning is sent once', () => {
    fc.assert(
      fc.property(lines, fc.array(step, { maxLength: 60 }), (all, steps) => {
        const { news } = listen(all, steps)
        expect(new Set(news).size).toBe(news.length)
        expect(news).toEqual(expect.arrayContaining(idsOf(all.filter(isLater))))
      }),
      { numRuns: 300 },
    )
  })

  test('on one connection no other line is sent, and none twice', () => {
    fc.assert(
      fc.property(lines, fc.array(gap, { maxLength: 60 }), (all, gaps) => {
        const steps = gaps.map((gap_ms) => ({ gap_ms, breaks_after: null }))
        const { news, repeated } = listen(all, steps)
        expect(news.toSorted()).toEqual(idsOf(all.filter(isLater)))
        expect(repeated).toBe(0)
      }),
    )
  })

  test('of what was decided just before the beginning, what is committed after it is sent', () => {
    const [before, after]: Line[] = [-90_000, -50].map((made_ms) => {
      return { entry_id: idOf(made_ms), made_ms, committed_ms: made_ms + 100 }
    })
    expect(listen([before!, after!], []).news).toEqual([after!.entry_id])
  })

  test('lines sent in time are sent in order', () => {
    const all = [5, 700, 2_000, 2_010].map((ms): Line => {
      return { entry_id: idOf(ms), made_ms: ms, committed_ms: ms }
    })
    expect(listen(all, []).news).toEqual(all.map(({ entry_id }) => entry_id))
  })

  test('what was under way at one look is found by the next', () => {
    const line: Line = { entry_id: idOf(100), made_ms: 100, committed_ms: 210 }
    const trail = begin([line], at(0))
    for (const [ms, wanted] of [
      [200, []],
      [220, [line]],
    ] as const) {
      const look = nextRead(trail, at(ms))
      expect(follow(trail, look, readAt([line], at(ms), look))).toEqual(wanted)
    }
  })

  test('neither side remembers what cannot come again', () => {
    const all = Array.from({ length: 600 }, (_, second): Line => {
      const made_ms = (second + 1) * 1_000
      return { entry_id: idOf(made_ms), made_ms, committed_ms: made_ms }
    })
    const { trail, heard, news } = listen(all, [])
    expect(news).toHaveLength(600)
    expect(trail.sent.size).toBe(0)
    expect(heard.count()).toBeLessThanOrEqual((2 * cursor_overlap_ms) / 1_000 + 1)
  })
})

describe('a reader that was away', () => {
  /** What is told to who comes now with a cursor of so long ago, and in how many looks. */
  function comeAgain(all: Line[], away_ms: number) {
    const cursor = { sent_until_ms: at(-away_ms), floor_ms: at(-away_ms) }
    const { trail, missed_before_ms } = openTrail(at(0), cursor)
    const told: string[] = []
    let looks = 0
    lookOf(all, trail, at(0), (fresh) => {
      looks += 1
      for (const line of fresh) {
        markSent(trail, line, at(0))
        told.push(line.entry_id)
      }
      return true
    })
    return { told, looks, missed_before_ms, cursor: readCursor(markAllSent(trail, at(0))) }
  }
  const lineAt = (ms: number): Line => {
    return { entry_id: idOf(ms), made_ms: ms, committed_ms: ms }
  }

  test('goes on past the times without a line in one look', () => {
    const [then, now] = [lineAt(-20 * day_ms), lineAt(-5)]
    const { told, looks, missed_before_ms, cursor } = comeAgain([then, now], 25 * day_ms)
    expect(told).toEqual([then.entry_id, now.entry_id])
    expect([looks, missed_before_ms]).toEqual([1, null])
    expect(cursor!.sent_until_ms).toBe(at(0))
  })

  test('has the lines between a page at a time, each read once', () => {
    const all = Array.from({ length: 10 * lines_max }, (_, index) => lineAt((index - 40) * 60_000))
    const { told, looks } = comeAgain(all, day_ms)
    expect(told).toEqual(all.filter(({ made_ms }) => made_ms <= 0).map(({ entry_id }) => entry_id))
    expect(looks).toBe(10)
  })

  test.each([
    ['for longer than is kept', (retention_days + 1) * day_ms],
    ['since the beginning of time', at(0)],
  ])('%s: goes on from what is kept, and a message says so', (_, away_ms) => {
    const [gone, kept] = [lineAt(-(retention_days + 0.5) * day_ms), lineAt(-day_ms)]
    const { told, looks, missed_before_ms } = comeAgain([gone, kept], away_ms)
    expect(told).toEqual([kept.entry_id])
    expect([looks, missed_before_ms]).toEqual([1, at(-retention_days * day_ms)])
  })

  test('more lines in one millisecond than a page has do not stop it', () => {
    const all = Array.from({ length: 4 * lines_max }, (_, index): Line => {
      const tail = `7${index.toString(16).padStart(19, '0')}`
      return { entry_id: idOf(-day_ms, tail), made_ms: -day_ms, committed_ms: -day_ms }
    })
    expect(comeAgain(all, 2 * day_ms).told).toHaveLength(all.length)
  })
})

describe('a cursor', () => {
  test('leads back to where it was made', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (floor, on) => {
        const cursor = { floor_ms: at(floor), sent_until_ms: at(floor + on) }
        expect(readCursor(cursorOf(cursor))).toEqual(cursor)
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['words', 'yesterday'],
    ['a line', idOf(0)],
    ['capitals', cursorOf({ floor_ms: at(0), sent_until_ms: at(0) }).toUpperCase()],
    ['an end before the beginning', cursorOf({ floor_ms: at(2), sent_until_ms: at(1) })],
  ])('%s is none', (_, text) => {
    expect(readCursor(text)).toBeNull()
  })

  test('moves on even if nothing is sent, but not past what is still to be read', () => {
    const line: Line = { entry_id: idOf(70_000), made_ms: 70_000, committed_ms: 150_000 }
    const trail = begin([line], at(0))
    lookOf([line], trail, at(100_000), () => true)
    expect(readCursor(markAllSent(trail, at(100_000)))!.sent_until_ms).toBe(at(100_000))
    const { trail: again } = openTrail(at(170_000), readCursor(cursorOf(trail)))
    const told: Line[] = []
    lookOf([line], again, at(170_000), (fresh) => told.push(...fresh) >= 0)
    expect(told).toEqual([line])
  })

  test('of a clock that was set back since, it leads to now', () => {
    const cursor = { floor_ms: at(5_000), sent_until_ms: at(9_000) }
    expect(openTrail(at(0), cursor).trail).toMatchObject({ floor_ms: at(0), sent_until_ms: at(0) })
  })
})
