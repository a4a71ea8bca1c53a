// Rotating the master key: what was sealed before opens after, and moves to the new key by itself.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell, openNumber, openSecurityCode, sealCard } from '../../src/cards/vault.ts'
import type { Database } from '../../src/database/open.ts'
import { checkSealingKeys } from '../../src/database/stores/sealing-keys.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { World } from '../../src/kernel/world.ts'
import { rewrapCards } from '../../src/payments/cards/rewrap-cards.ts'
import { findCard, insertCard } from '../../src/payments/cards/vault-store.ts'
import type { VaultCard } from '../../src/payments/vault-card.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { quiet } from '../support/world.ts'

const random = { bytes: randomBytes }
const [old, young, strange] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const now = new Date('2026-09-01T12:00:00Z')
let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase()
  database = await fresh.open()
})

afterAll(async () => {
  await database.close()
  await fresh.drop()
})

test('a card sealed under the old key is wrapped under the new one, and opens without the old one', async () => {
  const before = openKeyring([old], random)
  const identity = { merchant_id: 'm_1', card_reference: 'card_1', mode: 'test' as const }
  const number = '4242424242424242'
  const sealed = sealCard(before, identity, { number, cvc: '123' })
  const card: VaultCard = {
    ...identity,
    session_id: 'cs_1',
    brand: 'visa',
    last4: '4242',
    bin6: '424242',
    exp_month: 12,
    exp_year: 2030,
    cardholder_name: null,
    fingerprint: sealed.fingerprint,
    sealed_number: sealed.sealed_number,
    three_ds_version: null,
    method_url: null,
    server_transaction_id: 'x',
    three_ds_provider: null,
    transaction_usable_until: null,
    accept_header: '*/*',
    method_opened_at: null,
    method_completed_at: null,
    created_at: now,
    expires_at: now,
  }
  await insertCard(database.sql, card, sealed.sealed_security_code)

  const world = { log: quiet } as World
  const rotating = { sql: database.sql, keyring: openKeyring([young, old], random), world }
  expect(await rewrapCards(rotating)).toBe(1)
  expect(await rewrapCards(rotating)).toBe(0)

  const after = openKeyring([young], random)
  const stored = await findCard(database.sql, identity)
  expect(openNumber(after, identity, stored!.sealed_number)).toBe(number)
  const [code] = await database.sql<{ sealed_code: Buffer }[]>`select sealed_code from vault.security_codes`
  expect(openSecurityCode(after, identity, code!.sealed_code)).toBe('123')
  expect(() => before.open(stored!.sealed_number, cell('number', identity))).toThrow()
})

test('a start with a key that the database was not sealed with is refused, a rotation is not', async () => {
  const check = (...keys: Buffer[]) => {
    at = new Date(at.getTime() + 1000)
    return checkSealingKeys(database.sql, openKeyring(keys, random), at)
  }
  let at = now
  await check(old)
  await check(old)
  await expect(check(strange)).rejects.toThrow('RIPPER_MASTER_KEY must hold the key')
  await check(young, old)
  await check(young)
  await expect(check(old)).rejects.toThrow('RIPPER_MASTER_KEY must hold the key')
  await check(old, young)
  await check(old)
})
