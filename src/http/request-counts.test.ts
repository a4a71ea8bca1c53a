import { expect, test } from 'vitest'
import { openRequestCounts } from './request-counts.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 8, 2) + ms)
const key = Buffer.alloc(16, 7)

test('a minute begins with its first request, and counts each address by itself', () => {
  const { count } = openRequestCounts(key)
  expect(count('a', at(0))).toEqual({ count: 1, left_ms: 60_000 })
  expect(count('a', at(20_000))).toEqual({ count: 2, left_ms: 40_000 })
  expect(count('b', at(59_999))).toEqual({ count: 1, left_ms: 1 })
  expect(count('a', at(60_000))).toEqual({ count: 1, left_ms: 60_000 })
})

test('a clock that was set back begins a new minute', () => {
  const { count } = openRequestCounts(key)
  count('a', at(0))
  expect(count('a', at(-3_600_000))).toEqual({ count: 1, left_ms: 60_000 })
})

test('no number of addresses makes it forget one, nor counts for another', () => {
  const { count } = openRequestCounts(key)
  for (let index = 0; index < 600; index++) count('203.0.113.7', at(0))
  for (let index = 0; index < 200_000; index++) count(`2001:db8:0:${index.toString(16)}`, at(1))
  expect(count('203.0.113.7', at(2)).count).toBeGreaterThan(600)
  expect(count('203.0.113.8', at(2)).count).toBeLessThan(20)
})
