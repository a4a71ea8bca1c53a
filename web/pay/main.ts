// The hosted page: draws what its address asks for, and draws it again whenever the address changes.

import type { Ripper } from '../checkout/api.ts'
import { followAppearance } from '../shared/appearance.ts'
import { readContext } from '../shared/element.ts'
import { drawCard, tell } from './card.ts'
import { drawCheckout, isCheckoutPage } from './checkout-session.ts'
import { choiceForm } from './choice.ts'
import { appearanceOf, type Context } from './context.ts'
import { keptPayments, keyOfPurchase, keyOfSession } from './kept.ts'
import { type OrderedItem, type Purchase, readLink } from './link.ts'
import { linkNotice } from './notice.ts'
import { openPayment, type Page } from './payment.ts'
import { drawPaymentLink } from './payment-link.ts'

const context = readContext<Context>()
const ripper = (globalThis as { Ripper?: Ripper }).Ripper
const page: Page = {
  context,
  root: document.getElementById('pay')!,
  kept: keptPayments(() => sessionStorage),
  factory: ripper
    ? ripper.loadCheckout(context.config.public_key)
    : Promise.reject(new Error('checkout.js did not load')),
}
// The payment that awaits it reports a failure. A choice or a fault never awaits it.
page.factory.catch(() => {})

let leave = () => {}

followAppearance(document.documentElement, () => appearanceOf(context))
if (context.link) void drawPaymentLink(page, context.link)
else if (isCheckoutPage(location)) void drawCheckout(page)
else {
  draw()
  window.addEventListener('popstate', drawNext)
}

/** Replaces the page, and tells screen readers about it. */
function drawNext() {
  leave()
  draw()
  scrollTo(0, 0)
  page.root.querySelector('h1')?.focus({ preventScroll: true })
}

function draw() {
  leave = () => {}
  const link = readLink(location, context.config.pricing)
  if (link.kind === 'purchase') {
    drawPurchase(link.purchase)
  } else if (link.kind === 'session') {
    const { client_secret, session_id } = link
    const key = keyOfSession(context.handle, session_id)
    keepSecret(key, client_secret)
    leave = openPayment(page, { kind: 'session', key, client_secret })
    void refuseForeign(session_id)
  } else if (link.kind === 'kept_session') {
    drawKept(link.session_id)
  } else if (link.kind === 'choice') {
    const chosen: OrderedItem[] = history.state?.items ?? []
    drawCard(page, ...choiceForm(context, { goods: link.goods, chosen, choose }))
  } else {
    tell(page, linkNotice(context.words, link.fault))
  }
}

function drawPurchase(purchase: Purchase) {
  leave = openPayment(page, {
    kind: 'purchase',
    key: keyOfPurchase(context.handle, purchase),
    purchase,
    reopen: drawNext,
    another: () => {
      // Who chose on this page chooses again; a link that names its goods is paid again.
      if (history.state?.chosen) goTo([], null)
      drawNext()
    },
  })
}

/** A page under this shop's name takes no payments for another shop, even if somebody forges a link. */
async function refuseForeign(session_id: string) {
  const drawn = leave
  const answer = await fetch(`${location.pathname}/sessions/${session_id}`).catch(() => null)
  if (answer?.status !== 404 || leave !== drawn) return
  leave()
  leave = () => {}
  tell(page, linkNotice(context.words, 'link_secret'))
}

function keepSecret(key: string, client_secret: string) {
  page.kept.write(key, { idempotency_key: '', client_secret })
}

/** Puts the secret back into the address, so that it is the one with which the shopper came. */
function drawKept(session_id: string) {
  const secret = page.kept.read(keyOfSession(context.handle, session_id))?.client_secret
  if (secret) {
    history.replaceState(history.state, '', `#${secret}`)
    draw()
  } else tell(page, linkNotice(context.words, 'link_secret'))
}

/**
 * Writes the chosen goods into the address, so that a reload pays for them. The back button leads to the choice, which its entry of
 * the history keeps.
 */
function choose(items: OrderedItem[]) {
  history.replaceState({ items }, '')
  goTo(items, { chosen: true })
  drawNext()
}

function goTo(items: OrderedItem[], state: object | null) {
  const query = new URLSearchParams(location.search)
  query.delete('sku')
  for (const { sku, quantity } of items) query.append('sku', `${sku}:${quantity}`)
  history.pushState(state, '', `?${query}`)
}
