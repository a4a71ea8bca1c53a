// What a session's state asks for after a reload.

import type { Desk } from '../checkout/desk.ts'
import { recordedOf, settle } from './settle.ts'
import { isUnderWay } from './under-way.ts'

/** Shows what stands recorded. Whether the attempt is to be gone on with: what the shopper left is not. */
export function resume(desk: Desk): boolean {
  const recorded = recordedOf(desk)
  if (recorded) settle(desk, recorded, true)
  return !recorded && isUnderWay(desk) && desk.state.three_ds?.state !== 'superseded'
}
