// The address of a Checkout Session's page, with a token of its own: derived, so that none is stored and a wrong one costs no read. It
// stands behind a `#`, which browsers send to nobody. The page is at the service's own origin, so that it may take payments for merchants
// without a hosted page, too.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../kernel/keyring.ts'
import type { CheckoutSession } from '../checkout-session.ts'

const purpose = 'checkout session page'

/** Below the address of the hosted pages; no handle is that short. */
export const checkout_page = '/c/{checkout_session_id}'

export type PageAddresses = { base_url(): string; pay_url(): string }

/** Below which the service's own pages are that take payments for merchants without a hosted page, too. */
export function ownPagesUrl({ base_url, pay_url }: PageAddresses): string {
  return base_url() + new URL(pay_url()).pathname.replace(/\/$/, '')
}

export function checkoutUrl(
  { keyring, addresses }: { keyring: Keyring; addresses: PageAddresses },
  { checkout_session_id: id }: Pick<CheckoutSession, 'checkout_session_id'>,
): string {
  return `${ownPagesUrl(addresses)}/c/${id}#page_secret_${keyring.mac(purpose, id).toString('hex')}`
}

/** Whether a text is the token of a Checkout Session's page, under any master key in use. */
export function isPageToken(keyring: Keyring, checkout_session_id: string, text: unknown): boolean {
  if (!/^cs_(test|live)_[0-9a-f]{56}$/.test(checkout_session_id)) return false
  if (typeof text !== 'string' || !/^[0-9a-f]{64}$/.test(text)) return false
  const presented = Buffer.from(text, 'hex')
  return keyring.macs(purpose, checkout_session_id).some((mac) => timingSafeEqual(mac, presented))
}
