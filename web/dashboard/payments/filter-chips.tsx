// The filters that are active, each with a way to drop it; and the ones that are asked for most.

import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { say, sayCode } from '../words.ts'
import { filterWords } from './filter-words.ts'
import { type FilterName, type Filters, filter_names } from './filters.ts'

const offered = ['captured', 'pending', 'refunded', 'held', 'declined', 'failed', 'voided'] as const
type Offered = (typeof offered)[number]

/** Those that have a place of their own among the chips. */
const placed: FilterName[] = ['status', 'refunded', 'created_from', 'created_before', 'currency']

export function FilterChips({
  filters,
  currencies,
  onFilters,
}: {
  filters: Filters
  /** Of the payments that are shown. */
  currencies: string[]
  onFilters: (filters: Filters) => void
}) {
  const pressed = pressedOf(filters)
  const choices = [...new Set([...currencies, ...(filters.currency ? [filters.currency] : [])])]
  return (
    <fieldset className="chips">
      <legend className="unseen">{say('filters')}</legend>
      {offered.map((state) => (
        <button
          key={state}
          type="button"
          className="chip"
          aria-pressed={pressed === state}
          onClick={() => onFilters({ ...filters, ...(pressed === state ? none : filtersFor(state)) })}
        >
          {sayCode('status', state)}
        </button>
      ))}
      {(choices.length > 1 || filters.currency) && (
        <select
          className="chip"
          aria-label={say('currency')}
          value={filters.currency ?? ''}
          onChange={({ target }) => onFilters({ ...filters, currency: target.value || undefined })}
        >
          <option value="">{say('filter_any_currency')}</option>
          {choices.sort().map((currency) => (
            <option key={currency}>{currency}</option>
          ))}
        </select>
      )}
      <DayChips times={filters} onTimes={(times) => onFilters({ ...filters, ...times })} />
      {filter_names
        .filter((name) => filters[name] !== undefined && !placed.includes(name))
        .map((name) => (
          <DropChip
            key={name}
            text={filterWords(name, filters)}
            onDrop={() => onFilters({ ...filters, [name]: undefined })}
          />
        ))}
    </fieldset>
  )
}

const none = { status: undefined, refunded: undefined }

/** No payment that is shown as refunded is listed as captured. */
function filtersFor(state: Offered): Pick<Filters, 'status' | 'refunded'> {
  if (state === 'refunded') return { status: undefined, refunded: 'true' }
  return { status: state, refunded: state === 'captured' ? 'false' : undefined }
}

function pressedOf({ status, refunded }: Filters): string | undefined {
  return refunded === 'true' ? 'refunded' : status
}
