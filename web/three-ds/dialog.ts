// The dialog of the bank's check, in a shadow root of its own on the page's body.

import { type PayableCheckout, text } from '../checkout/mounted-checkout.ts'
import { addStyle } from '../checkout/styles.ts'
import type { Challenge } from '../checkout/wire.ts'
import { button, element } from '../shared/element.ts'

/** Sizes in CSS pixels, by the names that banks have for them. With any other name, and on a phone, the page fills the window. */
const sizes: Record<string, [width: number, height: number]> = {
  '01': [250, 400],
  '02': [390, 400],
  '03': [500, 600],
  '04': [600, 400],
}
/** If a page has not loaded by then, the shopper should open it in full. */
const patience_ms = 10_000

export type Dialog = {
  frame: HTMLIFrameElement
  /** To our page, in full. */
  link: HTMLAnchorElement
  status: HTMLElement
  /** Called when the shopper wants to stop. */
  left: Promise<false>
  leave(): void
  close(): void
}

export function openDialog(checkout: PayableCheckout, challenge: Challenge, full_page_url: string): Dialog {
  const title = text(checkout, 'challenge_title')
  // In such a page no bank's page loads but in full.
  const isolated = window.crossOriginIsolated
  // The bank's page has its own title and Cancel. These are for shoppers for whom that page does not load.
  const cancel = button({ 'aria-label': text(checkout, 'challenge_cancel') }, '×', () => question.ask())
  const status = element('p', { role: 'status' }, isolated ? null : text(checkout, 'challenge_loading'))
  const frame = element('iframe', {
    src: challenge.url,
    title,
    allow: 'payment *; publickey-credentials-get *',
  })
  const link = element('a', { href: full_page_url }, text(checkout, 'challenge_full_page'))
  const header = element('header', {}, link, cancel)
  const question = leaveQuestion(checkout, frame)
  const dialog = element(
    'dialog',
    { role: 'dialog', 'aria-label': title },
    header,
    status,
    isolated ? null : frame,
    question.footer,
  )
  const host = hostOf(checkout, dialog)
  size(dialog, frame, challenge.window_size)

  let open = true
  function show(): void {
    if (dialog.showModal) dialog.showModal()
    else {
      // iOS before 15.4 has no dialogs.
      dialog.className = 'full old'
      for (const name of ['open', 'aria-modal']) dialog.setAttribute(name, 'true')
    }
    frame.focus()
  }
  dialog.oncancel = (event) => {
    event.preventDefault()
    question.ask()
  }
  // Browsers let a second Esc through.
  dialog.onclose = () => {
    if (!open) return
    show()
    question.ask()
  }
  show()

  const late = setTimeout(
    () => {
      link.className = 'pay'
    },
    isolated ? 0 : patience_ms,
  )
  const arrive = () => {
    clearTimeout(late)
    status.textContent = ''
  }
  frame.addEventListener('load', arrive, { once: true })

  const { left, leave } = question
  return {
    frame,
    link,
    status,
    left,
    leave,
    close() {
      open = false
      // Gives the focus back.
      dialog.close?.()
      host.remove()
    },
  }
}

/** The dialog's foot. It asks before the check is given up, because the shopper may have pressed the key by mistake. */
function leaveQuestion(checkout: PayableCheckout, frame: HTMLElement) {
  const footer = element('footer')
  let leave = () => {}
  const left = new Promise<false>((resolve) => {
    leave = () => resolve(false)
  })
  const yes = button({}, text(checkout, 'challenge_leave_yes'), leave)
  const no = button({ class: 'pay' }, text(checkout, 'challenge_leave_no'), () => {
    footer.replaceChildren()
    frame.focus()
  })
  function ask(): void {
    const words = element('p', { role: 'alert' }, text(checkout, 'challenge_leave'))
    footer.replaceChildren(words, yes, no)
    no.focus()
  }
  return { footer, left, leave, ask }
}

function size(dialog: HTMLElement, frame: HTMLElement, window_size: string): void {
  const [width, height] = sizes[window_size] ?? []
  if (width) {
    // And its border.
    dialog.style.width = `${width + 2}px`
    frame.style.height = `${height}px`
  } else dialog.className = 'full'
}

/** Gives the dialog the style and language of its checkout. */
function hostOf({ ui }: PayableCheckout, dialog: HTMLElement): HTMLElement {
  const host = element('div')
  const shadow = host.attachShadow({ mode: 'open' })
  host.style.cssText = ui.host.style.cssText
  for (const text of ui.styles) addStyle(shadow, text)
  dialog.lang = ui.root.lang
  dialog.dir = ui.root.dir
  shadow.append(dialog)
  document.body.append(host)
  return host
}
