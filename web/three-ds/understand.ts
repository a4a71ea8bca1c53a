// What a refusal of the service means to the shopper: a result all the same, or an error to tell of.

import type { ConfirmResult } from '../checkout/api.ts'
import { type Desk, readState, resultOf, text } from '../checkout/desk.ts'
import type { RipperError } from '../checkout/failure.ts'
import { clock } from './countdown.ts'
import { errorKey } from './reasons.ts'
import { recordedOf } from './settle.ts'
import { markUnderWay } from './under-way.ts'

const ending: Record<string, ConfirmResult['status']> = {
  session_completed: 'processing',
  session_processing: 'processing',
  session_declined: 'declined',
  attempts_exhausted: 'declined',
  session_expired: 'expired',
}

/** The result that a refusal stands for, as recorded. What is an error is told and thrown again. */
export async function understand(desk: Desk, error: RipperError): Promise<ConfirmResult> {
  const { code, retry_after_seconds } = error
  if (code === 'customer_email_required') {
    desk.email?.complain('email_missing')
    return resultOf(desk, 'invalid')
  }
  const status = ending[code]
  if (status) {
    const state = await readState(desk).catch(() => null)
    const result = resultOf(desk, status)
    // An expired session's last decline is not what ended it.
    return status === 'expired' ? result : { ...result, ...state?.result }
  }
  // A service that is down says when to come back, too: that is not the shopper's doing.
  const key = errorKey(code)
  desk.ui.alert.textContent =
    retry_after_seconds && code === 'rate_limit_exceeded'
      ? text(desk, 'too_many_wait', { time: clock(retry_after_seconds) })
      : text(desk, key)
  // What became of the attempt the state may tell, or a reload. What was refused is not tried again by itself.
  if (key !== 'connection_lost') markUnderWay(desk, false)
  else {
    const recorded = await readState(desk).then(
      () => recordedOf(desk),
      () => null,
    )
    // A decline may be of the attempt before.
    if (recorded && /captured|held|processing/.test(recorded.status)) return recorded
  }
  throw error
}
