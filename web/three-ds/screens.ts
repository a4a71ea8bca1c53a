// The screens that replace the form: the outcome of the payment, what was paid, where to go on.

import type { ConfirmResult } from '../checkout/api.ts'
import { amountOf, type PayableCheckout, text } from '../checkout/mounted-checkout.ts'
import { button, element } from '../shared/element.ts'
import { markUnderWay } from './under-way.ts'

const keys: Partial<Record<ConfirmResult['status'], string>> = {
  captured: 'complete',
  held: 'held',
  processing: 'processing',
  expired: 'expired',
}

/** Moves the focus to its heading. `reason` says why the last attempt was declined, or why nothing more is known. */
export function showScreen(checkout: PayableCheckout, result: ConfirmResult, reason: string): void {
  const { root, screen, info } = checkout.ui
  // Does not blame the bank, because the acquirer or this service may have declined.
  const refused = result.decline?.category === 'fraud' ? 'refused' : 'no_attempts_left'
  const is_elsewhere = checkout.elsewhere && result.status === 'processing'
  const key = is_elsewhere ? 'elsewhere' : (keys[result.status] ?? refused)
  // Says that nothing was taken only if that is known.
  const detail = reason && result.status === 'expired' ? '' : (checkout.words[`${key}_detail`] ?? '')
  const heading = element('h2', { class: key, tabindex: '-1' }, text(checkout, key))
  root.className = 'over'
  screen.replaceChildren(
    ...(checkout.state.session.mode === 'test' ? [element('p', { class: 'test' }, text(checkout, 'test_mode'))] : []),
    heading,
    element('p', {}, `${reason} ${detail}`),
    info,
    listOf(checkout, result),
    is_elsewhere ? continueHere(checkout) : wayBack(checkout, result.confirmation_url),
  )
  heading.focus()
}

/** Takes the attempt over from the other window, which the shopper may have closed. */
function continueHere(checkout: PayableCheckout): HTMLElement {
  return button({ class: 'pay' }, text(checkout, 'continue_here'), () => {
    markUnderWay(checkout, true)
    checkout.again()
  })
}

function listOf(checkout: PayableCheckout, result: ConfirmResult): HTMLElement {
  const { order_reference, payment_id, receipt } = result
  const rows = [
    ['amount', amountOf(checkout)],
    ['date', receipt && dateOf(checkout, receipt.paid_at)],
    ['card', receipt && `${text(checkout, receipt.brand)} •••• ${receipt.last4}`],
    ['email', receipt?.email],
    ['order', order_reference],
    ['payment', payment_id],
  ] as const
  const drawn = rows.flatMap(([name, value]) =>
    value ? [element('dt', {}, text(checkout, name)), element('dd', { class: name }, element('bdi', {}, value))] : [],
  )
  return element('dl', {}, ...drawn)
}

function dateOf({ locale }: PayableCheckout, time: string): string {
  return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
}

/** A link to where the page goes by itself, unless the page does that; else back to the shop. */
function wayBack(checkout: PayableCheckout, url: string | null): HTMLElement | '' {
  const { links, shop_url } = checkout.state
  const is_theirs = url && checkout.options.redirect === 'never'
  const href = is_theirs ? links?.back_url : (url ?? shop_url)
  if (!href) return ''
  const key = href === url ? 'go_on' : 'back_url'
  const words = text(checkout, key, { shop: new URL(href).hostname })
  return element('a', { class: 'pay', href }, words)
}
