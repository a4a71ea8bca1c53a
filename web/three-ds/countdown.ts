// Counts down a checkout's last two minutes. It uses performance.now(), because a shopper's clock may be wrong or be set.

import { type PayableCheckout, text } from '../checkout/mounted-checkout.ts'
import { sleep } from '../checkout/sleep.ts'
import { doubt, refresh } from './settle.ts'

/** Called when they begin. Waits for a payment that is under way. */
export async function countDown(checkout: PayableCheckout): Promise<void> {
  const { ui, signal } = checkout
  let told = false
  while (checkout.stage !== 'over' && !signal.aborted) {
    const left = secondsUntil(checkout.deadline_ms, performance.now())
    if (checkout.stage === 'form' && !checkout.running) {
      if (!told) ui.status.textContent = text(checkout, 'time_running_out')
      told = true
      ui.time.textContent = text(checkout, 'time_left', { time: clock(left) })
      // Another tab may have paid meanwhile.
      if (left === 0) await refresh(checkout).catch(() => doubt(checkout))
    }
    await sleep(1000)
  }
}

/** Whole seconds from one time to another, at least 0. */
export function secondsUntil(deadline_ms: number, now_ms: number): number {
  return Math.max(0, Math.ceil((deadline_ms - now_ms) / 1000))
}

/** `1:05` */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
