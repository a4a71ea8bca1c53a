import { describe, expect, test } from 'vitest'
import { type DemoState, nothing, parse, readKept, writeKept } from './kept.ts'

const kept: DemoState = {
  basket: { tea: 2 },
  order: { client_secret: 'cs_1_secret_2', public_key: 'rip_pk_1', order_reference: 'HL-1' },
  paid: { status: 'captured', payment_id: 'pay_1' },
}

test('what is kept comes back', () => {
  const values = new Map<string, string>()
  const store = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
  expect(readKept(() => store)).toEqual(nothing)
  writeKept(() => store, kept)
  expect(readKept(() => store)).toEqual(kept)
})

describe('without storage', () => {
  const denied = () => {
    throw new Error('denied')
  }
  test('nothing is kept and nothing breaks', () => {
    expect(() => writeKept(denied, kept)).not.toThrow()
    expect(readKept(denied)).toEqual(nothing)
  })
})

describe('what another version kept', () => {
  test.each([
    [null, nothing],
    ['7', nothing],
    ['{"basket":{"tea":"2","pot":0,"cup":1.5,"mug":3}}', { ...nothing, basket: { mug: 3 } }],
    ['{"basket":null,"order":{"client_secret":"cs"},"paid":{}}', nothing],
  ])('%s', (text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  test('is nothing where it is no JSON', () => {
    expect(readKept(() => ({ getItem: () => '{' }))).toEqual(nothing)
  })
})
