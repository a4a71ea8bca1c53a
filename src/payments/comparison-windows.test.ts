// Which windows a comparison covers.

import { describe, expect, test } from 'vitest'
import {
  hourBefore,
  hoursBegunIn,
  hoursOf,
  spanToCompare,
  widelyAround,
  windowsToCompareAgain,
} from './comparison-windows.ts'

describe('a comparison', () => {
  const now = new Date('2026-09-03T12:34:56.789Z')

  test('goes through 48 hours, up to ten minutes ago, and leaves nothing out', () => {
    const span = spanToCompare(now, null)
    expect(span).toEqual({
      since: new Date('2026-09-01T12:34:56.789Z'),
      until: new Date('2026-09-03T12:24:56.789Z'),
    })
    const hours = hoursOf(span)
    expect(hours[0]!.since).toEqual(span.since)
    expect(hours.at(-1)!.until).toEqual(span.until)
    for (const [at, { since, until }] of hours.entries()) {
      if (at > 0) expect(since).toEqual(hours[at - 1]!.until)
      expect(until.getTime() - since.getTime()).toBeLessThanOrEqual(3_600_000)
      expect(until > since).toBe(true)
    }
  })

  test.each([
    ['an hour ago', '2026-09-03T11:24:56.789Z', '2026-09-01T12:34:56.789Z'],
    ['five days ago', '2026-08-29T12:00:00.000Z', '2026-08-28T12:00:00.000Z'],
    ['half a year ago', '2026-03-01T12:00:00.000Z', '2026-08-03T12:34:56.789Z'],
  ])('begins, where the last came to its end %s, early enough', (_, last, since) => {
    expect(spanToCompare(now, new Date(last)).since).toEqual(new Date(since))
  })

  test('lists widely what a closer look does not find', () => {
    const minted = new Date('2026-09-01T12:34:56.789Z')
    const reference = minted.getTime().toString(16).padStart(12, '0') + '7'.repeat(20)
    expect(widelyAround(reference)).toEqual({
      since: new Date('2026-09-01T11:00:00.000Z'),
      until: new Date('2026-09-01T18:00:00.000Z'),
    })
  })

  const until = new Date('2026-09-03T12:24:56.789Z')

  test.each<[string, 'live' | 'test', string | null, [string, string][]]>([
    [
      'each from where the last came to its end',
      'live',
      '2026-09-02T10:00:00.000Z',
      [
        ['2026-08-26T10:00:00.000Z', '2026-08-27T12:24:56.789Z'],
        ['2026-08-03T10:00:00.000Z', '2026-08-04T12:24:56.789Z'],
      ],
    ],
    [
      'a day, where none did',
      'live',
      null,
      [
        ['2026-08-26T12:24:56.789Z', '2026-08-27T12:24:56.789Z'],
        ['2026-08-03T12:24:56.789Z', '2026-08-04T12:24:56.789Z'],
      ],
    ],
    [
      'the first alone in test mode, and 31 days at most',
      'test',
      '2026-01-01T00:00:00.000Z',
      [['2026-07-27T12:24:56.789Z', '2026-08-27T12:24:56.789Z']],
    ],
  ])('looks again after 7 and after 30 days: %s', (_, mode, last, windows) => {
    const again = windowsToCompareAgain(mode, { since: new Date(0), until }, last === null ? null : new Date(last))
    const expected = windows.map(([from, to]) => ({ since: new Date(from), until: new Date(to) }))
    expect(again).toEqual(expected)
  })

  test('of windows that abut has each hour once, and none where the clock was set back', () => {
    const at = (minutes: number) => new Date(Date.UTC(2026, 8, 1) + minutes * 60_000)
    const windows = [0, 17, 60, 61, 179, 180, 400].map(at)
    const hours = windows.flatMap((since, at) =>
      at + 1 < windows.length ? hoursBegunIn({ since, until: windows[at + 1]! }) : [],
    )
    const first = at(0).getTime() / 3_600_000
    expect(hours).toEqual([0, 1, 2, 3, 4, 5, 6].map((hour) => first + hour))
    expect(hoursBegunIn({ since: at(90), until: at(30) })).toEqual([])
    expect(hourBefore(first + 1, at(90))).toEqual({ since: at(60), until: at(90) })
    expect(hourBefore(first, at(90))).toEqual({ since: at(0), until: at(60) })
  })
})
