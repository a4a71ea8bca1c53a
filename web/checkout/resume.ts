// What a session's state asks for: after a reload, when the tab is looked at again, when the back button brings it back.

import type { ConfirmResult } from './api.ts'
import { type Desk, readState, resultOf } from './desk.ts'
import { loadPart } from './part.ts'

/** What stands recorded and is shown; null where the form, or the bank's check, is next. */
export function recordedOf(desk: Desk): ConfirmResult | null {
  const { session, result } = desk.state
  if (session.status === 'expired') return resultOf(desk, 'expired')
  return result ?? (session.status === 'requires_payment' ? null : resultOf(desk, 'processing'))
}

/** Reads the state anew: another tab or device may have paid. A form that is still good is left as it is. */
export async function refresh(desk: Desk): Promise<void> {
  if (isBusy(desk)) return
  await readState(desk)
  const recorded = recordedOf(desk)
  const changed =
    desk.stage === 'processing'
      ? recorded?.status !== 'processing'
      : desk.state.session.status !== 'requires_payment'
  if (recorded && changed) await show(desk, recorded)
}

/** Shows what nobody here has seen yet. */
export async function show(desk: Desk, result: ConfirmResult): Promise<void> {
  const part = await loadPart(desk)
  if (!isBusy(desk)) part.settle(desk, result, false)
}

function isBusy({ stage, running }: Desk): boolean {
  return running !== undefined || stage === 'loading' || stage === 'over'
}
