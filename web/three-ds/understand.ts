// Decides what a refusal of the service means for the shopper: a result, or an error to show.

import type { ConfirmResult } from '../checkout/api.ts'
import type { RipperError } from '../checkout/failure.ts'
import { type PayableCheckout, readState, resultOf, text } from '../checkout/mounted-checkout.ts'
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

/** The recorded result for which a refusal stands. Shows any other error and throws it again. */
export async function understand(checkout: PayableCheckout, error: RipperError): Promise<ConfirmResult> {
  const { code, retry_after_seconds } = error
  if (code === 'customer_email_required') {
    checkout.email?.complain('email_missing')
    return resultOf(checkout, 'invalid')
  }
  const status = ending[code]
  if (status) {
    const state = await readState(checkout).catch(() => null)
    const result = resultOf(checkout, status)
    // An expired session did not end because of its last decline.
    return status === 'expired' ? result : { ...result, ...state?.result }
  }
  // A service that is down says when to come back, too. That is not the shopper's fault.
  const key = errorKey(code)
  checkout.ui.alert.textContent =
    retry_after_seconds && code === 'rate_limit_exceeded'
      ? text(checkout, 'too_many_wait', { time: clock(retry_after_seconds) })
      : text(checkout, key)
  // The state, or a reload, may show the outcome of the attempt. A refused request is not repeated by itself.
  if (key !== 'connection_lost') markUnderWay(checkout, false)
  else {
    const recorded = await readState(checkout).then(
      () => recordedOf(checkout),
      () => null,
    )
    // The decline may belong to the attempt before.
    if (recorded && /captured|held|processing/.test(recorded.status)) return recorded
  }
  throw error
}
