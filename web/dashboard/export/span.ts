// Which days an export is of. Decides without any effect; days are texts such as `2026-09-01`, in the person's own time.

export type Span = { from: string; to: string }

/** As the service has it. */
export const days_max = 366
const days_default = 90
const day_ms = 86_400_000

/** What the list's filters say, else the newest days that the service would take by itself. */
export function spanOf(
  { created_from, created_before }: { created_from?: string; created_before?: string },
  now: Date,
): Span {
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
export function spanFault(
  span: Span,
): { key: 'export_order_wrong' | 'fault_too_many_days'; days: number } | null {
  const days = daysIn(span)
  if (days < 1) return { key: 'export_order_wrong', days }
  if (days > days_max) return { key: 'fault_too_many_days', days: days_max }
  return null
}

function dayOf(date: Date): string {
  const pad = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}
