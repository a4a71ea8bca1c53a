// Buttons that narrow a list to one status, of which one at most is pressed.

import type { ReactNode } from 'react'
import { say, sayCode } from '../words.ts'

export function StatusChips<Status extends string>({
  statuses,
  chosen,
  onChoose,
  wordsOf = (status) => sayCode('status', status),
  children,
}: {
  statuses: readonly Status[]
  chosen: Status | null
  /** Null for all. */
  onChoose: (status: Status | null) => void
  wordsOf?: (status: Status) => string
  /** Further filters. */
  children?: ReactNode
}) {
  return (
    <fieldset className="chips">
      <legend className="unseen">{say('filters')}</legend>
      {statuses.map((each) => (
        <button
          key={each}
          type="button"
          className="chip"
          aria-pressed={chosen === each}
          onClick={() => onChoose(chosen === each ? null : each)}
        >
          {wordsOf(each)}
        </button>
      ))}
      {children}
    </fieldset>
  )
}
