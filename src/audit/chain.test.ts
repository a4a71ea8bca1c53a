import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalBytes, genesis, nextHash, type WrittenLine } from './chain.ts'

const line: WrittenLine = {
  merchant_id: 'm_1',
  entry_id: '0199',
  session_id: 'cs_1',
  subject: 'att_1',
  change: 'attempt.opened',
  detail: '{"number":1}',
  actor: 'shopper',
  request_id: null,
  at: '1788264000.123000',
}

test('the bytes are those of a JSON array, which anybody can make', () => {
  const text = '["m_1","0199","cs_1","att_1","attempt.opened","{\\"number\\":1}","shopper",null,"1788264000.123000"]'
  expect(canonicalBytes(line).toString()).toBe(text)
  const first = createHash('sha256').update(Buffer.alloc(32)).update(text).digest()
  expect(nextHash(genesis, line)).toEqual(first)
  const second = createHash('sha256').update(first).update(text).digest()
  expect(nextHash(first, line)).toEqual(second)
})

test('every column counts', () => {
  for (const column of Object.keys(line) as (keyof WrittenLine)[]) {
    const other = { ...line, [column]: `${line[column]} ` }
    expect(nextHash(genesis, other)).not.toEqual(nextHash(genesis, line))
  }
})

const text = fc.string({ unit: 'binary' })
const maybe = fc.option(text)
const anyLine: fc.Arbitrary<WrittenLine> = fc.record({
  merchant_id: text,
  entry_id: text,
  session_id: maybe,
  subject: text,
  change: text,
  detail: text,
  actor: text,
  request_id: maybe,
  at: text,
})

test('lines that differ have other bytes, wherever a text ends and the next begins', () => {
  fc.assert(
    fc.property(anyLine, anyLine, (one, other) => {
      const same = JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other))
      expect(canonicalBytes(one).equals(canonicalBytes(other))).toBe(same)
    }),
  )
  const moved = { ...line, subject: 'att', change: '_1attempt.opened' }
  expect(canonicalBytes(moved).equals(canonicalBytes(line))).toBe(false)
  const none = { ...line, session_id: null }
  expect(canonicalBytes(none).equals(canonicalBytes({ ...line, session_id: 'null' }))).toBe(false)
})
