// The shop's second step: the payment beside the order, and the thanks after it.

import type { Checkout } from '../checkout/api.ts'
import { button, element } from '../shared/element.ts'
import type { BasketLine } from './basket.ts'
import type { Order, PaymentResult } from './kept.ts'
import { code } from './note.ts'
import { linesTable } from './shop.ts'
import { takePayment } from './take-payment.ts'

type CheckoutStepOptions = {
  base_url: string
  order: Order
  lines: BasketLine[]
  paid: PaymentResult | null
  keepPaid: (paid: PaymentResult) => void
  /** Back to the basket. */
  back: () => void
  /** Another order for the same basket. Rejects with an Error whose message is shown. */
  again: () => Promise<void>
  /** An empty basket. */
  finish: () => void
}

/** Returns a function that leaves the step. */
export function checkoutStep(root: HTMLElement, step: CheckoutStepOptions): () => void {
  const { order, lines } = step
  const after = element('div', { class: 'after' })
  const back = button({ class: 'back' }, 'Back to the basket', step.back)
  const side = element(
    'section',
    { class: 'panel', 'aria-labelledby': 'order' },
    element('h2', { id: 'order', tabindex: '-1' }, `Order ${order.order_reference}`),
    linesTable(lines, ({ quantity }) => element('span', {}, `× ${quantity}`)),
    back,
  )
  root.replaceChildren(element('div', { class: 'till' }, element('div', { id: 'checkout' }), after), side)
  const thank = (paid: PaymentResult) => {
    back.remove()
    after.replaceChildren(thanks(step, paid))
  }
  if (step.paid) thank(step.paid)
  const offerAgain = () => after.replaceChildren(startAgain(step.again))

  let left = false
  let payment: Checkout | null = null
  takePayment(order, ({ status, payment_id }) => {
    step.keepPaid({ status, payment_id })
    thank({ status, payment_id })
  })
    .then((taking) => {
      payment = taking
      if (left) taking.unmount()
      taking.on('expired', offerAgain)
      taking.on('decline', ({ attempts_left }) => attempts_left === 0 && offerAgain())
    })
    .catch(() => {
      const text = 'The checkout script could not be loaded. Reload the page to try again.'
      after.replaceChildren(element('p', { class: 'complaint', role: 'alert' }, text))
    })
  return () => {
    left = true
    payment?.unmount()
  }
}

function startAgain(again: () => Promise<void>): HTMLElement {
  const complaint = element('p', { class: 'complaint', role: 'alert' })
  const press = () =>
    again().catch((error: Error) => {
      complaint.textContent = error.message
    })
  return element('div', {}, button({ class: 'primary' }, 'Start again', press), complaint)
}

function thanks({ base_url, order, finish }: CheckoutStepOptions, { status, payment_id }: PaymentResult): HTMLElement {
  const curl = `curl ${base_url}/v1/payments/${payment_id} \\\n  -H "X-Service-Api-Key: $RIPPER_SECRET_KEY"`
  const copied = element('span', { class: 'copied', role: 'status' })
  const copy = button({ class: 'quiet' }, 'Copy', async () => {
    const done = await navigator.clipboard?.writeText(curl).then(
      () => true,
      () => false,
    )
    copied.textContent = done ? 'Copied' : 'Select the text to copy it.'
  })
  return element(
    'section',
    { class: 'thanks', 'aria-labelledby': 'thanks' },
    element('h2', { id: 'thanks' }, 'Thank you'),
    element(
      'p',
      {},
      status === 'captured'
        ? `Order ${order.order_reference} is paid, and we are packing it now.`
        : `Your bank has reserved the amount of order ${order.order_reference}. We look at it, then send it.`,
    ),
    element('p', {}, 'This is how the shop’s server reads the payment:'),
    code(curl),
    element('p', { class: 'copy' }, copy, copied),
    element('p', { class: 'hint' }, 'The secret key is in demo.json in the data directory; npm start prints it.'),
    button({ class: 'primary' }, 'Shop again', finish),
  )
}
