// From moments to days and minutes, and back, in the person's own time zone.

/** A day as fields of dates have it, in the person's own time zone. */
export function dayOf(moment: string): string {
  const date = new Date(moment)
  return [digits(date.getFullYear(), 4), digits(date.getMonth() + 1), digits(date.getDate())].join('-')
}

/** A day and minute as fields of both have it. */
export function minuteOf(moment: string): string {
  const date = new Date(moment)
  return `${dayOf(moment)}T${digits(date.getHours())}:${digits(date.getMinutes())}`
}

function digits(value: number, length = 2): string {
  return String(value).padStart(length, '0')
}

/** When a day begins, so many days later. An empty field is no time. */
export function beginOf(day: string, days_later = 0): string | undefined {
  const begin = new Date(`${day}T00:00`)
  begin.setDate(begin.getDate() + days_later)
  return isoOf(begin)
}

/** When a minute begins, so many minutes later. */
export function minuteBeginOf(minute: string, minutes_later = 0): string | undefined {
  return isoOf(new Date(new Date(minute).getTime() + minutes_later * 60_000))
}

function isoOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
