// Does what a session's state needs after a reload.

import type { Desk } from '../checkout/desk.ts'
import { recordedOf, settle } from './settle.ts'
import { isUnderWay } from './under-way.ts'

/** Shows a recorded result. Returns whether to resume the attempt: not if the shopper left it. */
export function resume(desk: Desk): boolean {
  const recorded = recordedOf(desk)
  if (recorded) settle(desk, recorded, true)
  return !recorded && isUnderWay(desk) && desk.state.three_ds?.state !== 'superseded'
}
