// The filters of the list of sessions, as its address has them.

export const statuses = [
  'requires_payment',
  'processing',
  'succeeded',
  'declined',
  'expired',
  'could_not_go_on',
] as const
const ends = ['frictionless', 'challenged', 'abandoned', 'failed'] as const

export type SessionFilters = {
  status?: (typeof statuses)[number] | undefined
  three_ds?: (typeof ends)[number] | undefined
  /** A part of an order reference or email. */
  text?: string | undefined
  created_from?: string | undefined
  created_before?: string | undefined
}

/** An address may name what there is not. */
export function sessionFiltersOf(search: string): SessionFilters {
  const query = new URLSearchParams(search)
  const filters: SessionFilters = {
    status: statuses.find((each) => each === query.get('status')),
    three_ds: ends.find((each) => each === query.get('three_ds')),
  }
  for (const name of ['text', 'created_from', 'created_before'] as const) filters[name] = query.get(name) || undefined
  return filters
}

/** Below the merchant and mode. */
export function sessionsPath(filters: SessionFilters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value)
  return query.size > 0 ? `sessions?${query}` : 'sessions'
}
