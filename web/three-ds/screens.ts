// What stands in the form's place: what became of the payment, what was paid, where to go on.

import type { ConfirmResult } from '../checkout/api.ts'
import { amountOf, type Desk, text } from '../checkout/desk.ts'
import { element } from '../shared/element.ts'

const keys: Partial<Record<ConfirmResult['status'], string>> = {
  captured: 'complete',
  held: 'held',
  processing: 'processing',
  expired: 'expired',
}

/** Takes the reader to its heading. `reason` is why the last attempt was declined, or why nothing more is known. */
export function showScreen(desk: Desk, result: ConfirmResult, reason: string): void {
  const { root, screen, info } = desk.ui
  const key = keys[result.status] ?? 'no_attempts_left'
  // That nothing was taken is only said where it is known.
  const detail = reason && result.status === 'expired' ? '' : (desk.words[`${key}_detail`] ?? '')
  const heading = element('h2', { class: key, tabindex: '-1' }, text(desk, key))
  root.className = 'over'
  screen.replaceChildren(
    heading,
    element('p', {}, `${reason} ${detail}`),
    info,
    listOf(desk, result),
    ...linkOf(desk, result.confirmation_url),
  )
  heading.focus()
}

function listOf(desk: Desk, { order_reference, payment_id }: ConfirmResult): HTMLElement {
  const rows = [
    ['amount', amountOf(desk)],
    ['order', order_reference],
    ['payment', payment_id],
  ] as const
  const drawn = rows.flatMap(([name, value]) =>
    value
      ? [element('dt', {}, text(desk, name)), element('dd', {}, element('bdi', {}, value))]
      : [],
  )
  return element('dl', {}, ...drawn)
}

/** A link to where the page goes by itself, unless the page wants to see to that. */
function linkOf(desk: Desk, url: string | null): HTMLElement[] {
  if (!url || desk.options.redirect === 'never') return []
  const shop = new URL(url).hostname
  return [element('a', { class: 'pay', href: url }, text(desk, 'go_on', { shop }))]
}
