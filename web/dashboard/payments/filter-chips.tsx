// The filters that are active, each with a way to drop it; and the ones that are asked for most.

import { amountWords } from '../parts/amount.tsx'
import { Icon } from '../parts/icon.tsx'
import { say, sayCode, type WordKey } from '../words.ts'
import { type FilterName, type Filters, filter_names } from './search.ts'

const offered = ['captured', 'held', 'declined', 'failed'] as const

export function FilterChips({
  filters,
  onFilters,
}: {
  filters: Filters
  onFilters: (filters: Filters) => void
}) {
  const active = filter_names.filter((name) => filters[name] !== undefined && name !== 'status')
  return (
    <fieldset className="chips">
      <legend className="unseen">{say('filters')}</legend>
      {offered.map((status) => (
        <button
          key={status}
          type="button"
          className="chip"
          aria-pressed={filters.status === status}
          onClick={() =>
            onFilters({ ...filters, status: filters.status === status ? undefined : status })
          }
        >
          {sayCode('status', status)}
        </button>
      ))}
      <label className="chip date">
        {say('filter_since')}
        <input
          type="date"
          value={filters.created_from?.slice(0, 10) ?? ''}
          onChange={({ target }) =>
            onFilters({
              ...filters,
              created_from: target.value ? new Date(target.value).toISOString() : undefined,
            })
          }
        />
      </label>
      {active
        .filter((name) => name !== 'created_from')
        .map((name) => (
          <button
            key={name}
            type="button"
            className="chip active"
            aria-label={say('drop_filter', { filter: wordsOf(name, filters) })}
            onClick={() => onFilters({ ...filters, [name]: undefined })}
          >
            {wordsOf(name, filters)}
            <Icon name="close" />
          </button>
        ))}
    </fieldset>
  )
}

function wordsOf(name: FilterName, filters: Filters): string {
  const value = filters[name]!
  const shown = name === 'amount' ? amountWords(Number(value), filters.currency ?? null) : value
  return `${say(`filter_${name}` as WordKey)}: ${shown}`
}
