// What a result makes of the checkout: the form again, or a screen in its place.

import type { ConfirmResult } from '../checkout/api.ts'
import { type Desk, readState, text } from '../checkout/desk.ts'
import { sleep } from '../checkout/sleep.ts'
import { declineKey, fieldOf } from './reasons.ts'
import { showScreen } from './screens.ts'

const redirect_ms = 3000
/** A missing outcome is asked for after 1, 2, 4 seconds, then every 8, for about two minutes. */
const watch_ms = [1000, 2000, 4000, ...Array<number>(14).fill(8000)]

/** Shows a result and tells the page. `recorded`: it was there before this page, so nobody is waiting for it. */
export function settle(desk: Desk, result: ConfirmResult, recorded: boolean): void {
  const { status, session_id, confirmation_url } = result
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
      if (confirmation_url && desk.options.redirect !== 'never') {
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
  desk.stage = 'form'
  desk.result = undefined
  ui.root.className = ''
  ui.alert.after(ui.info)
  ui.screen.replaceChildren()
  ui.alert.textContent = `${reason} ${words[`attempts_left_${result.attempts_left}`] ?? ''}`
  if (recorded) return
  frame.send({ type: 'clear_code' })
  frame.element.focus()
  frame.send({ type: 'focus', field: fieldOf(result.decline) })
}

function replaceForm(desk: Desk, result: ConfirmResult, reason = ''): void {
  desk.stage = 'processing'
  desk.result = result
  showScreen(desk, result, reason)
}

function end(desk: Desk, result: ConfirmResult, reason?: string): void {
  replaceForm(desk, result, reason)
  desk.stage = 'over'
  desk.session.forget()
  // With it goes what was typed.
  desk.frame.element.remove()
}

async function watch(desk: Desk): Promise<void> {
  for (const wait_ms of watch_ms) {
    await sleep(wait_ms)
    if (desk.signal.aborted) return
    const state = await readState(desk).catch(() => null)
    if (desk.stage !== 'processing') return
    const { result } = state ?? {}
    if (result && result.status !== 'processing') return settle(desk, result, false)
  }
}
