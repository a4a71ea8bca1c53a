// The filters of the list of payments, as its address has them.

import type { PaymentRow } from '../client/answers.ts'

type Status = PaymentRow['status']

export type Filters = Partial<Record<Exclude<FilterName, 'status' | 'refunded'>, string>> & {
  status?: Status
  refunded?: 'true' | 'false'
}

export const filter_names = [
  'status',
  'refunded',
  'customer_email',
  'card_last4',
  'order_reference',
  'amount',
  'currency',
  'decline_code',
  'created_from',
  'created_before',
] as const
export type FilterName = (typeof filter_names)[number]

export function filtersOf(search: string): Filters {
  const query = new URLSearchParams(search)
  const filters: Filters = {}
  for (const name of filter_names) {
    const value = query.get(name)
    if (!value) continue
    // An address may name a state that no payment has.
    if (name === 'status') {
      if (isStatus(value)) filters.status = value
    } else if (name === 'refunded') {
      if (value === 'true') filters.refunded = value
      // What no chip shows does not filter.
      if (value === 'false' && filters.status === 'captured') filters.refunded = value
    } else filters[name] = value
  }
  return filters
}

const statuses: Status[] = ['captured', 'held', 'voided', 'pending', 'declined', 'failed']

function isStatus(text: string): text is Status {
  return statuses.some((status) => status === text)
}

export function queryOf(filters: Filters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value)
  return query.size > 0 ? `?${query}` : ''
}
