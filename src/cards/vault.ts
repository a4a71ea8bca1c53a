// Seals a card for storage. Number and security code are sealed separately, each bound to its row and column. A fingerprint is
// stored with them.

import type { Keyring } from '../kernel/keyring.ts'
import type { Mode } from '../kernel/values.ts'

/** The row that a sealed card belongs to. */
export type CardIdentity = { merchant_id: string; card_reference: string; mode: Mode }

export type SealedCard = {
  sealed_number: Buffer
  sealed_security_code: Buffer
  /** 32 bytes: the same for the same number at the same merchant, and meaningless without the key. */
  fingerprint: Buffer
}

export function sealCard(keyring: Keyring, identity: CardIdentity, card: { number: string; cvc: string }): SealedCard {
  return {
    sealed_number: keyring.seal(Buffer.from(card.number), cell('number', identity)),
    sealed_security_code: keyring.seal(Buffer.from(card.cvc), cell('security_code', identity)),
    fingerprint: keyring.mac('card fingerprint', identity.merchant_id, card.number),
  }
}

export function openNumber(keyring: Keyring, identity: CardIdentity, sealed: Buffer): string {
  return openText(keyring, cell('number', identity), sealed)
}

export function openSecurityCode(keyring: Keyring, identity: CardIdentity, sealed: Buffer): string {
  return openText(keyring, cell('security_code', identity), sealed)
}

/** The name of one column of a card's row, in the form that `rewrap` needs. */
export function cell(column: 'number' | 'security_code', { merchant_id, card_reference, mode }: CardIdentity): string {
  return JSON.stringify(['card', column, merchant_id, card_reference, mode])
}

function openText(keyring: Keyring, name: string, sealed: Buffer): string {
  const bytes = keyring.open(sealed, name)
  const text = bytes.toString()
  bytes.fill(0)
  return text
}
