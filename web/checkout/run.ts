// Runs one payment at a time, and shows its progress in the form. The part that is loaded later does the payment.

import type { ConfirmResult } from './api.ts'
import { labelButton } from './draw-form.ts'
import { type PayableCheckout, text } from './mounted-checkout.ts'
import { loadPart, type ThreeDsPart } from './part.ts'

type Steps = (part: ThreeDsPart) => Promise<ConfirmResult>

/** Joins a payment that is under way. Rejects with RipperError if the service cannot be reached or refuses. */
export async function run(checkout: PayableCheckout, steps: Steps): Promise<ConfirmResult> {
  if (checkout.result) return checkout.result
  checkout.running ??= take(checkout, steps)
  return checkout.running
}

async function take(checkout: PayableCheckout, steps: Steps): Promise<ConfirmResult> {
  let settle = () => {}
  busy(checkout, text(checkout, 'paying'))
  try {
    const part = await loadPart(checkout).catch((error) => {
      checkout.ui.alert.textContent = text(checkout, 'connection_lost')
      throw error
    })
    const result = await steps(part).catch((error) => part.understand(checkout, error))
    settle = () => part.settle(checkout, result, false)
    return result
  } finally {
    checkout.running = undefined
    busy(checkout, '')
    settle()
  }
}

function busy(checkout: PayableCheckout, waiting: string): void {
  const submitting = !!waiting
  checkout.frame.send({ type: 'lock', locked: submitting })
  labelButton(checkout, waiting)
  checkout.emit('submitting', { submitting })
}
