// Which days an export is of. Decides without any effect; days are texts such as `2026-09-01`, in the person's own time.

export type Span = { from: string; to: string }

/** Of one file, as the service has it. */
const days_max = 366
export const files_max = 10
const days_default = 90
const day_ms = 86_400_000

/** What the list's filters say; without any, this month. */
export function spanOf(
  { created_from, created_before }: { created_from?: string; created_before?: string },
  now: Date,
): Span {
  if (!created_from && !created_before) return lastMonths(now, 0)
  const end = created_before ? new Date(Date.parse(created_before) - 1) : now
  const start = created_from
    ? new Date(created_from)
    : new Date(end.getFullYear(), end.getMonth(), end.getDate() - days_default + 1)
  return { from: dayOf(start), to: dayOf(end) }
}

/** The last whole months before this one; with 0, this one until today. */
export function lastMonths(now: Date, count: number): Span {
  const [year, month] = [now.getFullYear(), now.getMonth()]
  if (count === 0) return { from: dayOf(new Date(year, month, 1)), to: dayOf(now) }
  // Three months are a quarter of the year, which ended before this one.
  const end = month - (month % count)
  return { from: dayOf(new Date(year, end - count, 1)), to: dayOf(new Date(year, end, 0)) }
}

export function daysIn({ from, to }: Span): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / day_ms) + 1
}

/** Null for a span that can be exported. An empty field is the browser's to refuse. */
export function spanFault(span: Span): 'export_order_wrong' | 'export_too_long' | null {
  if (daysIn(span) < 1) return 'export_order_wrong'
  return yearOf(span.to) - yearOf(span.from) >= files_max ? 'export_too_long' : null
}

/** The files of a span without a fault, the oldest first. What one file cannot hold is a file a calendar year. */
export function filesOf(span: Span): Span[] {
  if (daysIn(span) <= days_max) return [span]
  const [first, last] = [yearOf(span.from), yearOf(span.to)]
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    from: index === 0 ? span.from : `${first + index}-01-01`,
    to: first + index === last ? span.to : `${first + index}-12-31`,
  }))
}

function yearOf(day: string): number {
  return Number(day.slice(0, 4))
}

function dayOf(date: Date): string {
  const pad = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}
