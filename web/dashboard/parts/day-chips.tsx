// Chips that narrow a list to days or to the minute, in the person's own time zone.

import { say } from '../words.ts'
import { beginOf, dayOf, minuteBeginOf, minuteOf } from './days.ts'

/** As the routes of lists have them. */
type Times = { created_from?: string | undefined; created_before?: string | undefined }

export function DayChips({
  times: { created_from, created_before },
  onTimes,
  to_the_minute = false,
}: {
  times: Times
  /** For lists in which people look for what somebody saw at a time of the day. */
  to_the_minute?: boolean
  onTimes: (times: Times) => void
}) {
  const type = to_the_minute ? 'datetime-local' : 'date'
  const textOf = to_the_minute ? minuteOf : dayOf
  const startOf = to_the_minute ? minuteBeginOf : beginOf
  return (
    <>
      <label className="chip date">
        {say('filter_since')}
        <input
          type={type}
          value={created_from ? textOf(created_from) : ''}
          onChange={({ target }) => onTimes({ created_from: startOf(target.value) })}
        />
      </label>
      <label className="chip date">
        {say('filter_until')}
        <input
          type={type}
          value={created_before ? textOf(before(created_before)) : ''}
          onChange={({ target }) => onTimes({ created_before: startOf(target.value, 1) })}
        />
      </label>
    </>
  )
}

/** The last moment that counts. */
function before(moment: string): string {
  return new Date(Date.parse(moment) - 1).toISOString()
}
