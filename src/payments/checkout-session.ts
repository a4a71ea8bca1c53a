// A Checkout Session: what a library of the compatible platform sells on our hosted page, for up to a day. Its page makes sessions, one
// after the other, until one of them is paid. What became of it follows from the newest of them, see checkout-session-store.ts.

import { column, type Row } from '../database/driver/columns.ts'
import type { CheckoutSessionId, MerchantId, Mode, SessionId } from '../kernel/values.ts'
import type { Session } from './session.ts'

const minute_ms = 60_000
export const checkout_life_ms = 24 * 60 * minute_ms
/** Half an hour, less a minute: servers compute the end before they send it. */
export const checkout_life_least_ms = 29 * minute_ms
/** How many sessions its page makes at most, as the table says, too. */
export const checkout_sessions_max = 5

/** A line as it was sold. */
export type SoldLine = {
  line_id: string
  /** Of the price list; null for a line that named its own price. */
  sku: string | null
  name: string
  description: string | null
  images: string[]
  product_metadata: Record<string, string>
  tax_behavior: 'exclusive' | 'inclusive' | 'unspecified'
  unit_amount: number
  quantity: number
}

export const checkoutSessionColumns = {
  merchant_id: column<MerchantId>('text'),
  checkout_session_id: column<CheckoutSessionId>('text'),
  mode: column<Mode>('text'),
  amount: column<number>('bigint'),
  currency: column<string>('text'),
  lines: column<SoldLine[]>('json'),
  success_url: column<string>('text'),
  cancel_url: column<string | null>('text'),
  customer_email: column<string | null>('text'),
  client_reference_id: column<string | null>('text'),
  metadata: column<Record<string, string>>('json'),
  payment_metadata: column<Record<string, string>>('json'),
  locale: column<string | null>('text'),
  integration_id: column<string>('text'),
  public_key: column<string>('text'),
  session_id: column<SessionId | null>('text'),
  session_count: column<number>('integer'),
  created_at: column<Date>('timestamptz'),
  expires_at: column<Date>('timestamptz'),
  expired_at: column<Date | null>('timestamptz'),
  look_at: column<Date | null>('timestamptz'),
}

export type CheckoutSession = Row<typeof checkoutSessionColumns>

export type CheckoutSessionKey = { merchant_id: string; checkout_session_id: string }

export const checkoutStatuses = ['open', 'complete', 'expired'] as const

/** A Checkout Session as it stands at a moment. */
export type StandingCheckout = CheckoutSession & {
  status: (typeof checkoutStatuses)[number]
  /** Whether its money was taken; a refund changes nothing. */
  is_paid: boolean
  /** Of its newest session; null without one. */
  session_status: Session['status'] | null
  session_expires_at: Date | null
  /** Whether its page has to make another one: there is none, or nothing can be paid by it any more. */
  is_session_over: boolean
  email: string | null
}

/** What is shown of it, and kept in its event. */
export const shownMembers = [
  'checkout_session_id',
  'mode',
  'amount',
  'currency',
  'success_url',
  'cancel_url',
  'customer_email',
  'client_reference_id',
  'metadata',
  'locale',
  'session_id',
  'created_at',
  'expires_at',
  'status',
  'is_paid',
  'email',
] as const satisfies (keyof StandingCheckout)[]

export type ShownCheckout = Pick<StandingCheckout, (typeof shownMembers)[number]>

/** The session with which its shopper goes on, paid ones included; null if there has to be another. */
export function usableSession({
  session_id,
  is_session_over,
}: Pick<StandingCheckout, 'session_id' | 'is_session_over'>): SessionId | null {
  return is_session_over ? null : session_id
}

/** How long a charge may be under way before a process looks again. */
const charge_look_ms = 30_000

/** When an open one has to be looked at again, if nothing happens before. */
export function nextLook(checkout: StandingCheckout, now: Date): Date {
  const { session_status, session_count, session_expires_at, expires_at } = checkout
  if (session_status === 'processing') return new Date(now.getTime() + charge_look_ms)
  return session_count === checkout_sessions_max && session_expires_at !== null ? session_expires_at : expires_at
}

const placeholder = '{CHECKOUT_SESSION_ID}'

/** The address to which the shopper goes after paying. */
export function successUrl({
  success_url,
  checkout_session_id,
}: Pick<CheckoutSession, 'success_url' | 'checkout_session_id'>) {
  return success_url.replaceAll(placeholder, checkout_session_id)
}
