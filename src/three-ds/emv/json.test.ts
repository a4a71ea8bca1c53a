import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJsonObject } from './json.ts'

test.each([
  ['an object', '{"a":1}', { object: { a: 1 } }],
  ['nested objects with the same member', '{"a":{"b":1},"c":{"b":2}}', 'object'],
  ['the same member in a list of objects', '{"a":[{"b":1},{"b":2}]}', 'object'],
  ['a text that looks like a member', '{"a":"\\"b\\":1,\\"b\\":2","b":3}', 'object'],
  ['a member twice', '{"a":1,"b":2,"a":3}', { duplicate: 'a' }],
  ['a member twice, spelled with an escape', '{"a":1,"\\u0061":2}', { duplicate: 'a' }],
  ['a member twice inside', '{"a":{"b":1,"b":2}}', { duplicate: 'b' }],
  ['a member again after an inner object', '{"a":{"b":1},"a":2}', { duplicate: 'a' }],
  ['a member twice, the first with members', '{"a":{"b":1},"a":2}', { duplicate: 'a' }],
  ['a member twice, in a list', '{"a":[{"b":1,"b":2}]}', { duplicate: 'b' }],
  ['a member twice behind a colon in a text', '{"a":":\\":","b":1,"b":2}', { duplicate: 'b' }],
  ['a member twice, named as the prototype is', '{"__proto__":1,"__proto__":2}', { duplicate: '__proto__' }],
  ['a list', '[1]', { not_json: true }],
  ['a text', '"a"', { not_json: true }],
  ['null', 'null', { not_json: true }],
  ['nothing', '', { not_json: true }],
  ['HTML', '<html>', { not_json: true }],
])('%s', (_, text, expected) => {
  const reading = readJsonObject(text)
  if (expected === 'object') expect(reading).toEqual({ object: JSON.parse(text) })
  else expect(reading).toEqual(expected)
})

test('any object without duplicates is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const text = JSON.stringify(object)
      expect(readJsonObject(text)).toEqual({ object: JSON.parse(text) })
    }),
  )
})

test('a message may be as deep as it likes', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  expect(readJsonObject(`{"a":${deep}}`)).toHaveProperty('object')
  expect(readJsonObject(`{"a":${deep},"a":1}`)).toEqual({ duplicate: 'a' })
})
