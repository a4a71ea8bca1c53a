// The days that the overview shows, as lists are narrowed to them. A list may differ from its count a little: it goes by the day a
// session or payment began, and unpaid sessions of test mode are deleted after two days.

import type { Overview } from '../client/answers.ts'
import { beginOf, dayOf } from '../parts/days.ts'

/** The query of a list's address. */
export function spanQuery(filters: Record<string, string>, days: Overview['days']): string {
  const query = new URLSearchParams(filters)
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  const from = first && beginOf(first)
  if (from) query.set('created_from', from)
  // A span that goes on has no end.
  const before = last && last < dayOf(new Date().toISOString()) ? beginOf(last, 1) : undefined
  if (before) query.set('created_before', before)
  return query.toString()
}
