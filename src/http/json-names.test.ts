import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { bodyLimits } from './body-limits.ts'
import { readJson } from './json.ts'

const limits = { ...bodyLimits.list, members: 1_000 }
/** Every name that becomes words is made well-formed, except one of digits. */
let spy: MockInstance<string['toWellFormed']>

beforeEach(() => {
  spy = vi.spyOn(String.prototype, 'toWellFormed')
})
afterEach(() => spy.mockRestore())

test('a body that can be read has none of its fields put into words', () => {
  const members = Array.from({ length: 1_000 }, (_, index) => `"${index}":{"a":[1]}`)
  readJson(Buffer.from(`{${members.join(',')}}`), limits)
  expect(spy).not.toHaveBeenCalled()
})

test('a refusal has the one that it is about', () => {
  const text = '{"a":{"1":[0,{"4242424242424242":[{"b":1,"b":2}]}]}}'
  expect(() => readJson(Buffer.from(text), limits)).toThrow('a.1[1].(a name of digits)[0].b is sent twice.')
  expect(spy.mock.contexts.map(String)).toEqual(['a', '1', 'b'])
})
