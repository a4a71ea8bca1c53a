// One try at something that may be refused or turned down: whether it runs, and why it failed.

import { useState } from 'react'
import { Refused } from '../client/refused.ts'
import { Alert, RefusalAlert } from '../parts/alert.tsx'
import { say } from '../words.ts'
import { PasskeyTurnedDown } from './passkeys.ts'

/** For a form, `refused` and `trouble`, which is what else went wrong; where there is no field, `fault` is both. */
export function useAttempt() {
  const [fault, setFault] = useState<unknown>(null)
  const [is_busy, setBusy] = useState(false)
  const attempt = async (act: () => Promise<void>) => {
    if (is_busy) return
    setBusy(true)
    setFault(null)
    await act().catch(setFault)
    setBusy(false)
  }
  const refused = fault instanceof Refused ? fault : null
  const trouble = refused ? null : <Trouble fault={fault} />
  return {
    attempt,
    is_busy,
    refused,
    trouble,
    fault: trouble ?? <RefusalAlert refused={refused} />,
  }
}

function Trouble({ fault }: { fault: unknown }) {
  if (fault === null) return null
  if (fault instanceof PasskeyTurnedDown) return <Alert>{say('passkey_turned_down')}</Alert>
  const { name } = fault as Error
  const is_known = name === 'InvalidStateError'
  return <Alert>{is_known ? say('fault_passkey_known') : say('passkey_failed', { why: name })}</Alert>
}
