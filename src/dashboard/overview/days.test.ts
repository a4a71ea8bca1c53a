import { expect, test } from 'vitest'
import { lastDays, stretchesOf } from './days.ts'

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
