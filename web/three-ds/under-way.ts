// Remembers whether this tab has an attempt under way. Only then a reload resumes it by itself.

import type { Desk } from '../checkout/desk.ts'
import { keep, recall } from '../checkout/keep.ts'

const placeOf = ({ session }: Desk) => `${session.place}:paying`

export function markUnderWay(desk: Desk, is_under_way: boolean): void {
  keep(placeOf(desk), is_under_way ? '1' : '')
}

export function isUnderWay(desk: Desk): boolean {
  return recall(placeOf(desk)) !== null
}
