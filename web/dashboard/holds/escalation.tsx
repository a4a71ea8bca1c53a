// That a hold was escalated, by whom, and what they noted.

import type { ListedHold } from '../client/answers.ts'
import { Status } from '../parts/status.tsx'

export function Escalation({ hold: { hold, escalation } }: { hold: ListedHold }) {
  if (hold.status !== 'escalated') return null
  const { by = null, note = null } = escalation ?? {}
  return (
    <>
      <Status status="escalated" />{' '}
      <span className="hint">
        {by && <bdi>{by}</bdi>}
        {by && note && ': '}
        {note && <bdi>{note}</bdi>}
      </span>
    </>
  )
}
