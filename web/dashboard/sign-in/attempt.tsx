// One try at something that may be refused or turned down: whether it runs, and why it failed.

import { useState } from 'react'
import { Refused } from '../client/refused.ts'
import { Alert, RefusalAlert } from '../parts/alert.tsx'
import { say } from '../words.ts'
import { PasskeyTurnedDown } from './passkeys.ts'

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
  return { attempt, is_busy, fault: <Fault fault={fault} />, has_failed: fault !== null }
}

function Fault({ fault }: { fault: unknown }) {
  if (fault === null) return null
  if (fault instanceof Refused) return <RefusalAlert refused={fault} />
  if (fault instanceof PasskeyTurnedDown) return <Alert>{say('passkey_turned_down')}</Alert>
  const { name } = fault as Error
  const is_known = name === 'InvalidStateError'
  return <Alert>{is_known ? say('passkey_known') : say('passkey_failed', { why: name })}</Alert>
}
