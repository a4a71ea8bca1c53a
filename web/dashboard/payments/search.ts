// What a person typed into the search box, understood: an id, an e-mail, four digits, an amount, an order reference.

import { exponentOf } from '../../shared/money.ts'
import type { PaymentRow } from '../client/answers.ts'

type Status = PaymentRow['status']

export type Filters = Partial<Record<Exclude<FilterName, 'status'>, string>> & { status?: Status }

export const filter_names = [
  'status',
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

/** A screen to go to, or filters of the list of payments. */
export type Understood = { screen: string } | { filters: Filters }

const signs: Record<string, string> = { '£': 'GBP', '€': 'EUR', $: 'USD', '¥': 'JPY' }

export function understand(typed: string): Understood {
  const text = typed.trim()
  const id = /^(pay|cs|req|whep)_[0-9a-z]{8,}$/i.exec(text)
  if (id) return { screen: screenOf(id[1]!.toLowerCase(), text) }
  if (text.includes('@')) return { filters: { customer_email: text.toLowerCase() } }
  if (/^\d{4}$/.test(text)) return { filters: { card_last4: text } }
  const filters = amountIn(text)
  if (filters) return { filters }
  return { filters: text === '' ? {} : { order_reference: text } }
}

function screenOf(kind: string, id: string): string {
  // A session is shown by its newest payment.
  if (kind === 'pay' || kind === 'cs') return `payments/${id}`
  if (kind === 'req') return `requests?request_id=${id}`
  return 'webhooks'
}

/** `42.00`, `£42`, `42 GBP`, `GBP 42.50`: minor units, and the currency where one was said. */
function amountIn(text: string): Filters | null {
  const found = /^([£€$¥]|[a-z]{3})?\s*(\d[\d,]*(?:\.\d{1,4})?)\s*([£€$¥]|[a-z]{3})?$/i.exec(text)
  if (!found) return null
  const [, before, digits = '', after] = found
  const said = before ?? after
  // A bare whole number is rather an order's.
  if (!said && !digits.includes('.')) return null
  const currency = said && (signs[said] ?? said.toUpperCase())
  const exponent = currency ? exponentOf(currency) : 2
  const amount = Math.round(Number(digits.replaceAll(',', '')) * 10 ** exponent)
  return { amount: String(amount), ...(currency && { currency }) }
}

export function filtersOf(search: string): Filters {
  const query = new URLSearchParams(search)
  const filters: Filters = {}
  for (const name of filter_names) {
    const value = query.get(name)
    if (!value) continue
    // An address may name a state that no payment has.
    if (name !== 'status') filters[name] = value
    else if (isStatus(value)) filters.status = value
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
