// Where a stream of events stands: whatever is committed late, wherever a connection breaks, each line is heard once.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openHeard } from '../src/cli/heard-events.ts'
import { idsFrom } from '../src/ids.ts'
import {
  cursorOf,
  type Found,
  follow,
  lookAt,
  openTrail,
  overlap_ms,
  readCursor,
  type Trail,
  tellOf,
} from '../src/webhooks/trail.ts'

const begin_ms = Date.UTC(2026, 8, 1)
const at = (ms: number) => begin_ms + ms
const idOf = (ms: number, tail = '7'.padEnd(20, '0')) => idsFrom(new Date(at(ms))) + tail

/** When its id was made and when it was committed, from the beginning on. */
type Line = { entry_id: string; made_ms: number; committed_ms: number }

const lateness = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: overlap_ms - 1_000 }) },
  // Another process's clock is ahead.
  { weight: 1, arbitrary: fc.integer({ min: -2_000, max: 0 }) },
)
const lines = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -10_000, max: 1_200_000 }), lateness), {
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
/** A look so long after the one before; the connection breaks after so many lines, if it does. */
const step = fc.record({ gap_ms: gap, breaks_after: fc.option(fc.nat(4), { freq: 4 }) })

const lines_max = 3

/** What the database answers to a look at this time. */
function readAt(all: Line[], now: number, look: ReturnType<typeof lookAt>): Found<Line> {
  const there = all
    .filter(({ committed_ms }) => at(committed_ms) <= now)
    .sort((a, b) => (a.entry_id < b.entry_id ? -1 : 1))
  return look.stretches.map(({ from, below }) => {
    const found = there.filter(
      ({ entry_id }) => entry_id >= from && (below === null || entry_id < below),
    )
    return { lines: found.slice(0, lines_max), is_cut: found.length > lines_max }
  })
}

/** All that a client hears who listens from 0 on, and comes again with its last cursor. */
function listen(all: Line[], steps: { gap_ms: number; breaks_after: number | null }[]) {
  const heard = openHeard()
  const news: string[] = []
  let repeated = 0
  let trail: Trail = openTrail(at(0), null)
  let cursor = cursorOf(trail)
  let now = at(0)
  const end = at(1_200_000 + 2 * overlap_ms)
  const rest = { gap_ms: 2_000, breaks_after: null }
  for (let index = 0; index < steps.length + 2 || now < end; index++) {
    const { gap_ms, breaks_after } = steps[index] ?? rest
    now += gap_ms
    for (let is_more = true, taken = 0; is_more; ) {
      const look = lookAt(trail, now)
      const found = readAt(all, now, look)
      is_more = look.is_behind || found.some(({ is_cut }) => is_cut)
      for (const line of follow(trail, look, found)) {
        if (taken === breaks_after) break
        taken += 1
        cursor = tellOf(trail, line, now)
        if (heard.isNew({ event_id: line.entry_id, cursor })) news.push(line.entry_id)
        else repeated += 1
      }
      if (taken === breaks_after) {
        trail = openTrail(now, readCursor(cursor))
        break
      }
    }
  }
  return { news, repeated, trail, heard }
}

describe('a trail', () => {
  test('every line from the beginning on is heard once', () => {
    fc.assert(
      fc.property(lines, fc.array(step, { maxLength: 60 }), (all, steps) => {
        const { news } = listen(all, steps)
        const wanted = all.filter(({ made_ms }) => made_ms >= 0).map(({ entry_id }) => entry_id)
        expect(news.toSorted()).toEqual(wanted.toSorted())
      }),
      { numRuns: 300 },
    )
  })

  test('on one connection nothing is even told twice', () => {
    fc.assert(
      fc.property(lines, fc.array(gap, { maxLength: 60 }), (all, gaps) => {
        const steps = gaps.map((gap_ms) => ({ gap_ms, breaks_after: null }))
        expect(listen(all, steps).repeated).toBe(0)
      }),
    )
  })

  test('what is told in time is told in order', () => {
    const all = [5, 700, 2_000, 2_010].map((ms): Line => {
      return { entry_id: idOf(ms), made_ms: ms, committed_ms: ms }
    })
    expect(listen(all, []).news).toEqual(all.map(({ entry_id }) => entry_id))
  })

  test('what was under way at one look is found by the next', () => {
    const line: Line = { entry_id: idOf(100), made_ms: 100, committed_ms: 210 }
    const trail = openTrail(at(0), null)
    for (const [ms, wanted] of [
      [200, []],
      [220, [line]],
    ] as const) {
      const look = lookAt(trail, at(ms))
      expect(follow(trail, look, readAt([line], at(ms), look))).toEqual(wanted)
    }
  })

  test('neither side remembers what cannot come again', () => {
    const all = Array.from({ length: 600 }, (_, second): Line => {
      const made_ms = second * 1_000
      return { entry_id: idOf(made_ms), made_ms, committed_ms: made_ms }
    })
    const { trail, heard, news } = listen(all, [])
    expect(news).toHaveLength(600)
    expect(trail.told.size).toBe(0)
    expect(heard.count()).toBeLessThanOrEqual((2 * overlap_ms) / 1_000 + 1)
  })
})

describe('a cursor', () => {
  test('leads back to where it was made', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (floor, on) => {
        const cursor = { floor_ms: at(floor), told_ms: at(floor + on) }
        expect(readCursor(cursorOf(cursor))).toEqual(cursor)
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['words', 'yesterday'],
    ['a line', idOf(0)],
    ['capitals', cursorOf({ floor_ms: at(0), told_ms: at(0) }).toUpperCase()],
    ['an end before the beginning', cursorOf({ floor_ms: at(2), told_ms: at(1) })],
  ])('%s is none', (_, text) => {
    expect(readCursor(text)).toBeNull()
  })

  test('of a clock that was set back since, it leads to now', () => {
    const cursor = { floor_ms: at(5_000), told_ms: at(9_000) }
    expect(openTrail(at(0), cursor)).toMatchObject({ floor_ms: at(0), told_ms: at(0) })
  })
})
