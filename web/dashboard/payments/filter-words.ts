// A filter in words.

import { typedAmount } from '../../shared/read-amount.ts'
import { amountWords } from '../parts/amount.tsx'
import { dayWords } from '../parts/moment.tsx'
import { locale, say, sayCode } from '../words.ts'
import { type FilterName, type Filters, filter_names } from './filters.ts'

export function filterWords(name: FilterName, filters: Filters): string {
  const value = filters[name] ?? ''
  switch (name) {
    case 'status':
      return sayCode('status', value)
    case 'refunded':
      return say('status_refunded')
    case 'amount':
      return `${say('filter_amount')}: ${shownAmount(Number(value), filters.currency)}`
    case 'decline_code':
      return `${say('filter_decline_code')}: ${sayCode('decline', value)}`
    case 'created_from':
      return `${say('filter_since')} ${dayWords(new Date(value))}`
    case 'created_before':
      return `${say('filter_until')} ${dayWords(new Date(Date.parse(value) - 1))}`
    default:
      return `${say(`filter_${name}`)}: ${value}`
  }
}

/** All of them in one line. */
export function filtersWords(filters: Filters): string {
  return filter_names
    .filter((name) => filters[name] !== undefined)
    .filter((name) => !(name === 'currency' && filters.amount))
    .map((name) => filterWords(name, filters))
    .join(' · ')
}

/** Without a currency it is written with two digits, as it was read. */
function shownAmount(amount: number, currency: string | undefined): string {
  return currency ? amountWords(amount, currency) : typedAmount(amount, null, locale)
}
