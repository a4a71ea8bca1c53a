// Says how many payments have come since the list was read. They are shown when the person wants, never by themselves.

import { useEffect } from 'react'
import { useAnswer } from '../client/query.ts'
import { changed } from '../frame/changes.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { sayCount } from '../words.ts'
import type { Filters } from './filters.ts'

const looks_every_ms = 30_000
const looks_at = 50

export function NewRows({
  filters,
  newest_id,
  onShow,
}: {
  filters: Filters
  newest_id: string | null
  onShow: () => void
}) {
  const { merchant_id, mode } = useHere()
  const look = useAnswer(
    'GET /{merchant_id}/payments',
    { merchant_id, query: { mode, limit: looks_at, ...filters } },
    { is_wanted: newest_id !== null, every_ms: looks_every_ms },
  )
  const { refetch } = look
  useEffect(() => {
    const again = () => void refetch()
    changed.addEventListener('payment', again)
    return () => changed.removeEventListener('payment', again)
  }, [refetch])
  const newer = look.data?.data.findIndex(({ id }) => id === newest_id) ?? 0
  // None of those that were looked at is known: all of them are new.
  const count = newer < 0 ? (look.data?.data.length ?? 0) : newer
  return (
    <div className="new-rows" aria-live="polite">
      {count > 0 && (
        <Button size="small" onClick={onShow}>
          {sayCount('count_new', 'count_new', count)}
        </Button>
      )}
    </div>
  )
}
