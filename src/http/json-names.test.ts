import { beforeEach, expect, test, vi } from 'vitest'
import { bodyLimits } from './body-limits.ts'
import { readJson } from './json.ts'

const limits = { ...bodyLimits.list, members: 1_000 }
const named = vi.hoisted(() => ({ count: 0 }))
vi.mock('./field-path.ts', async (original) => {
  const { fieldPath } = await original<typeof import('./field-path.ts')>()
  return {
    fieldPath(parts: PropertyKey[]) {
      named.count++
      return fieldPath(parts)
    },
  }
})

beforeEach(() => {
  named.count = 0
})

test('a body that can be read has none of its fields put into words', () => {
  const members = Array.from({ length: 1_000 }, (_, index) => `"${index}":{"a":[1]}`)
  readJson(Buffer.from(`{${members.join(',')}}`), limits)
  expect(named.count).toBe(0)
})

test('a refusal has the one that it is about', () => {
  const text = '{"a":{"1":[0,{"4242424242424242":[{"b":1,"b":2}]}]}}'
  expect(() => readJson(Buffer.from(text), limits)).toThrow(
    'a.1[1].(a name of digits)[0].b is sent twice.',
  )
  expect(named.count).toBe(1)
})
