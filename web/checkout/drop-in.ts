// Draws the checkout in the merchant's page: a shadow root with the form, and room for what replaces the form.

import { element } from '../shared/element.ts'
import { drawEmail } from './email.ts'
import { amountOf, type PayableCheckout, text } from './mounted-checkout.ts'
import style from './style.css?inline'

export type DropIn = ReturnType<typeof drawDropIn>

/** Draws the card fields at once, because a frame that is moved loads again. The rest waits for its words. */
export function drawDropIn(frame: HTMLElement) {
  const host = element('div')
  const shadow = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  // The card fields bring their style, which the form uses, too.
  const theirs = new CSSStyleSheet()
  shadow.adoptedStyleSheets = [sheet, theirs]

  const alert = element('p', { class: 'alert', role: 'alert' })
  const info = element('p', { class: 'info' })
  const ui = {
    host,
    theirs,
    alert,
    /** The text that the card's bank wants to be shown to the cardholder. */
    info,
    /** A text for screen readers, whose users do not see the button change. */
    status: element('p', { class: 'status', role: 'status' }, 'Loading the payment form …'),
    time: element('p', { class: 'hint' }),
    payButton: element('button', { class: 'pay' }),
    form: element('form', { novalidate: '' }, frame, alert, info),
    /** Replaces the form, which its class hides. */
    screen: element('div'),
    /** Its class is `loading`, `failed`, `over` or none. */
    root: element('div', { class: 'loading' }),
  }
  ui.root.append(ui.form, ui.screen, ui.status)
  shadow.append(ui.root)
  return ui
}

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
    ([name, href]) =>
      href &&
      element('a', { href, target: /b/.test(name) ? null : '_blank' }, text(checkout, name)),
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
