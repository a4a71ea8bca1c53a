// Why a refund failed, and what to do then.

import type { ListedRefund } from '../client/answers.ts'
import { English } from '../parts/english.tsx'
import { say, sayKnown } from '../words.ts'

/** That nothing was given back, or that it came back after the refund had succeeded, and why. */
export function RefundFailure({
  failure: { code, reason },
  is_returned = false,
  is_owed,
}: {
  failure: NonNullable<ListedRefund['failure']>
  is_returned?: boolean
  /** As long as as much was not given back since. */
  is_owed: boolean
}) {
  if (code === 'acquirer_unreachable') return say('refund_not_sent')
  const why = sayKnown('decline', code) ?? <English text={reason} />
  return (
    <>
      {say(is_returned ? 'refund_returned' : 'refund_refused')} {code !== 'refund_refused' && <>{why}. </>}
      {is_owed && say('refund_next')}
    </>
  )
}
