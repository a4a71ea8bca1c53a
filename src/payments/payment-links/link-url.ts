// The address of a payment link's page. Its last part is a token: the link's id and 20 bytes that only the service can derive from it,
// so that a random address costs no read and the address can be told again.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../kernel/keyring.ts'
import type { PaymentLinkId } from '../../kernel/values.ts'

const purpose = 'payment link page'
const id_bytes = 12
const proof_bytes = 20

/** Below the address of the hosted pages; no handle is that short. */
export const link_page = '/l/{token}'

export type AddressContext = { keyring: Keyring; addresses: { base_url(): string; pay_url(): string } }

/** At the service's own origin, so that it takes payments for merchants without a hosted page, too. */
export function linkUrl({ keyring, addresses }: AddressContext, id: PaymentLinkId): string {
  const { pathname } = new URL(addresses.pay_url())
  const token = Buffer.concat([Buffer.from(id.slice('plink_'.length), 'hex'), proofIn(keyring.mac(purpose, id))])
  return `${addresses.base_url()}${pathname.replace(/\/$/, '')}/l/${token.toString('base64url')}`
}

/** The link that a token names, under any master key in use; null for a text that is no token. */
export function linkIdOf(keyring: Keyring, token: string): PaymentLinkId | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== id_bytes + proof_bytes || bytes.toString('base64url') !== token) return null
  const id: PaymentLinkId = `plink_${bytes.toString('hex', 0, id_bytes)}`
  const proof = bytes.subarray(id_bytes)
  return keyring.macs(purpose, id).some((mac) => timingSafeEqual(proof, proofIn(mac))) ? id : null
}

function proofIn(mac: Buffer): Buffer {
  return mac.subarray(0, proof_bytes)
}
