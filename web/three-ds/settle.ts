// Shows a result in the checkout: the form again, or a screen that replaces it.

import type { ConfirmResult } from '../checkout/api.ts'
import { type Desk, readState, resultOf, text } from '../checkout/desk.ts'
import { keep } from '../checkout/keep.ts'
import { sleep } from '../checkout/sleep.ts'
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
export function settle(desk: Desk, result: ConfirmResult, recorded: boolean): void {
  const { status, session_id, confirmation_url } = result
  markUnderWay(desk, false)
  switch (status) {
    case 'invalid':
      break
    case 'canceled':
      desk.ui.alert.textContent = text(desk, 'canceled')
      desk.ui.payButton.focus()
      break
    case 'declined':
    case 'failed':
      decline(desk, result, recorded)
      break
    case 'processing':
      replaceForm(desk, result)
      watch(desk)
      break
    case 'expired':
      end(desk, result)
      desk.emit('expired', { session_id })
      break
    default:
      end(desk, result)
      desk.emit('complete', result)
      if (!recorded && confirmation_url && desk.options.redirect !== 'never') {
        setTimeout(() => desk.signal.aborted || location.assign(confirmation_url), redirect_ms)
      }
  }
}

function decline(desk: Desk, result: ConfirmResult, recorded: boolean): void {
  const { decline, attempts_left } = result
  const reason = decline ? text(desk, declineKey(decline)) : ''
  if (attempts_left) tryAgain(desk, result, reason, recorded)
  else end(desk, result, reason)
  if (!recorded || !attempts_left) desk.emit('decline', result)
}

/** Back to the form, with what went wrong. */
function tryAgain(desk: Desk, result: ConfirmResult, reason: string, recorded: boolean): void {
  const { ui, frame, words } = desk
  const { decline, attempts_left } = result
  const advice = decline && words[adviceKey(decline)]
  desk.stage = 'form'
  desk.result = undefined
  // The attempt has given the session its email, which remains.
  desk.email?.element.remove()
  desk.email = undefined
  ui.root.className = ''
  ui.alert.after(ui.info)
  ui.screen.replaceChildren()
  ui.alert.textContent = [reason, advice, words[`attempts_left_${attempts_left}`]].join(' ')
  if (recorded) return
  frame.send({ type: 'clear_code' })
  frame.element.focus()
  frame.send({ type: 'focus', field: fieldOf(decline) })
}

function replaceForm(desk: Desk, result: ConfirmResult, reason = ''): void {
  desk.stage = 'processing'
  desk.result = result
  showScreen(desk, result, reason)
}

function end(desk: Desk, result: ConfirmResult, reason?: string): void {
  replaceForm(desk, result, reason)
  desk.stage = 'over'
  // What the shopper typed goes with the form.
  keep(desk.session.place, '')
  desk.frame.element.remove()
}

/** The recorded result to show; null if the form or the bank's check comes next. */
export function recordedOf(desk: Desk): ConfirmResult | null {
  const { session, result } = desk.state
  if (session.status === 'expired') return resultOf(desk, 'expired')
  return result ?? (session.status === 'requires_payment' ? null : resultOf(desk, 'processing'))
}

/** Reads the state again, because another tab or device may have paid. A form that is still valid stays as it is. */
export async function refresh(desk: Desk): Promise<void> {
  if (isBusy(desk)) return
  await readState(desk)
  const recorded = recordedOf(desk)
  const waited_for = desk.result?.status
  const isNews = waited_for
    ? recorded?.status !== 'processing' || waited_for !== 'processing'
    : desk.state.session.status !== 'requires_payment'
  if (recorded && isNews && !isBusy(desk)) settle(desk, recorded, false)
}

function isBusy({ signal, stage, running }: Desk): boolean {
  return signal.aborted || running !== undefined || stage === 'over'
}

/** The time is over, and the service cannot be reached for the outcome of a payment in another tab. */
export function doubt(desk: Desk): void {
  if (isBusy(desk)) return
  replaceForm(desk, resultOf(desk, 'expired'), text(desk, 'connection_lost'))
  watch(desk)
}

async function watch(desk: Desk): Promise<void> {
  for (const wait_ms of watch_ms) {
    await sleep(wait_ms)
    if (desk.stage !== 'processing') return
    await refresh(desk).catch(() => {})
  }
}
