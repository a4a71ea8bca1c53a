// Writes a new Checkout Session, with its key and its line of the journal.

import { type Actor, journalLine } from '../../audit/journal.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import type { CheckoutSession, StandingCheckout } from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { insertCheckoutSession } from './checkout-session-store.ts'

type Sale = Omit<CheckoutSession, 'session_id' | 'session_count' | 'expired_at' | 'look_at'>

/** Not inserted yet. */
export function newCheckout(sale: Sale): CheckoutSession {
  return { ...sale, session_id: null, session_count: 0, expired_at: null, look_at: sale.expires_at }
}

/** As it stands before its page was opened. */
export function unopened(checkout: CheckoutSession): StandingCheckout {
  return {
    ...checkout,
    status: 'open',
    is_paid: false,
    session_status: null,
    session_expires_at: null,
    is_session_over: true,
    email: checkout.customer_email,
  }
}

/** Throws KeyTakenError, and writes nothing, if the key exists. */
export async function createCheckout(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  checkout: CheckoutSession,
  { key, actor, request_id }: { key: KeyRow | null; actor: Actor; request_id: string },
): Promise<void> {
  const { merchant_id, checkout_session_id: subject, mode, amount, currency, created_at: at } = checkout
  const line = journalLine(ids, {
    merchant_id,
    session_id: null,
    subject,
    change: 'checkout.session.created',
    detail: { mode, amount, currency },
    actor,
    request_id,
    at,
  })
  await insertCheckoutSession(sql, { checkout, key, line })
}
