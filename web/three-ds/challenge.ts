// The bank's check: our page, which nests the bank's, over the merchant's page. Only the service knows how it ends.

import type { RipperError } from '../checkout/failure.ts'
import { type PayableCheckout, readState, text } from '../checkout/mounted-checkout.ts'
import { origin } from '../checkout/origin.ts'
import { sleep } from '../checkout/sleep.ts'
import type { Challenge } from '../checkout/wire.ts'
import { type Dialog, openDialog } from './dialog.ts'
import { errorKey } from './reasons.ts'

const poll_ms = 2000
const poll_most_ms = 5000

/**
 * True if the check is over, or goes on in another window; false if the shopper left it. Throws a RipperError if waiting is useless.
 * `resumed`: after a reload, or after the shopper came back.
 */
export async function passes(
  checkout: PayableCheckout,
  challenge: Challenge,
  { attempt_id, resumed }: { attempt_id: string; resumed: boolean },
): Promise<boolean> {
  const { signal } = checkout
  if (signal.aborted) return false
  const life = new AbortController()
  checkout.emit('challenge', { open: true })
  const dialog = openDialog(checkout, challenge, fullPage(challenge.url))
  signal.addEventListener('abort', dialog.leave, { signal: life.signal })
  // The bank waits 30 s for its page to be opened. Whoever came back from there is not sent again.
  if (window.crossOriginIsolated && !resumed) dialog.link.click()
  try {
    return await Promise.race([dialog.left, answered(checkout, dialog, attempt_id, life.signal)])
  } finally {
    life.abort()
    dialog.close()
    checkout.emit('challenge', { open: false })
  }
}

/** Opens our page instead of the merchant's. It comes back to the merchant's page by itself. */
function fullPage(url: string): string {
  // A client secret in the fragment must not get into the query, because queries get into logs.
  const here = location.href.replace(/_secret_\w+/, '')
  return `${url}?return_url=${encodeURIComponent(here)}`
}

/** Asks for the state from time to time. Asks at once when our page says that the bank is done, or when the shopper comes back. */
async function answered(
  checkout: PayableCheckout,
  { frame, status }: Dialog,
  attempt_id: string,
  signal: AbortSignal,
): Promise<true> {
  let wake = () => {}
  let told = ''
  const hear = ({ source, origin: from, data }: MessageEvent) => {
    if (source !== frame.contentWindow || from !== origin) return
    if (data?.type !== 'ripper:challenge' || !data.done) return
    status.textContent = text(checkout, 'challenge_waiting')
    wake()
  }
  addEventListener('message', hear, { signal })
  document.addEventListener('visibilitychange', () => wake(), { signal })
  for (let wait_ms = poll_ms; ; wait_ms = Math.min(wait_ms * 1.2, poll_most_ms)) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    await Promise.race([sleep(wait_ms), woken])
    if (signal.aborted) return true
    const lost = await readState(checkout).then(() => '', waitingKey)
    const { attempt, three_ds } = checkout.state
    const waits = attempt?.id === attempt_id && three_ds?.state === 'awaiting_challenge'
    if (!lost && !waits) return true
    if (lost || told) status.textContent = lost && text(checkout, lost)
    told = lost
  }
}

/** The words to show while the service does not answer. */
function waitingKey(error: RipperError): string {
  const key = errorKey(error.code)
  if (/connection|too_many/.test(key)) return key
  throw error
}
