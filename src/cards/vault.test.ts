// A sealed card opens in its own row and column and nowhere else.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openKeyring } from '../kernel/keyring.ts'
import { type CardIdentity, openNumber, openSecurityCode, sealCard } from './vault.ts'

const keyring = openKeyring([Buffer.alloc(32, 7)], { bytes: (length) => randomBytes(length) })
const identity: CardIdentity = { merchant_id: 'm_1', card_reference: 'card_1', mode: 'live' }
const card = { number: '4012000033330026', cvc: '123' }
const sealed = sealCard(keyring, identity, card)

test('opens to the number and the security code', () => {
  expect(openNumber(keyring, identity, sealed.sealed_number)).toBe(card.number)
  expect(openSecurityCode(keyring, identity, sealed.sealed_security_code)).toBe(card.cvc)
})

test.each<[string, Partial<CardIdentity>]>([
  ['another merchant', { merchant_id: 'm_2' }],
  ['another reference', { card_reference: 'card_2' }],
  ['another mode', { mode: 'test' }],
])('does not open under %s', (_, other) => {
  const foreign = { ...identity, ...other }
  expect(() => openNumber(keyring, foreign, sealed.sealed_number)).toThrow('does not open')
  expect(() => openSecurityCode(keyring, foreign, sealed.sealed_security_code)).toThrow('does not open')
})

test('number and security code cannot change places', () => {
  expect(() => openNumber(keyring, identity, sealed.sealed_security_code)).toThrow('does not open')
  expect(() => openSecurityCode(keyring, identity, sealed.sealed_number)).toThrow('does not open')
})

test('holds no digit run of the card', () => {
  for (const bytes of Object.values(sealed)) expect(bytes.includes(card.number)).toBe(false)
})

test('a fingerprint distinguishes cards within a merchant, and says nothing across merchants', () => {
  const hex = (merchant_id: string, number: string) =>
    sealCard(keyring, { ...identity, merchant_id }, { ...card, number }).fingerprint.toString('hex')
  expect(hex('m_1', card.number)).toBe(sealed.fingerprint.toString('hex'))
  expect(hex('m_1', '4242424242424242')).not.toBe(hex('m_1', card.number))
  expect(hex('m_2', card.number)).not.toBe(hex('m_1', card.number))
})
