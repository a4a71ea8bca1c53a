import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { earlyRouted } from '../../tests/support/early-ids.ts'
import { idsFrom, likelyRoutings, openIds, routingsIn } from './ids.ts'
import { openKeyring } from './keyring.ts'

const random = { bytes: randomBytes }
const old = randomBytes(32)
const keyring = openKeyring([old], random)
const ids = openIds(random, keyring)
const at = new Date('2026-11-23T12:00:00Z')
const anyRouting = fc.integer({ min: 0, max: 0xffffffff })

test('ids of sessions, connections and 3-D Secure transactions lead back to their merchant', () => {
  fc.assert(
    fc.property(anyRouting, (routing) => {
      expect(routingsIn(ids.session(routing, at), keyring)[0]).toBe(routing)
      const connection = ids.connection(routing, at)
      expect(connection).toMatch(/^conn_[0-9a-f]{24}$/)
      expect(routingsIn(connection, keyring)[0]).toBe(routing)
      const transaction = ids.serverTransaction(routing, at)
      expect(transaction).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(routingsIn(transaction.toUpperCase(), keyring)[0]).toBe(routing)
    }),
  )
})

test('after a rotation of the master key an old id still leads back', () => {
  const rotated = openKeyring([randomBytes(32), old], random)
  expect(routingsIn(ids.session(7, at), rotated)).toContain(7)
})

test('an id of this release leads back without a digest, once its window was met', () => {
  const digests: string[] = []
  const macs: typeof keyring.macs = (...parts) => {
    digests.push(parts[0])
    return keyring.macs(...parts)
  }
  const countingKeyring = { ...keyring, macs }
  const first = () => likelyRoutings(ids.session(7, at), countingKeyring).next().value
  expect([first(), first(), digests]).toEqual([7, 7, ['routing window']])
  expect(routingsIn(ids.session(7, at), countingKeyring)).toHaveLength(2)
  expect(digests).toEqual(['routing window', 'routing mask'])
})

test('an id of an early release, masked by all that follows the number, leads back', () => {
  expect(routingsIn(`cs_${earlyRouted(7, keyring)}`, keyring)).toContain(7)
})

test('what a merchant adds within some hours is together, in its order', () => {
  const window = new Date('2026-11-23T09:00:00Z')
  const sessionIds = [0, 5_000, 60_000, 3_600_000].map((ms) => ids.session(7, new Date(window.getTime() + ms)))
  expect([...sessionIds].sort()).toEqual(sessionIds)
  expect(new Set(sessionIds.map((id) => id.slice(0, 11))).size).toBe(1)
  const neighbour = ids.session(8, window).slice(3, 11)
  const later = ids.session(7, new Date(window.getTime() + 6 * 3_600_000)).slice(3, 11)
  expect(new Set([sessionIds[0]!.slice(3, 11), neighbour, later]).size).toBe(3)
})

const strangers = ['', 'cs_1', 'conn_1', 'cs_ZZZZZZZZZZZZZZZZZZZZZZZZ', 'pay_000000000000000000000000']
test.each(strangers)('%s leads nowhere', (id) => {
  expect(routingsIn(id, keyring)).toEqual([])
})

test('operation ids sort by time', () => {
  const earlier = ids.operation(new Date(1_000))
  const later = ids.operation(new Date(2_000))
  expect(earlier < later).toBe(true)
  expect(earlier).toMatch(/^[0-9a-f]{32}$/)
})

test('refund ids sort by time, within a second too', () => {
  const bytes = (size: number) => Buffer.alloc(size, 255 - Math.min(255, drawn++))
  let drawn = 0
  const { refund } = openIds({ bytes }, keyring)
  const times = [999, 1000, 1001, 1256, 1999, 2000, 2999, 3000].map((ms) => new Date(1_788_264_000_000 + ms))
  const made = times.map(refund)
  expect(made.toSorted()).toEqual(made)
  for (const id of made) expect(id).toMatch(/^ref_[0-9a-f]{24}$/)
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
