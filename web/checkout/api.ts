// The types of checkout.js for a merchant's page. The npm package exports them, too.

import type { Appearance, Field } from '../shared/protocol.ts'

export type { Appearance, Field }

export type Ripper = {
  readonly version: string
  /** Rejects with a RipperError if the key is not a publishable key. The same key gives the same object. */
  loadCheckout(public_key: string): Promise<CheckoutFactory>
}

export type CheckoutFactory = { checkout(options: CheckoutOptions): Checkout }

/** Either the client secret of a session that the merchant's server created, or what the page wants to be paid for. */
export type CheckoutOptions = (ExistingSession | NewSession) & {
  appearance?: Appearance
  /** A language tag. `auto`, the default, takes the shopper's languages, or English if none of ours is among them. */
  locale?: string
  /** With false the page has its own Pay button, and calls confirm(). */
  button?: boolean
  /**
   * `auto`, the default, goes on to the session's confirmation_url after an outcome, and shows a link to it. `never` leaves
   * both to the page.
   */
  redirect?: 'auto' | 'never'
}

export type ExistingSession = { clientSecret: string }

/** The body of POST /v1/checkout/public/sessions, without the key. */
export type NewSession = {
  clientSecret?: undefined
  amount?: number
  currency?: string
  items?: object[]
  customer?: {
    email?: string
    name?: string
    account_id?: string
    account_created?: string
    metadata?: Record<string, string>
  }
  metadata?: Record<string, string>
  order_reference?: string
  confirmation_url?: string
  integration?: string
}

export type Checkout = {
  /** Draws the checkout into an element. A second call moves it. Throws RipperError `element_not_found`. */
  mount(target: string | Element): void
  unmount(): void
  on<Name extends keyof CheckoutEvents>(name: Name, listener: Listener<Name>): () => void
  /**
   * Takes the payment. A call while a payment is under way gets that payment's answer, so a double click is one attempt.
   * Never rejects for a decline. Rejects with RipperError if the service cannot be reached or refuses.
   */
  confirm(more?: { email?: string }): Promise<ConfirmResult>
}

export type Listener<Name extends keyof CheckoutEvents> = (event: CheckoutEvents[Name]) => void

export type CheckoutEvents = {
  ready: { session_id: string; amount: number; currency: string; mode: 'test' | 'live' }
  change: { brand: string | null; complete: boolean; empty: boolean }
  focus: { field: Field }
  blur: { field: Field }
  submitting: { submitting: boolean }
  challenge: { open: boolean }
  decline: ConfirmResult
  complete: ConfirmResult
  expired: { session_id: string }
  /** The checkout could not be shown: the frame did not load, or the session could not be created. */
  loaderror: RipperFailure
}

export type ConfirmResult = {
  /**
   * The status that POST …/confirm answers, or one of these. `canceled`: the shopper left the bank's check, or the page unmounted
   * the checkout. `invalid`: the shopper must correct a field. `expired`: the session ended before.
   */
  status: 'captured' | 'held' | 'processing' | 'declined' | 'failed' | 'canceled' | 'invalid' | 'expired'
  session_id: string
  payment_id: string | null
  decline: { code: string; category: string | null; reason: string | null } | null
  attempts_left: number
  order_reference: string | null
  confirmation_url: string | null
  /**
   * For a captured or held payment. `paid_at` is an ISO 8601 time. Only the answer to this page's own confirm has the `email`;
   * after a reload there is none.
   */
  receipt: { paid_at: string; brand: string; last4: string; email?: string | null } | null
}

/** Every error. `code` is one of the API's or of checkout.js's own: see docs/checkout-js.md. */
export type RipperFailure = {
  code: string
  message: string
  request_id: string | null
  docs_url: string | null
}
