// What sealing and digests promise: exact round trips, one identity each, keys that can be changed.

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openKeyring, UnknownKeyError } from './keyring.ts'

const random = { bytes: (length: number) => randomBytes(length) }
const old_key = Buffer.alloc(32, 1)
const new_key = Buffer.alloc(32, 2)
const before = openKeyring([old_key], random)
const after = openKeyring([new_key, old_key], random)
const identity = 'merchant m_1, endpoint we_1, secret'
const secret = Buffer.from('a secret that must not show')

describe('sealing', () => {
  test('opens to what was sealed, under the same identity alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), fc.string(), fc.string(), (bytes, own, other) => {
        const sealed = before.seal(Buffer.from(bytes), own)
        expect(before.open(sealed, own)).toEqual(Buffer.from(bytes))
        const brief = before.sealBriefly(Buffer.from(bytes), own)
        expect(before.open(brief, own)).toEqual(Buffer.from(bytes))
        if (own === other) return
        expect(() => before.open(sealed, other)).toThrow('does not open')
        expect(() => before.open(brief, other)).toThrow('does not open')
      }),
    )
  })

  test('never yields the same bytes twice, nor the secret in them', () => {
    const first = before.seal(secret, identity)
    expect(first.equals(before.seal(secret, identity))).toBe(false)
    expect(first.includes(secret.subarray(0, 8))).toBe(false)
    expect(first.length).toBe(1 + 4 + 12 + 48 + 12 + secret.length + 16)
  })

  test('any changed byte is noticed, and the error holds no data', () => {
    const sealed = before.seal(secret, identity)
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      const is_key_id = index >= 1 && index < 5
      expect(() => before.open(changed, identity)).toThrow(
        is_key_id ? UnknownKeyError : /^sealed record does not open$/,
      )
    }
  })

  test('any changed byte of a brief record is noticed too', () => {
    const sealed = before.sealBriefly(secret, identity)
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      const is_key_id = index >= 1 && index < 5
      expect(() => before.open(changed, identity)).toThrow(
        is_key_id ? UnknownKeyError : /^sealed record does not open$/,
      )
    }
    for (const length of [0, 1, 20, 48]) {
      const cut = sealed.subarray(0, length)
      expect(() => before.open(cut, identity)).toThrow('sealed record does not open')
    }
  })

  test('brief records share a data key for a while, and never a nonce', () => {
    const ring = openKeyring([old_key], random)
    const records = Array.from({ length: 2 * 4096 }, () => ring.sealBriefly(secret, identity))
    const salts = records.map((sealed) => sealed.toString('hex', 5, 21))
    expect(new Set(salts.slice(0, 4096)).size).toBe(1)
    expect(new Set(salts).size).toBe(2)
    expect(new Set(records.map((sealed) => sealed.toString('hex', 21, 33))).size).toBe(2 * 4096)
    expect(ring.open(records.at(-1)!, identity)).toEqual(secret)
    expect(openKeyring([old_key], random).open(records[0]!, identity)).toEqual(secret)
  })

  test.each([0, 1, 64, 92])('%i bytes are no sealed record', (length) => {
    const cut = before.seal(secret, identity).subarray(0, length)
    expect(() => before.open(cut, identity)).toThrow('sealed record does not open')
    expect(() => before.keyIdOf(cut)).toThrow('sealed record does not open')
  })

  test('the drawn record key is wiped', () => {
    const buffers: Buffer[] = []
    const watched = openKeyring([old_key], {
      bytes(length) {
        buffers.push(randomBytes(length))
        return buffers.at(-1)!
      },
    })
    watched.seal(secret, identity)
    expect(buffers[0]!.subarray(0, 32).every((byte) => byte === 0)).toBe(true)
  })
})

describe('changing keys', () => {
  test('a key id is 8 hex digits, stable, and not part of the key', () => {
    expect(before.current_key_id).toMatch(/^[0-9a-f]{8}$/)
    expect(openKeyring([old_key], random).current_key_id).toBe(before.current_key_id)
    expect(after.current_key_id).not.toBe(before.current_key_id)
    expect(old_key.toString('hex')).not.toContain(before.current_key_id)
  })

  test('the new ring reads old records and writes under the new key', () => {
    const sealed = before.seal(secret, identity)
    expect(after.open(sealed, identity)).toEqual(secret)
    expect(after.keyIdOf(sealed)).toBe(before.current_key_id)
    expect(after.keyIdOf(after.seal(secret, identity))).toBe(after.current_key_id)
  })

  test('a brief record opens under the ring that follows, and cannot be wrapped anew', () => {
    const sealed = before.sealBriefly(secret, identity)
    expect(after.open(sealed, identity)).toEqual(secret)
    expect(before.keyIdOf(sealed)).toBe(before.current_key_id)
    expect(() => after.rewrap(sealed, identity)).toThrow('sealed record does not open')
  })

  test('a record under a key that is not there names the key', () => {
    const sealed = after.seal(secret, identity)
    const open = () => before.open(sealed, identity)
    expect(open).toThrow(UnknownKeyError)
    expect(open).toThrow(`no master key has the id ${after.current_key_id}`)
  })

  test('rewrap moves a record to the current key and leaves its ciphertext alone', () => {
    const sealed = before.seal(secret, identity)
    const moved = after.rewrap(sealed, identity)!
    expect(after.keyIdOf(moved)).toBe(after.current_key_id)
    expect(moved.subarray(65)).toEqual(sealed.subarray(65))
    expect(openKeyring([new_key], random).open(moved, identity)).toEqual(secret)
    expect(after.rewrap(moved, identity)).toBeNull()
    expect(() => after.rewrap(sealed, 'another row')).toThrow('sealed record does not open')
  })

  test.each([
    ['no key', []],
    ['a short key', [Buffer.alloc(31)]],
    ['the same key twice', [old_key, Buffer.from(old_key)]],
  ])('refuses %s', (_, keys) => {
    expect(() => openKeyring(keys, random)).toThrow()
  })
})

describe('digests', () => {
  test('differ by purpose, by key and by how the parts are cut, and repeat otherwise', () => {
    const digests = [
      before.mac('card fingerprint', 'm_1', '4242'),
      before.mac('client secret', 'm_1', '4242'),
      before.mac('card fingerprint', 'm_14', '242'),
      before.mac('card fingerprint', 'm_14242'),
      before.mac('card fingerprint', 'm_1', '4242', ''),
      before.mac('card fingerprint'),
      after.mac('card fingerprint', 'm_1', '4242'),
    ].map((digest) => digest.toString('hex'))
    expect(new Set(digests).size).toBe(digests.length)
    expect(before.mac('card fingerprint', 'm_1', '4242').toString('hex')).toBe(digests[0])
    expect(digests[0]).toHaveLength(64)
  })

  test('two lists of parts read alike only when they are the same', () => {
    const part = fc.string({ unit: fc.constantFrom('1', ':', 'é'), maxLength: 2 })
    const parts = fc.array(part, { maxLength: 3 })
    const lists = fc.uniqueArray(parts, { selector: JSON.stringify, minLength: 50, maxLength: 50 })
    fc.assert(
      fc.property(lists, (several) => {
        const digests = several.map((list) => before.mac('p', ...list).toString('hex'))
        expect(new Set(digests).size).toBe(several.length)
      }),
    )
  })

  test('every key has its say, the current one first', () => {
    expect(after.macs('p', 'x')).toEqual([after.mac('p', 'x'), before.mac('p', 'x')])
  })
})
