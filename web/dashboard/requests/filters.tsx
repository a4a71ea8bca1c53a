// The filters of refused requests that are active, each with a way to drop it, and of which days.

import { DayChips } from '../parts/day-chips.tsx'
import { DropChip } from '../parts/drop-chip.tsx'
import { useRefused } from './refused-requests.ts'
import type { Filters } from './search.ts'

const dropped = ['asker_id', 'route', 'code', 'request_id'] as const

export function RequestFilters({ filters, onFilters }: { filters: Filters; onFilters: (filters: Filters) => void }) {
  const { names } = useRefused(filters)
  return (
    <>
      <DayChips to_the_minute times={filters} onTimes={(times) => onFilters({ ...filters, ...times })} />
      {dropped.map((name) => {
        const value = filters[name]
        if (!value) return null
        return <DropChip key={name} text={names[value] ?? value} onDrop={() => onFilters({ ...filters, [name]: '' })} />
      })}
    </>
  )
}
