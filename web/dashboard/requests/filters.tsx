// The filters of refused requests that are active, each with a way to drop it, and since when.

import { Icon } from '../parts/icon.tsx'
import { say } from '../words.ts'
import type { Filters } from './search.ts'

const dropped = ['key_id', 'route', 'code', 'request_id'] as const

export function RequestFilters({
  filters,
  onFilters,
}: {
  filters: Filters
  onFilters: (filters: Filters) => void
}) {
  return (
    <>
      <label className="chip date">
        {say('filter_since')}
        <input
          type="date"
          value={filters.created_from?.slice(0, 10) ?? ''}
          onChange={({ target }) =>
            onFilters({
              ...filters,
              created_from: target.value && new Date(target.value).toISOString(),
            })
          }
        />
      </label>
      {dropped.map((name) => {
        const value = filters[name]
        if (!value) return null
        return (
          <button
            key={name}
            type="button"
            className="chip active"
            aria-label={say('drop_filter', { filter: value })}
            onClick={() => onFilters({ ...filters, [name]: '' })}
          >
            {value}
            <Icon name="close" />
          </button>
        )
      })}
    </>
  )
}
