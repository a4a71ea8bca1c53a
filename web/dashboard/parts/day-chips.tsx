// Chips that narrow a list to days, in the person's own time zone.

import { say } from '../words.ts'
import { beginOf, dayOf } from './days.ts'

/** As the routes of lists have them. */
type Times = { created_from?: string | undefined; created_before?: string | undefined }

export function DayChips({
  times: { created_from, created_before },
  onTimes,
}: {
  times: Times
  onTimes: (times: Times) => void
}) {
  return (
    <>
      <label className="chip date">
        {say('filter_since')}
        <input
          type="date"
          value={created_from ? dayOf(created_from) : ''}
          onChange={({ target }) => onTimes({ created_from: beginOf(target.value) })}
        />
      </label>
      <label className="chip date">
        {say('filter_until')}
        <input
          type="date"
          value={created_before ? dayOf(before(created_before)) : ''}
          onChange={({ target }) => onTimes({ created_before: beginOf(target.value, 1) })}
        />
      </label>
    </>
  )
}

/** The last moment that counts. */
function before(moment: string): string {
  return new Date(Date.parse(moment) - 1).toISOString()
}
