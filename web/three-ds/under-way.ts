// Remembers whether this tab has an attempt under way. Only then a reload resumes it by itself.

import type { PayableCheckout } from '../checkout/mounted-checkout.ts'
import { readItem, saveItem } from '../checkout/tab-storage.ts'

const placeOf = ({ session }: PayableCheckout) => `${session.place}:paying`

export function markUnderWay(checkout: PayableCheckout, is_under_way: boolean): void {
  saveItem(placeOf(checkout), is_under_way ? '1' : '')
}

export function isUnderWay(checkout: PayableCheckout): boolean {
  return readItem(placeOf(checkout)) !== null
}
