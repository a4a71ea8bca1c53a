// The demo shop: goods, a basket, and a payment taken the way a merchant's page takes one.

import { element, readContext } from '../shared/element.ts'
import { mark } from './art.ts'
import { type Good, hostedLink, linesOf, withQuantity } from './basket.ts'
import { checkoutStep } from './checkout-step.ts'
import { type DemoState, nothing, type Order, readKept, writeKept } from './kept.ts'
import { howItIsMade } from './note.ts'
import { isUnpaid, placeOrder } from './order.ts'
import { basketPanel, shelf } from './shop.ts'

type Context = { base_url: string; hosted_url: string; goods: Good[] }

const { base_url, hosted_url, goods } = readContext<Context>()
const step = element('div', { class: 'step' })
const hosted = element('a', { href: hosted_url }, 'Pay on the hosted page')
let kept: DemoState = readKept(() => sessionStorage)
let leave = () => {}

document
  .getElementById('shop')!
  .append(
    element(
      'div',
      { class: 'banner' },
      element('div', { class: 'sign' }, mark(), element('h1', {}, 'Hearth & Leaf')),
      element('p', {}, 'Tea, and what to drink it from. A demo shop: no money moves.'),
      hosted,
    ),
    step,
    howItIsMade(base_url),
  )

if (kept.order) history.replaceState({ order: true }, '')
draw()
// The back button leads from the checkout to the basket.
window.addEventListener('popstate', () => {
  if (!history.state?.order) void leaveOrder()
  drawNext()
})

/** Keeps an order that may still be paid, because its outcome is not known yet. */
async function leaveOrder() {
  const { order, paid } = kept
  if (paid) keep(nothing)
  else if (order && (await isUnpaid(base_url, order)) && kept.order === order) keep({ order: null })
}

function keep(change: Partial<DemoState>) {
  kept = { ...kept, ...change }
  writeKept(() => sessionStorage, kept)
}

function draw() {
  leave()
  leave = () => {}
  if (kept.order && history.state?.order) drawCheckout(kept.order)
  else drawShop()
}

/** Shows the next step. Its heading takes the focus from the button before it. */
function drawNext() {
  draw()
  scrollTo(0, 0)
  step.querySelector<HTMLElement>('#order, #basket')?.focus({ preventScroll: true })
}

function drawShop() {
  const panel = basketPanel(goods, { change, checkOut })
  const shown = shelf(goods, (sku) => change(sku, (kept.basket[sku] ?? 0) + 1))
  step.replaceChildren(shown.element, panel.element)
  refill()

  function change(sku: string, quantity: number) {
    keep({ basket: withQuantity(kept.basket, sku, quantity) })
    refill()
  }
  function refill() {
    shown.refill(kept.basket)
    panel.refill(kept.basket)
    hosted.href = hostedLink(hosted_url, linesOf(kept.basket, goods))
  }
}

async function checkOut() {
  await leaveOrder()
  if (!kept.order) {
    keep({ order: await placeOrder(base_url, linesOf(kept.basket, goods)), paid: null })
  }
  history.pushState({ order: true }, '')
  drawNext()
}

function drawCheckout(order: Order) {
  leave = checkoutStep(step, {
    base_url,
    order,
    lines: linesOf(kept.basket, goods),
    paid: kept.paid,
    keepPaid: (paid) => keep({ paid }),
    back: () => {
      void leaveOrder()
      begin({})
    },
    again: async () => {
      keep({ order: await placeOrder(base_url, linesOf(kept.basket, goods)), paid: null })
      drawNext()
    },
    finish: () => begin(nothing),
  })
}

function begin(change: Partial<DemoState>) {
  keep(change)
  history.pushState(null, '')
  drawNext()
}
