// Draws the checkout in the merchant's page: a shadow root with the form, and room for what replaces the form.

import { element } from '../shared/element.ts'
import { amountOf, type Desk, text } from './desk.ts'
import { drawEmail } from './email.ts'
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
export function drawForm(desk: Desk, press: () => void): void {
  const { ui, session } = desk
  const { root, form, payButton, time } = ui
  root.className = ''
  ui.alert.textContent = ''
  if (desk.state.session.customer_email_required) {
    desk.email = drawEmail(desk.words, session.place)
    form.prepend(desk.email.element)
  }
  labelButton(desk, '')
  if (desk.options.button !== false) form.append(payButton)
  form.append(time, element('p', { class: 'hint secure' }, text(desk, 'secure')))
  root.append(linksOf(desk))
  form.onsubmit = (event) => {
    event.preventDefault()
    press()
  }
}

/** The merchant's links. Links that only inform open in a window of their own. */
function linksOf(desk: Desk): HTMLElement {
  const links = Object.entries({ ...desk.state.links }).map(
    ([name, href]) =>
      href && element('a', { href, target: /b/.test(name) ? null : '_blank' }, text(desk, name)),
  )
  return element('p', { class: 'hint links' }, ...links)
}

/** The button says what it does, or what the checkout waits for. */
export function labelButton(desk: Desk, waiting: string): void {
  const { payButton, status, alert } = desk.ui
  payButton.setAttribute('aria-disabled', String(!!waiting))
  payButton.textContent = waiting || text(desk, 'pay', { amount: amountOf(desk) })
  status.textContent = waiting
  if (waiting) alert.textContent = ''
}
