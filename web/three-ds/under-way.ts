// Whether this tab's shopper has an attempt under way: only then does a reload go on with it by itself.

import type { Desk } from '../checkout/desk.ts'
import { keep, recall } from '../checkout/keep.ts'

const placeOf = ({ session }: Desk) => `${session.place}:paying`

export function markUnderWay(desk: Desk, is_under_way: boolean): void {
  keep(placeOf(desk), is_under_way ? '1' : '')
}

export function isUnderWay(desk: Desk): boolean {
  return recall(placeOf(desk)) !== null
}
