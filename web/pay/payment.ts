// One payment on the page: creates or resumes a session, mounts the checkout, and offers what comes after it.

import type { Checkout, CheckoutFactory, ConfirmResult } from '../checkout/api.ts'
import { say } from '../shared/words.ts'
import { appearanceOf, type Context } from './context.ts'
import type { StoredPayments } from './kept.ts'
import type { Purchase } from './link.ts'
import { notice, refusalNotice } from './notice.ts'
import { readState } from './requests.ts'
import { paymentScreen, type Screen } from './screen.ts'
import { openSession } from './session.ts'
import { billOf, expectedBill } from './totals.ts'

export type Page = {
  context: Context
  root: HTMLElement
  kept: StoredPayments
  /** Rejects if checkout.js did not load. */
  factory: Promise<CheckoutFactory>
}

export type IntendedPayment = (OwnPurchase | ServerSession) & {
  /** The name under which the tab keeps the payment. */
  key: string
}

type OwnPurchase = {
  kind: 'purchase'
  purchase: Purchase
  /** Draws the page of this purchase again. */
  reopen: () => void
  /** Goes to the page where another purchase like this one begins. */
  another: () => void
}

/** A session that this page did not create. */
type ServerSession = {
  kind: 'session'
  client_secret: string
  /** Asks for the next where this one is over; without it, only the merchant's server can create another. */
  again?: () => void
  /** The same where this one is paid. */
  another?: (() => void) | undefined
}

type Visit = {
  page: Page
  intended: IntendedPayment
  screen: Screen
  checkout: Checkout | null
  left: boolean
}

/** Draws the payment into the page and starts it. Returns a function that leaves it. */
export function openPayment(page: Page, intended: IntendedPayment): () => void {
  const { context, kept, root } = page
  const own = intended.kind === 'purchase' ? intended.purchase : null
  const screen = paymentScreen(context, own && expectedBill(own, context.config.pricing))
  const visit: Visit = { page, intended, screen, checkout: null, left: false }
  const client_secret = intended.kind === 'session' ? intended.client_secret : kept.read(intended.key)?.client_secret
  if (client_secret) {
    void showCheckout(visit, client_secret)
    void readHowItStands(visit, client_secret)
  } else if (own) {
    void open(visit, own)
  }
  root.replaceChildren(screen.element)
  return () => leave(visit)
}

async function open(visit: Visit, purchase: Purchase): Promise<void> {
  const { page, intended, screen } = visit
  const answer = await openSession(page.context, page.kept, { key: intended.key, purchase })
  if (visit.left) return
  if (answer.ok) {
    screen.charge(answer.body)
    await showCheckout(visit, answer.body.client_secret)
    return
  }
  const tryAgain = () => {
    screen.wait()
    void open(visit, purchase)
  }
  screen.tell(refusalNotice(page.context.words, answer.refusal, tryAgain))
}

/** The bill of an existing session, and what to offer if it is over. */
async function readHowItStands(visit: Visit, client_secret: string): Promise<void> {
  const { page, intended, screen } = visit
  const answer = await readState(page.context, client_secret)
  if (visit.left) return
  if (answer.ok) {
    const { result } = answer.body
    const { status, ...charged } = answer.body.session
    screen.bill(billOf(charged, page.context.config.pricing))
    if (status === 'succeeded' && result && isPaid(result)) offerAnother(visit)
    if (status === 'declined' || status === 'expired') offerStartAgain(visit)
  } else if (answer.refusal.code === 'unauthorized') {
    // The tab kept a session that the service does not know.
    page.kept.forget(intended.key)
    reopenOf(intended)?.()
  }
}

async function showCheckout(visit: Visit, client_secret: string): Promise<void> {
  const { page, screen } = visit
  const { context } = page
  try {
    const factory = await page.factory
    if (visit.left) return
    const checkout = factory.checkout({
      clientSecret: client_secret,
      locale: context.locale,
      appearance: appearanceOf(context),
    })
    visit.checkout = checkout
    checkout.on('ready', screen.charge)
    checkout.on('expired', () => offerStartAgain(visit))
    checkout.on('decline', ({ attempts_left }) => {
      if (attempts_left === 0) offerStartAgain(visit)
    })
    checkout.on('complete', (result) => {
      if (isPaid(result)) offerAnother(visit)
    })
    checkout.mount(screen.place())
  } catch {
    const { words } = context
    screen.tell(notice(say(words, 'unavailable'), say(words, 'load_failed')))
  }
}

/** The page offers no second payment while the first is under review or its outcome is unknown. */
function isPaid({ status }: Pick<ConfirmResult, 'status'>): boolean {
  return status === 'captured'
}

function offerAnother({ page, intended, screen }: Visit) {
  const { another } = intended
  if (!another) return
  screen.offer('another_payment', () => {
    page.kept.forget(intended.key)
    another()
  })
}

function reopenOf(intended: IntendedPayment): (() => void) | undefined {
  return intended.kind === 'purchase' ? intended.reopen : intended.again
}

function offerStartAgain({ page, intended, screen }: Visit) {
  const again = reopenOf(intended)
  if (!again) return
  screen.offer('start_again', () => {
    page.kept.forget(intended.key)
    again()
  })
}

function leave(visit: Visit) {
  visit.left = true
  visit.checkout?.unmount()
}
