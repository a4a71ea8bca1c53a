import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { readJson } from './json.ts'

const limits = { values: 5_000, members: 1_000, levels: 32 }
const read = (text: string) => readJson(Buffer.from(text), limits)

const membersOf = (count: number) => `{"a":{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}}`

test('takes as many values and members as it may', () => {
  expect(read(`[${'0,'.repeat(4_998)}0]`)).toHaveLength(4_999)
  expect(Object.keys((read(membersOf(1_000)) as { a: object }).a)).toHaveLength(1_000)
})

test('builds nothing of what stands behind the bound', () => {
  // Without the limit it would be refused as well, because the text is not JSON there.
  expect(() => read(`[${'0,'.repeat(5_000)}{{{`)).toThrow('more than 5000 values')
})

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!/e\+|\d{16}/.test(text))
      expect(read(text)).toEqual(JSON.parse(text))
    }),
  )
})

describe('refuses by name', () => {
  test.each([
    ['a duplicate member', '{"a":{"b":1,"b":2}}', 'a.b is sent twice.'],
    ['a duplicate under another spelling', '{"a":1,"\\u0061":2}', 'a is sent twice.'],
    ['U+0000', '{"items":[{"sku":"x\\u0000"}]}', 'items[0].sku contains the character U+0000.'],
    ['half of a surrogate pair', '{"a":"\\ud800"}', 'a contains half of a surrogate pair.'],
    ['a number beyond 2^53 - 1', '{"amount":9007199254740993}', 'amount is a number beyond 2^53 - 1.'],
    ['a number beyond all numbers', '{"amount":-1e400}', 'amount is a number beyond 2^53 - 1.'],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, 'levels deep'],
    ['5,001 values', `[${'0,'.repeat(5_000)}0]`, 'more than 5000 values'],
    ['5,001 values, most of them empty', `{"a":[${'{},'.repeat(4_999)}[]]}`, 'more than 5000 values'],
    ['1,001 members of an object', membersOf(1_001), 'a has more than 1000 members'],
    ['a control character', '{"a":"\n"}', 'not valid JSON'],
    ['text after the end', '{} {}', 'not valid JSON'],
    ['a trailing comma', '{"a":1,}', 'not valid JSON'],
    ['nothing', '', 'not valid JSON'],
    ['an unfinished escape', '{"a":"\\u12"}', 'not valid JSON'],
    ['a leading zero', '{"a":01}', 'not valid JSON'],
  ])('%s', (_name, text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('bytes that are not UTF-8', () => {
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]), limits)).toThrow('not valid UTF-8')
  })
})

test('takes 32 levels', () => {
  expect(() => read(`${'['.repeat(32)}${']'.repeat(32)}`)).not.toThrow()
})

test('a member named __proto__ is data', () => {
  const value = read('{"__proto__":"x","2":"b","10":"a"}') as object
  expect(Object.keys(value)).toContain('__proto__')
  expect(JSON.stringify(value)).toContain('"__proto__":"x"')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('one spelling for equal values', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const shuffled = Object.fromEntries(Object.entries(value).reverse())
      expect(canonicalJson(shuffled)).toBe(canonicalJson(value))
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
