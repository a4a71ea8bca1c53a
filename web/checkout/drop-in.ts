// Draws the checkout in the merchant's page: a shadow root with the card fields, and room for what replaces the form.

import { element } from '../shared/element.ts'
import style from './style.css?inline'
import { addStyle } from './styles.ts'

export type DropIn = ReturnType<typeof drawDropIn>

/** Draws the card fields at once, because a frame that is moved loads again. The rest waits for its words. */
export function drawDropIn(frame: HTMLElement) {
  const host = element('div')
  const shadow = host.attachShadow({ mode: 'open' })

  const alert = element('p', { class: 'alert', role: 'alert' })
  const info = element('p', { class: 'info' })
  const ui = {
    host,
    styles: [] as string[],
    /** Adds a style sheet, once. */
    wear(text: string) {
      if (ui.styles.includes(text)) return
      ui.styles.push(text)
      addStyle(shadow, text)
    },
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
  ui.wear(style)
  ui.root.append(ui.form, ui.screen, ui.status)
  shadow.append(ui.root)
  return ui
}
