// Runs one payment at a time, and shows its progress in the form. The part that is loaded later does the payment.

import type { ConfirmResult } from './api.ts'
import { type Desk, text } from './desk.ts'
import { labelButton } from './drop-in.ts'
import { loadPart, type Part } from './part.ts'

type Steps = (part: Part) => Promise<ConfirmResult>

/** Joins a payment that is under way. Rejects with RipperError if the service cannot be reached or refuses. */
export async function run(desk: Desk, steps: Steps): Promise<ConfirmResult> {
  if (desk.result) return desk.result
  desk.running ??= take(desk, steps)
  return desk.running
}

async function take(desk: Desk, steps: Steps): Promise<ConfirmResult> {
  let settle = () => {}
  busy(desk, text(desk, 'paying'))
  try {
    const part = await loadPart(desk).catch((error) => {
      desk.ui.alert.textContent = text(desk, 'connection_lost')
      throw error
    })
    const result = await steps(part).catch((error) => part.understand(desk, error))
    settle = () => part.settle(desk, result, false)
    return result
  } finally {
    desk.running = undefined
    busy(desk, '')
    settle()
  }
}

function busy(desk: Desk, waiting: string): void {
  const submitting = !!waiting
  desk.frame.send({ type: 'lock', locked: submitting })
  labelButton(desk, waiting)
  desk.emit('submitting', { submitting })
}
