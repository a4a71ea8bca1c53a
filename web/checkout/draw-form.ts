// Draws the form around the card fields once its words are there: email, button, links.

import { element } from '../shared/element.ts'
import { drawEmail } from './email.ts'
import { amountOf, type PayableCheckout, text } from './mounted-checkout.ts'

/** Draws the rest of the form. */
export function drawForm(checkout: PayableCheckout, press: () => void): void {
  const { ui, session } = checkout
  const { root, form, payButton, time } = ui
  root.className = ''
  ui.alert.textContent = ''
  if (checkout.state.session.customer_email_required) {
    checkout.email = drawEmail(checkout.words, session.place)
    form.prepend(checkout.email.element)
  }
  labelButton(checkout, '')
  if (checkout.options.button !== false) form.append(payButton)
  form.append(time, element('p', { class: 'hint secure' }, text(checkout, 'secure')))
  root.append(linksOf(checkout))
  form.onsubmit = (event) => {
    event.preventDefault()
    press()
  }
}

/** The merchant's links. Links that only inform open in a window of their own. */
function linksOf(checkout: PayableCheckout): HTMLElement {
  const links = Object.entries({ ...checkout.state.links }).map(
    ([name, href]) => href && element('a', { href, target: /b/.test(name) ? null : '_blank' }, text(checkout, name)),
  )
  return element('p', { class: 'hint links' }, ...links)
}

/** The button says what it does, or what the checkout waits for. */
export function labelButton(checkout: PayableCheckout, waiting: string): void {
  const { payButton, status, alert } = checkout.ui
  payButton.setAttribute('aria-disabled', String(!!waiting))
  payButton.textContent = waiting || text(checkout, 'pay', { amount: amountOf(checkout) })
  status.textContent = waiting
  if (waiting) alert.textContent = ''
}
