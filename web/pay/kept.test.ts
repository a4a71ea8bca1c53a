import { describe, expect, test } from 'vitest'
import { keptPayments, keyOfPurchase, keyOfSession } from './kept.ts'
import type { Purchase } from './link.ts'

const purchase: Purchase = {
  amount: null,
  currency: null,
  items: [{ sku: 'tea', quantity: 2 }],
  email: null,
  order_reference: null,
}
const record = { idempotency_key: 'page_1', client_secret: 'cs_1_secret_2' }

function storage(values = new Map<string, string>()) {
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

describe('keys', () => {
  test('distinguish shops, purchases and sessions', () => {
    const keys = [
      keyOfPurchase('demo', purchase),
      keyOfPurchase('other', purchase),
      keyOfPurchase('demo', { ...purchase, items: [{ sku: 'tea', quantity: 1 }] }),
      keyOfPurchase('demo', { ...purchase, order_reference: 'A7' }),
      keyOfSession('demo', 'cs_1'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('carry no secret', () => {
    expect(keyOfSession('demo', 'cs_1')).toBe('ripper:demo#cs_1')
  })
})

describe('what is kept', () => {
  test('outlives the page until it is forgotten', () => {
    const store = storage()
    keptPayments(() => store).write('a', record)
    expect(keptPayments(() => store).read('a')).toEqual(record)
    keptPayments(() => store).forget('a')
    expect(keptPayments(() => store).read('a')).toBeNull()
  })

  test('of a Checkout Session’s page is its token, which is no attempt', () => {
    const store = storage()
    keptPayments(() => store).writePageToken('a', 'token')
    const kept = keptPayments(() => store)
    expect([kept.readPageToken('a'), kept.read('a')]).toEqual(['token', null])
    kept.write('a', record)
    expect(kept.readPageToken('a')).toBeNull()
  })

  test.each(['', '{', 'null', '7', '{"client_secret":"cs"}'])('is nothing where it reads %s', (text) => {
    expect(keptPayments(() => storage(new Map([['a', text]]))).read('a')).toBeNull()
  })

  test('lasts as long as the page where the browser allows no storage', () => {
    const kept = keptPayments(() => {
      throw new Error('denied')
    })
    kept.write('a', record)
    expect(kept.read('a')).toEqual(record)
  })

  test('is not worth a failure where the storage is full', () => {
    const full = {
      ...storage(),
      setItem: () => {
        throw new Error('full')
      },
    }
    expect(() => keptPayments(() => full).write('a', record)).not.toThrow()
  })
})
