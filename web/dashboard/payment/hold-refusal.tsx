// That the acquirer refused the last capture or void of a hold, and why: the hold stays open.

import type { ListedHold } from '../client/answers.ts'
import { English } from '../parts/english.tsx'
import { say, sayCode, sayKnown } from '../words.ts'

export function HoldRefusal({ hold }: { hold: Pick<ListedHold['hold'], 'operation_refusal' | 'decided_at'> }) {
  const { operation_refusal: refusal, decided_at } = hold
  if (!refusal || decided_at !== null) return null
  const { kind, decline_code, reason } = refusal
  const why = decline_code === null ? null : sayKnown('decline', decline_code)
  return (
    <span className="warning">
      {say('step_of_refused', { what: sayCode('operation', kind) })} · {why ?? <English text={reason} />}
    </span>
  )
}
