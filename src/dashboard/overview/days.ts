// The days of a zone and, of two of them, the hours: when each begins. The database counts between these moments and never hears
// of the zone, whose name it may not know, or know otherwise.

import { readerIn } from '../zone.ts'

const quarter_ms = 15 * 60_000
const day_ms = 24 * 3_600_000

/** A day, or an hour of it where `hour` is no null: what a count is of. */
export type Stretch = { starts_at: Date; day: string; hour: number | null }

export const spans = ['7', '30', '90', 'this_month', 'last_month'] as const

/** The days of an overview, each list oldest first; `all` has every day of the others, and those between them. */
export type OverviewDays = Record<'all' | 'days' | 'before', string[]> & Record<'today' | 'week_before', string>

/** The days of a span in a zone, and as many before them. */
export function overviewDays(now: Date, zone: string, span: (typeof spans)[number]): OverviewDays {
  const [today] = lastDays(now, zone, 1) as [string]
  const of_month = Number(today.slice(8))
  // The day before the first of this month is the last of the one before, and says how many that has.
  const [last_of_month_before] = lastDays(now, zone, of_month + 1) as [string]
  const is_last_month = span === 'last_month'
  const length = is_last_month ? Number(last_of_month_before.slice(8)) : span === 'this_month' ? of_month : Number(span)
  const later = is_last_month ? of_month : 0
  const all = lastDays(now, zone, Math.max(8, 2 * length + later))
  const end = all.length - later
  return {
    all,
    days: all.slice(end - length, end),
    before: all.slice(end - 2 * length, end - length),
    today,
    week_before: all.at(-8)!,
  }
}

/** The newest days of a zone up to now, oldest first, such as `2026-09-01`. */
export function lastDays(now: Date, zone: string, count: number): string[] {
  const [today] = dayAndHour(zone)(now.getTime())
  // A day is looked for at its noon: some have 23 hours.
  const noon = Date.parse(`${today}T12:00:00Z`)
  return Array.from({ length: count }, (_, index) =>
    new Date(noon - (count - 1 - index) * day_ms).toISOString().slice(0, 10),
  )
}

/** When each of these days begins, and each hour of those that are shown by hour; in the order of time. */
export function stretchesOf(days: string[], byHour: Set<string>, zone: string): Stretch[] {
  const read = dayAndHour(zone)
  return days.flatMap((day) => {
    const starts_ms = startOf(day, read)
    if (!byHour.has(day)) return [{ starts_at: new Date(starts_ms), day, hour: null }]
    const hours: Stretch[] = []
    for (let at_ms = starts_ms; ; at_ms += quarter_ms) {
      const [its_day, hour] = read(at_ms)
      if (its_day !== day) return hours
      if (hours.at(-1)?.hour !== hour) hours.push({ starts_at: new Date(at_ms), day, hour })
    }
  })
}

type Read = (at_ms: number) => [day: string, hour: number]

/** Every zone is off by whole quarters of an hour, and none by more than 14 hours. */
function startOf(day: string, read: Read): number {
  let before_ms = Date.parse(`${day}T00:00:00Z`) - day_ms
  let after_ms = before_ms + 2 * day_ms
  while (after_ms - before_ms > quarter_ms) {
    const middle_ms = before_ms + Math.floor((after_ms - before_ms) / quarter_ms / 2) * quarter_ms
    if (read(middle_ms)[0] < day) before_ms = middle_ms
    else after_ms = middle_ms
  }
  return after_ms
}

function dayAndHour(zone: string): Read {
  const read = readerIn(zone)
  return (at_ms) => {
    const of = read(at_ms)
    return [`${of.year}-${of.month}-${of.day}`, Number(of.hour)]
  }
}
