// What the page of a Checkout Session asks for: a session to pay by. One that can still be paid, or was, goes on; else the next is made.

import { retryRaces } from '../../database/retry-races.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { SessionId } from '../../kernel/values.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { usablePublishableKey } from '../../merchants/public-account.ts'
import {
  type CheckoutSession,
  type CheckoutSessionKey,
  checkout_sessions_max,
  type StandingCheckout,
  successUrl,
  usableSession,
} from '../checkout-session.ts'
import type { Context } from '../context.ts'
import { reference } from '../fields.ts'
import { customerOf, type Item } from '../purchase.ts'
import type { Session } from '../session.ts'
import { modeOrRefuse, newSession, sessionLine } from '../sessions/new-session.ts'
import { findCheckoutSession, insertNextSession } from './checkout-session-store.ts'

/** `session_id` is null where the Checkout Session is over. */
export type OpenedCheckout = { checkout: StandingCheckout; session_id: SessionId | null }

/** Null if there is no such Checkout Session. Throws a refusal where its merchant may take no payments now. */
export async function openCheckout(
  context: Context,
  key: CheckoutSessionKey,
  request_id: string,
): Promise<OpenedCheckout | null> {
  const opened = await retryRaces('the Checkout Session', async () => {
    // Read before the row is: what has ended by then stays so.
    const now = context.world.clock.now()
    const checkout = await findCheckoutSession(context.sql, key, now)
    if (!checkout) return 'unknown' as const
    if (checkout.status !== 'open') return { checkout, session_id: null }
    const usable = usableSession(checkout)
    if (usable) return { checkout, session_id: usable }
    const session = await nextSession(context, checkout, now)
    const line = sessionLine(context, session, { actor: `page ${checkout.public_key}`, request_id })
    const is_last = checkout.session_count + 1 === checkout_sessions_max
    const look_at = is_last ? session.expires_at : checkout.expires_at
    const is_new = await insertNextSession(context.sql, checkout, { session, line, look_at, now })
    return is_new ? { checkout, session_id: session.session_id } : null
  })
  return opened === 'unknown' ? null : opened
}

/** Of the account as it is now: what it may no longer do, it does not begin. */
async function nextSession(context: Context, checkout: CheckoutSession, now: Date): Promise<Session> {
  const { merchant_id, checkout_session_id, mode, integration_id, public_key, client_reference_id } = checkout
  const account = await admitMerchant(context, merchant_id)
  const key = await usablePublishableKey(context.directory, public_key)
  const integration = account.integrations.find((each) => each.integration_id === integration_id) ?? null
  if (!key || modeOrRefuse({ account, integration, key_mode: key.key_mode }) !== mode) {
    throw new Refusal('merchant_not_active', 'The account no longer takes payments by this key and in this mode.')
  }
  const session = newSession(context, {
    account,
    integration,
    public_key,
    mode,
    minted_by: 'server',
    verification: { source: 'server_minted', detail: null },
    now,
    purchase: {
      amount: checkout.amount,
      currency: checkout.currency,
      items: itemsOf(checkout),
      customer: checkout.customer_email ? customerOf({ email: checkout.customer_email }) : null,
      metadata: checkout.payment_metadata,
      order_reference: reference.safeParse(client_reference_id).success ? client_reference_id : null,
      confirmation_url: successUrl(checkout),
    },
  })
  const expires_at = new Date(Math.min(session.expires_at.getTime(), checkout.expires_at.getTime()))
  return { ...session, checkout_session_id, expires_at }
}

const name_max = 200

function itemsOf({ lines }: CheckoutSession): Item[] {
  return lines.map(({ sku, name, quantity, unit_amount }) => ({
    kind: 'product',
    sku,
    name: [...name].slice(0, name_max).join(''),
    quantity,
    unit_amount,
    tax_amount: null,
    tax_rate: null,
    type: null,
  }))
}
