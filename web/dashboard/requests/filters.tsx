// The filters of refused requests that are active, each with a way to drop it, and of which days.

import { DayChips } from '../parts/day-chips.tsx'
import { Icon } from '../parts/icon.tsx'
import { say } from '../words.ts'
import type { Filters } from './search.ts'

const dropped = ['asker_id', 'route', 'code', 'request_id'] as const

export function RequestFilters({ filters, onFilters }: { filters: Filters; onFilters: (filters: Filters) => void }) {
  return (
    <>
      <DayChips times={filters} onTimes={(times) => onFilters({ ...filters, ...times })} />
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
