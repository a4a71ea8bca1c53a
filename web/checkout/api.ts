// What a merchant's page sees of checkout.js. The npm package hands on these types.

import type { Appearance, Field } from '../shared/protocol.ts'

export type { Appearance, Field }

export type Ripper = {
  readonly version: string
  /** Rejects with a RipperError where the key has not the shape of a publishable key. The same key gives the same object. */
  loadCheckout(publicKey: string): Promise<CheckoutFactory>
}

export type CheckoutFactory = { checkout(options: CheckoutOptions): Checkout }

/** Either the client secret of a session that the merchant's server made, or what the page asks to be paid. */
export type CheckoutOptions = (SessionGiven | SessionAsked) & {
  appearance?: Appearance
  /** A language tag; `auto`, the default, takes the shopper's languages. English where none of ours is among them. */
  locale?: string
  /** false leaves the Pay button to the page, which then calls confirm(). */
  button?: boolean
  /**
   * `auto`, the default, goes on to the session's confirmation_url after an outcome, and has a link to it; `never` leaves
   * both to the page.
   */
  redirect?: 'auto' | 'never'
}

export type SessionGiven = { clientSecret: string }

/** The body of POST /v1/checkout/public/sessions but for the key. */
export type SessionAsked = {
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
  /** Draws the checkout into an element. Throws RipperError `element_not_found`; a second mount moves it there. */
  mount(target: string | Element): void
  unmount(): void
  on<Name extends keyof CheckoutEvents>(name: Name, listener: Listener<Name>): () => void
  /**
   * Takes the payment. Calls while one is under way get that one's answer, so a double click is one attempt.
   * Never rejects for a decline. Rejects with RipperError where the service cannot be reached or refuses.
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
  /** The checkout could not be shown: the frame did not load, or the session could not be opened. */
  loaderror: RipperFailure
}

export type ConfirmResult = {
  /**
   * As POST …/confirm answers, and: `canceled` the shopper left the bank's check or the page unmounted the checkout,
   * `invalid` a field needs mending, `expired` the session ended first.
   */
  status:
    | 'captured'
    | 'held'
    | 'processing'
    | 'declined'
    | 'failed'
    | 'canceled'
    | 'invalid'
    | 'expired'
  session_id: string
  payment_id: string | null
  decline: { code: string; category: string | null; reason: string | null } | null
  attempts_left: number
  order_reference: string | null
  confirmation_url: string | null
  /**
   * Of a captured or held payment. `paid_at` is an ISO 8601 time. `email` comes with the answer to this page's own confirm
   * alone: a reload is not told it.
   */
  receipt: { paid_at: string; brand: string; last4: string; email?: string | null } | null
}

/** What every error carries. `code` is the API's, or one of ours: see docs/checkout-js.md. */
export type RipperFailure = {
  code: string
  message: string
  request_id: string | null
  docs_url: string | null
}
