// Buttons that narrow a list to one status, of which one at most is pressed.

import { say, sayCode } from '../words.ts'

export function StatusChips<Status extends string>({
  statuses,
  chosen,
  onChoose,
}: {
  statuses: readonly Status[]
  chosen: Status | null
  /** Null for all. */
  onChoose: (status: Status | null) => void
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
          {sayCode('status', each)}
        </button>
      ))}
    </fieldset>
  )
}
