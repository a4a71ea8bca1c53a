// The answers of the service's browser routes: the members that the checkout reads.

import type { ConfirmResult } from './api.ts'

export type Challenge = { url: string; window_size: string; expires_at: string }

export type ThreeDs = {
  /** `not_started`, `awaiting_challenge`, or its end. */
  state: string
  challenge: Challenge | null
  cardholder_info: string | null
}

export type State = {
  session: {
    id: string
    status: 'requires_payment' | 'processing' | 'succeeded' | 'declined' | 'expired'
    mode: 'test' | 'live'
    amount: number
    currency: string
    expires_in_seconds: number
    attempts_left: number
    customer_email_required: boolean
    last_decline: ConfirmResult['decline']
    order_reference: string | null
  }
  /** The newest attempt. */
  attempt: { id: string } | null
  three_ds: ThreeDs | null
  result: ConfirmResult | null
  /** `terms_url`, `support_url` and `back_url`, in the order of the page. A process of release 0.1 does not send them. */
  links?: Record<string, string | null>
  /** `back_url`, or else the confirmation_url's origin. A process of an earlier release does not send it. */
  shop_url?: string | null
}

/** A refusal's body. `three_ds` comes with `authentication_incomplete`. */
export type RefusalBody = {
  error?: string
  message?: string | null
  request_id?: string | null
  three_ds?: ThreeDs
}
