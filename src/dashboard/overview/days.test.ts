import { expect, test } from 'vitest'
import { lastDays, overviewDays, spans, stretchesOf } from './days.ts'

const zones = [...Intl.supportedValuesOf('timeZone'), 'Asia/Calcutta', 'US/Pacific', 'EST', 'AET']

test.each(['2026-01-15T03:07:00Z', '2026-03-29T12:00:00Z', '2026-10-25T23:59:59Z'])(
  'in every zone the days around %s follow each other, and today holds the moment',
  (now) => {
    for (const zone of zones) {
      const days = lastDays(new Date(now), zone, 4)
      const starts = stretchesOf(days, new Set(), zone)
      const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
      for (const { starts_at, day } of starts) {
        const ms = starts_at.getTime()
        expect([local.format(ms), local.format(ms - 1) < day], zone).toEqual([day, true])
      }
      const lengths = starts.slice(1).map(({ starts_at }, index) => {
        return (starts_at.getTime() - starts[index]!.starts_at.getTime()) / 3_600_000
      })
      expect(Math.min(...lengths), zone).toBeGreaterThanOrEqual(23)
      expect(Math.max(...lengths), zone).toBeLessThanOrEqual(25)
      expect(starts.at(-1)!.starts_at.getTime(), zone).toBeLessThanOrEqual(Date.parse(now))
    }
  },
)

test.each([
  ['an ordinary day', '2026-09-01', 'Europe/London', 24, '2026-08-31T23:00:00.000Z'],
  ['the day that summer begins', '2026-03-29', 'Europe/London', 23, '2026-03-29T00:00:00.000Z'],
  ['the day that it ends', '2026-10-25', 'Europe/London', 24, '2026-10-24T23:00:00.000Z'],
  ['one whose midnight does not exist', '2026-04-24', 'Africa/Cairo', 23, '2026-04-23T22:00:00.000Z'],
  ['one off by 45 minutes', '2026-09-01', 'Asia/Katmandu', 24, '2026-08-31T18:15:00.000Z'],
])('%s has its hours, each once', (_, day, zone, hours, start) => {
  const stretches = stretchesOf([day], new Set([day]), zone)
  expect(stretches[0]!.starts_at.toISOString()).toBe(start)
  expect(new Set(stretches.map(({ hour }) => hour)).size).toBe(hours)
})

test.each<[(typeof spans)[number], string, number, [string, string], [string, string]]>([
  ['7', '2026-03-31T12:00:00Z', 7, ['2026-03-25', '2026-03-31'], ['2026-03-18', '2026-03-24']],
  ['30', '2026-03-31T12:00:00Z', 30, ['2026-03-02', '2026-03-31'], ['2026-01-31', '2026-03-01']],
  ['this_month', '2026-03-31T12:00:00Z', 31, ['2026-03-01', '2026-03-31'], ['2026-01-29', '2026-02-28']],
  ['this_month', '2026-03-01T12:00:00Z', 1, ['2026-03-01', '2026-03-01'], ['2026-02-28', '2026-02-28']],
  ['last_month', '2026-03-31T12:00:00Z', 28, ['2026-02-01', '2026-02-28'], ['2026-01-04', '2026-01-31']],
  ['last_month', '2026-01-01T00:30:00Z', 31, ['2025-12-01', '2025-12-31'], ['2025-10-31', '2025-11-30']],
  // It is still December there.
  ['last_month', '2026-01-01T00:30:00Z', 30, ['2025-11-01', '2025-11-30'], ['2025-10-02', '2025-10-31']],
])('%s at %s has %i days', (span, now, length, ends, ends_before) => {
  const zone = length === 30 && span === 'last_month' ? 'America/New_York' : 'Europe/London'
  const { days, before } = overviewDays(new Date(now), zone, span)
  expect([days.length, before.length]).toEqual([length, length])
  expect([days[0], days.at(-1)]).toEqual(ends)
  expect([before[0], before.at(-1)]).toEqual(ends_before)
})

test.each(spans)('the day a week ago is among the days that are read for %s', (span) => {
  for (const now of ['2026-03-01T12:00:00Z', '2026-03-07T12:00:00Z', '2026-03-31T12:00:00Z']) {
    const { all, today, week_before } = overviewDays(new Date(now), 'UTC', span)
    expect(Date.parse(today) - Date.parse(week_before)).toBe(7 * 86_400_000)
    expect([all.at(-1), all.includes(week_before)]).toEqual([today, true])
  }
})
