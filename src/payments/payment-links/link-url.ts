// The address of a payment link's page. Its last part is a token: the link's id and random bytes that are stored with it, so that the
// address is the same as long as the link is there, whatever becomes of master keys.

import { timingSafeEqual } from 'node:crypto'
import type { PaymentLinkId } from '../../kernel/values.ts'
import { ownPagesUrl, type PageAddresses } from '../checkout-sessions/checkout-url.ts'
import type { PaymentLink } from '../payment-link.ts'

const id_bytes = 12
const proof_bytes = 20

/** Below the address of the hosted pages; no handle is that short. */
export const link_page = '/l/{token}'

export type AddressContext = { addresses: PageAddresses }

export function linkUrl(
  { addresses }: AddressContext,
  { payment_link_id, proof }: Pick<PaymentLink, 'payment_link_id' | 'proof'>,
): string {
  const token = Buffer.from(payment_link_id.slice('plink_'.length) + proof, 'hex')
  return `${ownPagesUrl(addresses)}/l/${token.toString('base64url')}`
}

/** What a token says; null for a text that is none. */
export function readToken(token: string): Pick<PaymentLink, 'payment_link_id' | 'proof'> | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== id_bytes + proof_bytes || bytes.toString('base64url') !== token) return null
  const payment_link_id: PaymentLinkId = `plink_${bytes.toString('hex', 0, id_bytes)}`
  return { payment_link_id, proof: bytes.toString('hex', id_bytes) }
}

export function isOfLink({ proof }: Pick<PaymentLink, 'proof'>, token_proof: string): boolean {
  return timingSafeEqual(Buffer.from(proof), Buffer.from(token_proof))
}
