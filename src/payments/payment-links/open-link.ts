// What the page of a payment link asks for: a session of its own, as long as the link is active.

import { Refusal } from '../../kernel/errors.ts'
import type { SessionId } from '../../kernel/values.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { type Account, defaultIntegration } from '../../merchants/directory.ts'
import type { PublicAccount } from '../../merchants/public-account.ts'
import type { Context } from '../context.ts'
import { limitLinkOpenings } from '../limits/card-testing.ts'
import { type LinkStatus, linkStatusAt, type PaymentLink, type PaymentLinkKey } from '../payment-link.ts'
import type { Session } from '../session.ts'
import { modeOrRefuse, newSession, sessionLine } from '../sessions/new-session.ts'
import { findLinkToOpen } from './link-store.ts'
import { isOfLink } from './link-url.ts'

/** `session_id` is null where the link is over. */
export type OpenedLink = { status: LinkStatus; session_id: SessionId | null }

/**
 * Null if there is no such link with this proof. Throws a refusal where its merchant may take no payments now, or where so many sessions were made by
 * the link or for the address that a limit is reached.
 */
export async function openLink(
  context: Context,
  { proof, ...key }: PaymentLinkKey & { proof: string },
  { address, request_id }: { address: string; request_id: string },
): Promise<OpenedLink | null> {
  const now = context.world.clock.now()
  const link = await findLinkToOpen(context.sql, key)
  if (!link || !isOfLink(link, proof)) return null
  const status = linkStatusAt(link, now)
  if (status !== 'active') return { status, session_id: null }
  const account = await admitMerchant(context, link.merchant_id)
  const place = await placeOfLink(context, account)
  const key_mode = link.mode === 'live' ? 'live_only' : 'test_only'
  if (!place || modeOrRefuse({ ...place, key_mode }) !== link.mode) {
    throw new Refusal('merchant_not_active', 'The account no longer takes payments in the mode of this link.')
  }
  const session = sessionOf(context, link, place, now)
  const { merchant_id, payment_link_id, mode } = link
  await limitLinkOpenings(context, { merchant_id, payment_link_id, address, mode, now })
  const line = sessionLine(context, session, { actor: `page ${place.public_key}`, request_id })
  await context.insertSession({ session, key: null, line })
  return { status, session_id: session.session_id }
}

/** By whose rules, and under which publishable key, a page of its links takes payments; null without one of both. */
export async function placeOfLink(
  { directory }: Pick<Context, 'directory'>,
  account: Account,
): Promise<Omit<PublicAccount, 'key_mode'> | null> {
  const integration = defaultIntegration(account)
  const public_key = await directory.newestPublishableKey(account.merchant.merchant_id)
  return integration && public_key ? { account, integration, public_key } : null
}

/** Its time is over with the link's. */
function sessionOf(context: Context, link: PaymentLink, place: Omit<PublicAccount, 'key_mode'>, now: Date): Session {
  const session = newSession(context, {
    ...place,
    mode: link.mode,
    minted_by: 'client',
    verification: { source: 'server_minted', detail: null },
    now,
    purchase: {
      amount: link.amount,
      currency: link.currency,
      items: link.items,
      order_reference: link.order_reference,
    },
  })
  const end_ms = Math.min(session.expires_at.getTime(), link.expires_at?.getTime() ?? Number.POSITIVE_INFINITY)
  return { ...session, payment_link_id: link.payment_link_id, expires_at: new Date(end_ms) }
}
