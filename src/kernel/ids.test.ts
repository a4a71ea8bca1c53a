import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idsFrom, openIds, routingsIn } from './ids.ts'
import { openKeyring } from './keyring.ts'

const random = { bytes: randomBytes }
const old = randomBytes(32)
const keyring = openKeyring([old], random)
const ids = openIds(random, keyring)
const anyRouting = fc.integer({ min: 0, max: 0xffffffff })

test('ids of sessions, connections and 3-D Secure transactions lead back to their merchant', () => {
  fc.assert(
    fc.property(anyRouting, (routing) => {
      expect(routingsIn(ids.session(routing), keyring)).toEqual([routing])
      const connection = ids.connection(routing)
      expect(connection).toMatch(/^conn_[0-9a-f]{24}$/)
      expect(routingsIn(connection, keyring)).toEqual([routing])
      const transaction = ids.serverTransaction(routing)
      expect(transaction).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
      expect(routingsIn(transaction.toUpperCase(), keyring)).toEqual([routing])
    }),
  )
})

test('after a rotation of the master key an old id still leads back', () => {
  const rotated = openKeyring([randomBytes(32), old], random)
  expect(routingsIn(ids.session(7), rotated)).toContain(7)
})

test('the ids of one merchant do not show that they are', () => {
  const heads = new Set(Array.from({ length: 50 }, () => ids.session(7).slice(3, 11)))
  expect(heads.size).toBe(50)
})

const strangers = [
  '',
  'cs_1',
  'conn_1',
  'cs_ZZZZZZZZZZZZZZZZZZZZZZZZ',
  'pay_000000000000000000000000',
]
test.each(strangers)('%s leads nowhere', (id) => {
  expect(routingsIn(id, keyring)).toEqual([])
})

test('operation ids sort by time', () => {
  const earlier = ids.operation(new Date(1_000))
  const later = ids.operation(new Date(2_000))
  expect(earlier < later).toBe(true)
  expect(earlier).toMatch(/^[0-9a-f]{32}$/)
})

test('the ids of a millisecond begin where it does', () => {
  const at = new Date('2026-09-01T12:00:00.500Z')
  const before = new Date(at.getTime() - 1)
  for (let count = 0; count < 100; count++) {
    expect(ids.delivery(at) >= idsFrom(at)).toBe(true)
    expect(ids.webhookAttempt(before) < idsFrom(at)).toBe(true)
  }
})

test('webhook endpoints and their secrets have the specified shapes', () => {
  expect(ids.endpoint()).toMatch(/^whep_[0-9a-f]{24}$/)
  expect(ids.webhookSecret()).toMatch(/^rip_whsec_[0-9a-f]{64}$/)
  expect(ids.delivery(new Date(0))).toMatch(/^0{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
})
