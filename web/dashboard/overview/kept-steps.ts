// What this browser keeps of the first steps: whether somebody looked at a payment, and whether they hid the list.

import { newStore } from '../store.ts'

type Step = 'looked' | 'hidden'

const keyOf = (merchant_id: string, step: Step) => `ripper-dashboard-${step}-${merchant_id}`

/** Counts the changes, so that the list follows them. */
export const keptSteps = newStore(0)

export function hasKept(merchant_id: string, step: Step): boolean {
  try {
    return localStorage.getItem(keyOf(merchant_id, step)) !== null
  } catch {
    return false
  }
}

export function keepStep(merchant_id: string, step: Step): void {
  try {
    localStorage.setItem(keyOf(merchant_id, step), '1')
  } catch {
    // A browser that keeps nothing shows the step as open.
  }
  keptSteps.write(keptSteps.read() + 1)
}
