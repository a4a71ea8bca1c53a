// From moments to days and back, in the person's own time zone.

/** A day as fields of dates have it, in the person's own time zone. */
export function dayOf(moment: string): string {
  const date = new Date(moment)
  const digits = (value: number, length: number) => String(value).padStart(length, '0')
  return [digits(date.getFullYear(), 4), digits(date.getMonth() + 1, 2), digits(date.getDate(), 2)].join('-')
}

/** When a day begins, so many days later. An empty field is no time. */
export function beginOf(day: string, days_later = 0): string | undefined {
  const begin = new Date(`${day}T00:00`)
  begin.setDate(begin.getDate() + days_later)
  return Number.isNaN(begin.getTime()) ? undefined : begin.toISOString()
}
