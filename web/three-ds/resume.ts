// Does what a session's state needs after a reload.

import type { PayableCheckout } from '../checkout/mounted-checkout.ts'
import { recordedOf, settle } from './settle.ts'
import { isUnderWay } from './under-way.ts'

/** Shows a recorded result. Returns whether to resume the attempt: not if the shopper left it. */
export function resume(checkout: PayableCheckout): boolean {
  const recorded = recordedOf(checkout)
  if (recorded) settle(checkout, recorded, true)
  return !recorded && isUnderWay(checkout) && checkout.state.three_ds?.state !== 'superseded'
}
