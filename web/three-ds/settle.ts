// Shows a result in the checkout: the form again, or a screen that replaces it.

import type { ConfirmResult } from '../checkout/api.ts'
import { type PayableCheckout, readState, resultOf, text } from '../checkout/mounted-checkout.ts'
import { sleep } from '../checkout/sleep.ts'
import { saveItem } from '../checkout/tab-storage.ts'
import { adviceKey, declineKey, fieldOf } from './reasons.ts'
import { showScreen } from './screens.ts'
import { markUnderWay } from './under-way.ts'

const redirect_ms = 3000
/** The checkout asks for a missing outcome after 1, 2, 4 seconds, then every 8, for about two minutes. */
const watch_ms = [1000, 2000, 4000, ...Array<number>(14).fill(8000)]

/**
 * Shows a result and tells the page. `recorded` means that the result is older than this page, so no caller waits for it, and the
 * shopper is not sent on a second time.
 */
export function settle(checkout: PayableCheckout, result: ConfirmResult, recorded: boolean): void {
  const { status, session_id, confirmation_url } = result
  markUnderWay(checkout, false)
  switch (status) {
    case 'invalid':
      break
    case 'canceled':
      warn(checkout, result, text(checkout, 'canceled'))
      checkout.ui.payButton.focus()
      break
    case 'declined':
    case 'failed':
      decline(checkout, result, recorded)
      break
    case 'processing':
      replaceForm(checkout, result)
      watch(checkout)
      break
    case 'expired':
      end(checkout, result)
      checkout.emit('expired', { session_id })
      break
    default:
      end(checkout, result)
      checkout.emit('complete', result)
      if (!recorded && confirmation_url && checkout.options.redirect !== 'never') {
        setTimeout(() => checkout.signal.aborted || location.assign(confirmation_url), redirect_ms)
      }
  }
}

function decline(checkout: PayableCheckout, result: ConfirmResult, recorded: boolean): void {
  const { decline, attempts_left } = result
  const reason = decline ? text(checkout, declineKey(decline)) : ''
  if (attempts_left) tryAgain(checkout, result, reason, recorded)
  else end(checkout, result, reason)
  if (!recorded || !attempts_left) checkout.emit('decline', result)
}

/** Back to the form, with what went wrong. */
function tryAgain(checkout: PayableCheckout, result: ConfirmResult, reason: string, recorded: boolean): void {
  const { ui, frame, words } = checkout
  const { decline } = result
  const advice = decline && words[adviceKey(decline)]
  checkout.stage = 'form'
  checkout.result = undefined
  // The attempt has given the session its email, which remains.
  checkout.email?.element.remove()
  checkout.email = undefined
  ui.root.className = ''
  ui.alert.after(ui.info)
  ui.screen.replaceChildren()
  warn(checkout, result, reason, advice)
  if (recorded) return
  frame.send({ type: 'clear_code' })
  frame.element.focus()
  frame.send({ type: 'focus', field: fieldOf(decline) })
}

/** Says how often the shopper may try again, too. */
function warn({ ui, words }: PayableCheckout, { attempts_left }: ConfirmResult, ...reasons: unknown[]) {
  ui.alert.textContent = [...reasons, words[`attempts_left_${attempts_left}`]].join(' ')
}

function replaceForm(checkout: PayableCheckout, result: ConfirmResult, reason = ''): void {
  checkout.stage = 'processing'
  checkout.result = result
  showScreen(checkout, result, reason)
}

function end(checkout: PayableCheckout, result: ConfirmResult, reason?: string): void {
  replaceForm(checkout, result, reason)
  checkout.stage = 'over'
  // What the shopper typed goes with the form.
  saveItem(checkout.session.place, '')
  checkout.frame.element.remove()
}

/** The recorded result to show; null if the form or the bank's check comes next. */
export function recordedOf(checkout: PayableCheckout): ConfirmResult | null {
  const { session, result } = checkout.state
  if (session.status === 'expired') return resultOf(checkout, 'expired')
  return result ?? (session.status === 'requires_payment' ? null : resultOf(checkout, 'processing'))
}

/** Reads the state again, because another tab or device may have paid. A form that is still valid stays as it is. */
export async function refresh(checkout: PayableCheckout): Promise<void> {
  if (isBusy(checkout)) return
  await readState(checkout)
  const recorded = recordedOf(checkout)
  const waited_for = checkout.result?.status
  const is_news = waited_for
    ? recorded?.status !== 'processing' || waited_for !== 'processing'
    : checkout.state.session.status !== 'requires_payment'
  if (recorded && is_news && !isBusy(checkout)) settle(checkout, recorded, false)
}

function isBusy({ signal, stage, running }: PayableCheckout): boolean {
  return signal.aborted || running !== undefined || stage === 'over'
}

/** The time is over, and the service cannot be reached for the outcome of a payment in another tab. */
export function doubt(checkout: PayableCheckout): void {
  if (isBusy(checkout)) return
  replaceForm(checkout, resultOf(checkout, 'expired'), text(checkout, 'connection_lost'))
  watch(checkout)
}

async function watch(checkout: PayableCheckout): Promise<void> {
  for (const wait_ms of watch_ms) {
    await sleep(wait_ms)
    if (checkout.stage !== 'processing') return
    await refresh(checkout).catch(() => {})
  }
}
