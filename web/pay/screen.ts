// Draws the page of a payment: the summary, the checkout beside it, and a button below.

import { button, element } from '../shared/element.ts'
import { say } from '../shared/words.ts'
import type { Context } from './context.ts'
import { summary } from './summary.ts'
import { type Bill, chargedBill } from './totals.ts'

export type Screen = {
  element: HTMLElement
  bill(bill: Bill): void
  /** The amount that the service charges, if it differs from the bill. */
  charge(charged: { amount: number; currency: string }): void
  wait(): void
  /** A message in the place of the checkout. */
  tell(message: HTMLElement): void
  /** An empty element for the checkout. */
  place(): HTMLElement
  /** A button below the checkout, which replaces any earlier one. `name` is the key of its words. */
  offer(name: string, press: () => void): void
}

export function paymentScreen(context: Context, expected: Bill | null): Screen {
  const { words } = context
  const side = summary(context)
  const place = element('div', { class: 'place' })
  const offers = element('div', { class: 'offers' })
  let shown = expected
  const bill = (next: Bill) => {
    shown = next
    side.show(next)
  }
  const wait = () => {
    const waiting = element('p', { class: 'waiting', role: 'status' }, say(words, 'loading'))
    place.replaceChildren(waiting)
  }
  if (expected) bill(expected)
  wait()
  return {
    element: element('div', { class: 'payment' }, side.element, element('div', { class: 'pay' }, place, offers)),
    bill,
    charge: ({ amount, currency }) => {
      if (shown?.amount === amount && shown.currency === currency) return
      bill(chargedBill(shown, { amount, currency }))
    },
    wait,
    tell: (message) => place.replaceChildren(message),
    place: () => {
      const target = element('div')
      place.replaceChildren(target)
      return target
    },
    offer: (name, press) => offers.replaceChildren(button({ class: 'quiet' }, say(words, name), press)),
  }
}
