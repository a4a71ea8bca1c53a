import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openKeyring } from '../kernel/keyring.ts'
import { cursorAfter, positionIn } from './list-cursor.ts'

const random = { bytes: randomBytes }
const old = randomBytes(32)
const keyring = openKeyring([old], random)
const text = fc.option(fc.string(), { nil: undefined })
const purpose = fc.constantFrom('delivery cursor', 'payment cursor')
const filters = fc.record({ purpose, merchant_id: fc.string(), filters: fc.tuple(text, text) })
const scope = (...filters: (string | undefined)[]) => ({
  purpose: 'delivery cursor',
  merchant_id: 'm',
  filters: [filters[0], filters[1]],
})
const id = '01a0f7649418703680660031734f3a16'

test('a cursor leads back to its attempt under its own filters alone', () => {
  fc.assert(
    fc.property(filters, filters, (mine, theirs) => {
      const cursor = cursorAfter(keyring, mine, id)
      expect(cursor).toMatch(/^[\w-]{43}$/)
      expect(positionIn(keyring, mine, cursor)).toBe(id)
      const same = JSON.stringify(mine) === JSON.stringify(theirs)
      expect(positionIn(keyring, theirs, cursor)).toBe(same ? id : null)
    }),
  )
})

test('no other text is one', () => {
  const mine = scope()
  const cursor = cursorAfter(keyring, mine, id)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (other) => {
      expect(positionIn(keyring, mine, other)).toBeNull()
    }),
  )
  for (const index of cursor.split('').keys()) {
    const letter = cursor[index] === 'A' ? 'Q' : 'A'
    const changed = cursor.slice(0, index) + letter + cursor.slice(index + 1)
    expect(positionIn(keyring, mine, changed)).toBeNull()
  }
})

test('an empty filter is not the same as none', () => {
  const none = scope()
  const cursor = cursorAfter(keyring, none, id)
  expect(positionIn(keyring, scope(undefined, ''), cursor)).toBeNull()
})

test('a cursor outlives a rotation of the master key, until the old one is gone', () => {
  const mine = scope('failed')
  const cursor = cursorAfter(keyring, mine, id)
  const young = randomBytes(32)
  expect(positionIn(openKeyring([young, old], random), mine, cursor)).toBe(id)
  expect(positionIn(openKeyring([young], random), mine, cursor)).toBeNull()
})
